// Sorting and merging.

extern "C" {

__global__ void bitonic_shared(int* data) {
    __shared__ int keys[512];
    const int t = threadIdx.x;
    keys[t] = data[blockIdx.x * 512 + t];
    keys[t + 256] = data[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            const int a = 2 * t - (t & (stride - 1)), b = a + stride;
            const bool up = (t & (size / 2)) == 0;
            if ((keys[a] > keys[b]) == up) {
                const int kept = keys[a];
                keys[a] = keys[b];
                keys[b] = kept;
            }
        }
    __syncthreads();
    data[blockIdx.x * 512 + t] = keys[t];
    data[blockIdx.x * 512 + t + 256] = keys[t + 256];
}

__global__ void bitonic_step(float* data, int j, int k) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {
        const float a = data[i], b = data[other];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[other] = a;
        }
    }
}

__global__ void bitonic_warp(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = i < n ? data[i] : 0x7fffffff;
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            const int other = __shfl_xor_sync(~0u, v, j);
            const bool smaller = ((lane & k) == 0) == ((lane & j) == 0);
            v = smaller ? min(v, other) : max(v, other);
        }
    if (i < n) data[i] = v;
}

__global__ void odd_even_transposition(int* data, int n) {
    __shared__ int keys[256];
    const int t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (int round = 0; round < n; ++round) {
        const int a = 2 * t + (round & 1);
        if (a + 1 < n && keys[a] > keys[a + 1]) {
            const int kept = keys[a];
            keys[a] = keys[a + 1];
            keys[a + 1] = kept;
        }
        __syncthreads();
    }
    data[t] = keys[t];
}

__global__ void radix_count(unsigned* counts, const unsigned* keys, int n, int shift) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[(keys[i] >> shift) & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void radix_split_block(unsigned* keys) {
    __shared__ unsigned list[256], ranks[256];
    const int t = threadIdx.x;
    list[t] = keys[blockIdx.x * 256 + t];
    __syncthreads();
    for (int bit = 0; bit < 32; ++bit) {
        const unsigned key = list[t], one = (key >> bit) & 1;
        ranks[t] = 1 - one;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            const unsigned add = t >= d ? ranks[t - d] : 0;
            __syncthreads();
            ranks[t] += add;
            __syncthreads();
        }
        const unsigned zeros = ranks[255], place = one ? zeros + t - ranks[t] : ranks[t] - 1;
        __syncthreads();
        list[place] = key;
        __syncthreads();
    }
    keys[blockIdx.x * 256 + t] = list[t];
}

__global__ void radix_scatter(unsigned* out, unsigned* offsets, const unsigned* keys, int n, int shift) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = keys[i];
    out[atomicAdd(&offsets[(key >> shift) & 15], 1u)] = key;
}

__global__ void rank_sort(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float key = in[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < key || (in[j] == key && j < i);
    out[rank] = key;
}

__global__ void insertion_sort_each(float* data, int lists) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= lists) return;
    float* list = data + id * 16;
    for (int i = 1; i < 16; ++i) {
        const float key = list[i];
        int j = i - 1;
        while (j >= 0 && list[j] > key) { // warpbound: loop max 15
            list[j + 1] = list[j];
            --j;
        }
        list[j + 1] = key;
    }
}

__global__ void merge_by_rank(int* out, const int* a, const int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = n;
    while (low < high) { // warpbound: loop max 11
        const int middle = (low + high) >> 1;
        if (b[middle] < a[i]) low = middle + 1;
        else high = middle;
    }
    out[i + low] = a[i];
}

__global__ void sort_three_channels(float3* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = data[i];
    if (v.x > v.y) { const float k = v.x; v.x = v.y; v.y = k; }
    if (v.y > v.z) { const float k = v.y; v.y = v.z; v.z = k; }
    if (v.x > v.y) { const float k = v.x; v.x = v.y; v.y = k; }
    data[i] = v;
}

__global__ void counting_positions(int* positions, const int* keys, int n, int buckets) {
    __shared__ int counts[64];
    for (int b = threadIdx.x; b < buckets; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[keys[i]], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int b = 0; b < buckets; ++b) {
            const int count = counts[b];
            counts[b] = sum;
            sum += count;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) positions[i] = atomicAdd(&counts[keys[i]], 1);
}
}
