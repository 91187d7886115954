// Bitonic sort of blockDim.x numbers a block in shared memory, one number a thread. blockDim.x is a power of two.
extern "C" __global__ void bitonic_sort(int *data) {
    extern __shared__ int values[];
    const int thread = threadIdx.x;
    const int size = blockDim.x;
    const int first = blockIdx.x * size;
    values[thread] = data[first + thread];
    __syncthreads();
    for (int k = 2; k <= size; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            const int other = thread ^ j;
            if (other > thread) {
                const int low = values[thread];
                const int high = values[other];
                if (((thread & k) == 0) == (low > high)) {
                    values[thread] = high;
                    values[other] = low;
                }
            }
            __syncthreads();
        }
    data[first + thread] = values[thread];
}
