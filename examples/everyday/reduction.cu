// Sums of an array, one for each block: a tree in shared memory. blockDim.x is a power of two.
extern "C" __global__ void reduction(const float *in, float *sums, int n) {
    extern __shared__ float partial[];
    const int thread = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[thread] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (thread < s) partial[thread] += partial[thread + s];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = partial[0];
}
