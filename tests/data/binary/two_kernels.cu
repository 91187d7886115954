// Two small kernels for the tests of the readers of binaries.
extern "C" __global__ void scale(float* data, int n, float factor) {
    __shared__ float tile[32];
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        tile[threadIdx.x] = data[k];
        __syncthreads();
        data[k] = tile[31 - threadIdx.x] * factor;
    }
}

namespace simple {
template <typename T> __global__ void fill(T* data, T value, long long n) {
    if (threadIdx.x < n) data[threadIdx.x] = value;
}
template __global__ void fill<int>(int*, int, long long);
} // namespace simple
