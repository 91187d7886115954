// Exclusive prefix sums of 2 * blockDim.x numbers a block, by Blelloch's up-sweep and down-sweep. blockDim.x is a power
// of two.
extern "C" __global__ void scan(const int *in, int *out) {
    extern __shared__ int values[];
    const int thread = threadIdx.x;
    const int n = 2 * blockDim.x;
    const int first = blockIdx.x * n;
    values[2 * thread] = in[first + 2 * thread];
    values[2 * thread + 1] = in[first + 2 * thread + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thread < d) {
            const int left = offset * (2 * thread + 1) - 1;
            const int right = offset * (2 * thread + 2) - 1;
            values[right] += values[left];
        }
        offset *= 2;
    }
    if (thread == 0) values[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thread < d) {
            const int left = offset * (2 * thread + 1) - 1;
            const int right = offset * (2 * thread + 2) - 1;
            const int value = values[left];
            values[left] = values[right];
            values[right] += value;
        }
    }
    __syncthreads();
    out[first + 2 * thread] = values[2 * thread];
    out[first + 2 * thread + 1] = values[2 * thread + 1];
}
