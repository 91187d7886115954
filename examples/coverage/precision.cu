// Half, double and integer arithmetic of other widths.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" {

__global__ void half_axpy(half2* y, const half2* x, half2 a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void half_dot(float* out, const half2* a, const half2* b, int n) {
    half2 sum = __float2half2_rn(0.f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum = __hfma2(a[i], b[i], sum);
    float v = __low2float(sum) + __high2float(sum);
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void half_matmul(half* c, const half* a, const half* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    half sum = 0;
    for (int k = 0; k < n; ++k) sum = __hfma(a[y * n + k], b[k * n + x], sum);
    c[y * n + x] = sum;
}

__global__ void bfloat_scale(__nv_bfloat16* data, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = __float2bfloat16(__bfloat162float(data[i]) * a);
}

__global__ void convert_formats(double* d, half* h, int* i32, const float* f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d[i] = f[i];
    h[i] = __float2half(f[i]);
    i32[i] = __float2int_rz(f[i]) + (int)__half2float(h[i]);
}

__global__ void double_matmul(double* c, const double* a, const double* b, int n) {
    __shared__ double ta[8][8], tb[8][8];
    const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
    double sum = 0;
    for (int k = 0; k < n; k += 8) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void double_divide(double* out, const double* a, const double* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] / b[i];
}

__global__ void double_roots(double* out, const double* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrt(a[i]) + 1.0 / (1.0 + a[i] * a[i]);
}

__global__ void float_divide(float* out, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] / b[i] + sqrtf(b[i]);
}

__global__ void precise_sine(float* out, const float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sinf(a[i]) + cosf(a[i] * 2.f);
}

__global__ void powers(float* out, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = powf(a[i], b[i]);
}

__global__ void double_exponentials(double* out, const double* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = exp(a[i]) + log(a[i] + 2.0);
}

__global__ void integer_divide(int* out, const int* a, const int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] / b[i] + a[i] % 7;
}

__global__ void long_divide(long long* out, const long long* a, const long long* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] / b[i];
}

__global__ void long_multiply_add(unsigned long long* out, const unsigned long long* a, const unsigned long long* b, int n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = a[i] * b[i] + __umul64hi(a[i], b[i]);
}

__global__ void modular_power(unsigned* out, const unsigned* base, unsigned exponent, unsigned modulus, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long result = 1, b = base[i] % modulus;
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1) result = result * b % modulus;
        b = b * b % modulus;
    }
    out[i] = (unsigned)result;
}

__global__ void complex_multiply(double2* out, const double2* a, const double2* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double2 p = a[i], q = b[i];
    out[i] = make_double2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

__global__ void saturating_mix(short2* out, const short2* a, const short2* b, int gain, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = a[i].x + (b[i].x * gain >> 15), y = a[i].y + (b[i].y * gain >> 15);
    out[i] = make_short2(max(min(x, 32767), -32768), max(min(y, 32767), -32768));
}

__global__ void video_instructions(unsigned* out, const unsigned* a, const unsigned* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __vabsdiffu4(a[i], b[i]) + __vavgu4(a[i], b[i]) + __vmaxs2(a[i], b[i]);
}
}
