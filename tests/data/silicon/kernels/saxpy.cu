// z = a x + y, one element a thread.
__global__ void saxpy(float a, const float* __restrict__ x, const float* __restrict__ y,
                      float* __restrict__ z, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) z[i] = a * x[i] + y[i];
}
