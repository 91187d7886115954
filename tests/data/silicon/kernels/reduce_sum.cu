// The sum of two elements a thread, in a tree in dynamic shared memory: one partial sum a block.
__global__ void reduce_sum(const float* __restrict__ from, float* __restrict__ sums, int n) {
    extern __shared__ float tree[];
    const int thread = static_cast<int>(threadIdx.x);
    const int i = static_cast<int>(blockIdx.x * blockDim.x * 2) + thread;
    const int other = i + static_cast<int>(blockDim.x);
    float sum = i < n ? from[i] : 0;
    if (other < n) sum += from[other];
    tree[thread] = sum;
    __syncthreads();
    for (int half = static_cast<int>(blockDim.x >> 1); half > 0; half >>= 1) {
        if (thread < half) tree[thread] += tree[thread + half];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = tree[0];
}
