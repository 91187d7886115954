// Histograms and atomics.

extern "C" {

__global__ void histogram_shared(unsigned* out, const unsigned char* in, int n) {
    __shared__ unsigned bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}

__global__ void histogram_global(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i] & 1023], 1u);
}

__global__ void histogram_warps(unsigned* out, const uchar4* in, int n) {
    __shared__ unsigned bins[8][256];
    for (int b = threadIdx.x; b < 8 * 256; b += 256) bins[b / 256][b % 256] = 0;
    __syncthreads();
    unsigned* own = bins[threadIdx.x / 32];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const uchar4 v = in[i];
        atomicAdd(&own[v.x], 1u);
        atomicAdd(&own[v.y], 1u);
        atomicAdd(&own[v.z], 1u);
        atomicAdd(&own[v.w], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += bins[w][threadIdx.x];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void histogram_merge(unsigned* out, const unsigned* partial, int parts) {
    unsigned sum = 0;
    for (int p = 0; p < parts; ++p) sum += partial[p * 256 + threadIdx.x];
    out[threadIdx.x] = sum;
}

__global__ void histogram_weighted(float* out, const float* value, const float* weight, int n, float low, float scale) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int bin = (int)((value[i] - low) * scale);
    if (bin >= 0 && bin < 64) atomicAdd(&out[bin], weight[i]);
}

__global__ void histogram_joint(unsigned* out, const unsigned char* a, const unsigned char* b, int n) {
    extern __shared__ unsigned joint[];
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) joint[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&joint[(a[i] >> 3) * 32 + (b[i] >> 3)], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
        if (joint[i]) atomicAdd(&out[i], joint[i]);
}

__global__ void equalisation_table(unsigned char* table, const unsigned* bins, int pixels) {
    __shared__ unsigned sums[256];
    const int t = threadIdx.x;
    sums[t] = bins[t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        const unsigned add = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += add;
        __syncthreads();
    }
    table[t] = (unsigned char)(sums[t] * 255ull / pixels);
}

__global__ void aggregate_matches(int* counts, const int* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned active = __activemask();
    const unsigned peers = __match_any_sync(active, keys[i]);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&counts[keys[i]], __popc(peers));
}

__global__ void atomic_double_by_cas(unsigned long long* sum, const double* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long old = *sum, seen;
    do { // warpbound: loop max 32
        seen = old;
        old = atomicCAS(sum, seen, __double_as_longlong(in[i] + __longlong_as_double(seen)));
    } while (seen != old);
}

__global__ void atomic_kinds(int* x, unsigned* u, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMax(&x[0], in[i]);
    atomicMin(&x[1], in[i]);
    atomicXor(&x[2], in[i]);
    atomicOr(&u[0], 1u << (in[i] & 31));
    atomicAnd(&u[1], ~(1u << (in[i] & 31)));
    x[3 + i] = atomicExch(&x[i + 3], i);
}
}
