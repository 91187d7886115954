// Histogram of bytes: counts in shared memory for each block, which are then added to the global ones.
constexpr int bins = 256;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *counts, int n) {
    __shared__ unsigned int of_block[bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        of_block[bin] = 0;
    __syncthreads();
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&of_block[in[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        atomicAdd(&counts[bin], of_block[bin]);
}
