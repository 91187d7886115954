// Cooperation inside a warp and inside a block.
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

extern "C" {

__global__ void aggregated_increment(int* counter, int* places, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] <= 0) return;
    const unsigned active = __activemask();
    const int lane = threadIdx.x & 31, leader = __ffs(active) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    places[i] = base + __popc(active & ((1u << lane) - 1));
}

__global__ void coalesced_increment(int* counter, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        const auto active = groups::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(counter, active.size());
    }
}

__global__ void tile_sums(float* out, const float* in) {
    const auto block = groups::this_thread_block();
    const auto tile = groups::tiled_partition<8>(block);
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 8] = v;
}

__global__ void transpose_in_registers(float* out, const float* in) {
    const int lane = threadIdx.x & 31, base = (blockIdx.x * blockDim.x + threadIdx.x - lane) * 4;
    float v[4];
    for (int k = 0; k < 4; ++k) v[k] = in[base + k * 32 + lane];
    for (int k = 0; k < 4; ++k) v[k] = __shfl_sync(~0u, v[k], (lane + k * 8) & 31);
    for (int k = 0; k < 4; ++k) out[base + lane * 4 + k] = v[k];
}

__global__ void votes(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool odd = in[i] & 1;
    const int all = __all_sync(~0u, odd), any = __any_sync(~0u, odd);
    out[i] = all * 2 + any + __popc(__ballot_sync(~0u, odd)) * 4;
}

__global__ void warp_exchange(float* out, const float* in) {
    __shared__ float rows[4][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    rows[warp][lane] = in[blockIdx.x * 128 + threadIdx.x];
    __syncwarp();
    float v = rows[warp][31 - lane];
    __syncwarp();
    rows[warp][(lane * 5) & 31] = v;
    __syncwarp();
    out[blockIdx.x * 128 + threadIdx.x] = rows[warp][lane];
}

__global__ void producer_consumer(float* out, const float* in, int n) {
    __shared__ float stage[2][128];
    const int t = threadIdx.x & 127;
    const bool producer = threadIdx.x < 128;
    float sum = 0;
    for (int i = 0; i <= n; ++i) {
        if (producer) {
            if (i < n) stage[i & 1][t] = in[(blockIdx.x * n + i) * 128 + t];
        } else if (i > 0) {
            sum += stage[(i - 1) & 1][t];
        }
        __syncthreads();
    }
    if (!producer) out[blockIdx.x * 128 + t] = sum;
}

__global__ void neighbour_difference(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = i < n ? in[i] : 0, left = __shfl_up_sync(~0u, v, 1);
    if (i < n) out[i] = threadIdx.x % 32 == 0 ? (i > 0 ? v - in[i - 1] : v) : v - left;
}

__global__ void broadcast_weights(float* out, const float* weights, const float* in, int n) {
    const int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
    const float w = weights[lane];
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += __shfl_sync(~0u, w, k) * in[(i + k) % n];
    if (i < n) out[i] = sum;
}

__global__ void divergent_shuffle(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (threadIdx.x < n) {
        v += __shfl_xor_sync(0xffffffffu, v, 1);
        v += __shfl_xor_sync(0xffffffffu, v, 2);
    } else {
        v -= 1.f;
    }
    out[i] = v;
}

__global__ void shared_matrix_rows(float* out, const float* in) {
    extern __shared__ float rows[];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) rows[t * 9 + k] = in[(blockIdx.x * 8 + k) * blockDim.x + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += rows[t * 9 + k] * rows[((t + 1) % blockDim.x) * 9 + k];
    out[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void bank_conflicts(int* out, const int* in, int stride) {
    __shared__ int data[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) data[i] = in[i];
    __syncwarp();
    out[threadIdx.x] = data[threadIdx.x * 2 & 1023] + data[threadIdx.x * 32 & 1023] + data[threadIdx.x * stride & 1023];
}

__global__ void local_array_sort(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int window[32];
    for (int k = 0; k < 32; ++k) window[k] = in[i * 32 + k];
    for (int k = 0; k < n; ++k) {
        const int at = in[k] & 31;
        window[at] += window[31 - at];
    }
    out[i] = window[i & 31];
}
}
