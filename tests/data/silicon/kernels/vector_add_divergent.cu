// Even threads add a sum of 128 converted numbers, odd ones do not: half of each warp waits.
__global__ void vector_add_divergent(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ c, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    if (i % 2 == 0) {
        float sum = 0;
#pragma unroll 16
        for (int k = 0; k < 128; ++k)
            sum += 0.0001F * static_cast<float>(k);
        c[i] = a[i] + b[i] + sum;
    } else {
        c[i] = a[i] + b[i];
    }
}
