/// \file y = alpha x + y, followed by `a` dependent additions: arithmetic per byte is a parameter of the launch.
///
/// After the second kernel of Gajger 2017, written anew.

extern "C" __global__ void saxpy_loop(int n, int a, float alpha, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = alpha * x[i] + y[i];
#pragma unroll 1
    for (int addition = 0; addition < a; ++addition)
        sum += alpha;
    y[i] = sum;
}
