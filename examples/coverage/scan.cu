// Prefix sums and compaction.

__device__ __forceinline__ int warp_inclusive(int v, int lane) {
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    return v;
}

__device__ int block_inclusive(int v) {
    __shared__ int warps[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_inclusive(v, lane);
    if (lane == 31) warps[warp] = v;
    __syncthreads();
    if (warp == 0) warps[lane] = warp_inclusive(lane < blockDim.x / 32 ? warps[lane] : 0, lane);
    __syncthreads();
    return warp == 0 ? v : v + warps[warp - 1];
}

extern "C" {

__global__ void scan_hillis(float* out, const float* in) {
    __shared__ float buffer[2][256];
    const int t = threadIdx.x;
    int now = 0;
    buffer[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        now = 1 - now;
        buffer[now][t] = t >= d ? buffer[1 - now][t] + buffer[1 - now][t - d] : buffer[1 - now][t];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = buffer[now][t];
}

__global__ void scan_blelloch(int* out, const int* in) {
    __shared__ int tree[512];
    const int t = threadIdx.x;
    tree[2 * t] = in[blockIdx.x * 512 + 2 * t];
    tree[2 * t + 1] = in[blockIdx.x * 512 + 2 * t + 1];
    int offset = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            const int kept = tree[a];
            tree[a] = tree[b];
            tree[b] += kept;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + 2 * t] = tree[2 * t];
    out[blockIdx.x * 512 + 2 * t + 1] = tree[2 * t + 1];
}

__global__ void scan_shuffle(int* out, int* sums, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = block_inclusive(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}

__global__ void scan_add_offsets(int* out, const int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

__global__ void scan_four_each(int4* out, const int4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = i < n ? in[i] : make_int4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const int before = block_inclusive(v.w) - v.w;
    v.x += before; v.y += before; v.z += before; v.w += before;
    if (i < n) out[i] = v;
}

__global__ void compact_ballot(int* out, int* count, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int v = i < n ? in[i] : 0;
    const unsigned kept = __ballot_sync(~0u, v > 0);
    int base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(~0u, base, 0);
    if (v > 0) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}

__global__ void compact_block(int* out, int* count, const float* in, int n) {
    __shared__ int base;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int keep = i < n && in[i] != 0.f;
    const int position = block_inclusive(keep);
    if (threadIdx.x == blockDim.x - 1) base = atomicAdd(count, position);
    __syncthreads();
    if (keep) out[base + position - 1] = i;
}

__global__ void scan_segmented(float* out, const float* in, const int* head, int n) {
    __shared__ float values[256];
    __shared__ int heads[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    values[t] = i < n ? in[i] : 0;
    heads[t] = i < n ? head[i] : 1;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        float v = values[t];
        int h = heads[t];
        if (t >= d && !h) {
            v += values[t - d];
            h = heads[t - d];
        }
        __syncthreads();
        values[t] = v;
        heads[t] = h;
        __syncthreads();
    }
    if (i < n) out[i] = values[t];
}

__global__ void scan_serial_rows(float* out, const float* in, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int j = 0; j < columns; ++j) out[row * columns + j] = sum += in[row * columns + j];
}

__global__ void scan_look_back(int* out, volatile int* flags, volatile int* prefixes, const int* in) {
    __shared__ int before;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int v = block_inclusive(in[i]);
    if (threadIdx.x == blockDim.x - 1) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) { // warpbound: loop max 1000
            }
            sum = prefixes[blockIdx.x - 1];
        }
        prefixes[blockIdx.x] = sum + v;
        __threadfence();
        flags[blockIdx.x] = 1;
        before = sum;
    }
    __syncthreads();
    out[i] = v + before;
}
}
