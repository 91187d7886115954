// Reductions.

__device__ __forceinline__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

extern "C" {

__global__ void sum_shuffle(float* out, const float* in, int n) {
    __shared__ float warps[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        sum = warp_sum(sum);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

__global__ void sum_tree(float* out, const float* in, int n) {
    extern __shared__ float tree[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    tree[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s) tree[t] += tree[t + s];
        __syncthreads();
    }
    if (t < 32) {
        volatile float* v = tree;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) out[blockIdx.x] = tree[0];
}

__global__ void sum_interleaved(int* out, const int* in, int n) {
    __shared__ int tree[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tree[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) tree[t] += tree[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tree[0];
}

__global__ void sum_strided(int* out, const int* in, int n) {
    __shared__ int tree[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tree[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        const int index = 2 * s * t;
        if (index < 256) tree[index] += tree[index + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tree[0];
}

__global__ void sum_atomic(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = warp_sum(i < n ? in[i] : 0.f);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

__global__ void maximum_and_index(float* value, int* index, const float* in, int n) {
    __shared__ float values[128];
    __shared__ int places[128];
    float best = -1e30f;
    int at = 0;
    for (int i = threadIdx.x; i < n; i += 128)
        if (in[i] > best) {
            best = in[i];
            at = i;
        }
    values[threadIdx.x] = best;
    places[threadIdx.x] = at;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s && values[threadIdx.x + s] > values[threadIdx.x]) {
            values[threadIdx.x] = values[threadIdx.x + s];
            places[threadIdx.x] = places[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *value = values[0];
        *index = places[0];
    }
}

__global__ void minimum_maximum(int2* out, const int* in, int n) {
    int low = 0x7fffffff, high = -low;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        low = min(low, in[i]);
        high = max(high, in[i]);
    }
    for (int m = 16; m; m >>= 1) {
        low = min(low, __shfl_xor_sync(~0u, low, m));
        high = max(high, __shfl_xor_sync(~0u, high, m));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&out->x, low);
        atomicMax(&out->y, high);
    }
}

__global__ void norm_double(double* out, const double* in, int n) {
    __shared__ double sums[256];
    double sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i] * in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sqrt(sums[0]);
}

__global__ void mean_variance(float2* out, const float* in, int columns) {
    float mean = 0, m2 = 0;
    int count = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float x = in[blockIdx.x * columns + i], delta = x - mean;
        ++count;
        mean += delta / count;
        m2 += delta * (x - mean);
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        const float other_mean = __shfl_down_sync(~0u, mean, offset), other_m2 = __shfl_down_sync(~0u, m2, offset);
        const int other = __shfl_down_sync(~0u, count, offset);
        const int total = count + other;
        if (total > 0) {
            const float delta = other_mean - mean;
            mean += delta * other / total;
            m2 += other_m2 + delta * delta * count * other / total;
            count = total;
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = make_float2(mean, m2 / count);
}

__global__ void count_if_ballot(int* out, const int* in, int n, int limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(~0u, i < n && in[i] > limit);
    if (threadIdx.x % 32 == 0) atomicAdd(out, __popc(votes));
}

__global__ void all_equal_vote(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool same = i >= n || in[i] == in[0];
    if (!__syncthreads_and(same) && threadIdx.x == 0) *out = 0;
}

__global__ void count_in_block(int* out, const float* in, float limit) {
    const int count = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] > limit);
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

__global__ void segmented_rows(float* out, const float* in, int columns) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = threadIdx.x; j < columns; j += 8) sum += in[row * columns + j];
    for (int offset = 4; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset, 8);
    if (threadIdx.x == 0) out[row] = sum;
}

__global__ void last_block_sum(float* out, float* partial, unsigned* tickets, const float* in, int n) {
    __shared__ float warps[8];
    __shared__ bool last;
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int w = 0; w < 8; ++w) total += warps[w];
        partial[blockIdx.x] = total;
        __threadfence();
        last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += partial[b];
        *out = total;
    }
}
}

struct Plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T, int threads, typename Operation> __global__ void reduce_columns(T* out, const T* in, int rows) {
    __shared__ T parts[threads];
    const Operation combine;
    T value = in[threadIdx.x * gridDim.x + blockIdx.x];
    for (int i = threadIdx.x + threads; i < rows; i += threads) value = combine(value, in[i * gridDim.x + blockIdx.x]);
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int s = threads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) parts[threadIdx.x] = combine(parts[threadIdx.x], parts[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = parts[0];
}
template __global__ void reduce_columns<float, 128, Plus>(float*, const float*, int);
template __global__ void reduce_columns<long long, 64, Larger>(long long*, const long long*, int);
