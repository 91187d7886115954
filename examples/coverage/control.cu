// Control flow: switches, calls, assertions, divergent loops, early exits.
#include <cassert>
#include <cstdio>

extern "C" {

__global__ void dispatch(float* data, const int* kind, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = data[i];
    switch (kind[i]) {
    case 0: x = x * 2.f; break;
    case 1: x = sqrtf(x); break;
    case 2: x = x * x + 1.f; break;
    case 3: x = -x; break;
    case 4: x = 1.f / x; break;
    case 5: x = fabsf(x) - 3.f; break;
    case 6: x = floorf(x); break;
    case 7: x = x + 7.f; break;
    default: x = 0;
    }
    data[i] = x;
}

__global__ void byte_code(int* stacks, const unsigned char* program, int length, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = i, b = 1, c = 0;
    for (int pc = 0; pc < length; ++pc) {
        switch (program[pc]) {
        case 0: a += b; break;
        case 1: a -= b; break;
        case 2: a *= b; break;
        case 3: c = a; break;
        case 4: a = b; break;
        case 5: b = c; break;
        case 6: a ^= c; break;
        case 7: b <<= 1; break;
        case 8: b >>= 1; break;
        case 9: c = min(a, b); break;
        default: return;
        }
    }
    stacks[i] = a;
}

__global__ void checked_copy(int* out, const int* in, const int* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    assert(index[i] >= 0 && index[i] < n);
    out[i] = in[index[i]];
}

__global__ void reporting_divide(float* out, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (b[i] == 0.f) {
        printf("division by zero at %d\n", i);
        return;
    }
    out[i] = a[i] / b[i];
}

__global__ void trapping_index(float* out, const float* in, int n, int limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = (int)in[i];
    if (at < 0 || at >= limit) __trap();
    out[at] = 1.f;
}
}

__device__ __noinline__ float polynomial(float x, const float* c, int degree) {
    float v = c[degree];
    for (int k = degree - 1; k >= 0; --k) v = v * x + c[k];
    return v;
}
__device__ __noinline__ int clamp_index(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

extern "C" {

__global__ void call_polynomial(float* out, const float* x, const float* coefficients, int degree, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = polynomial(x[i], coefficients, degree);
}

__global__ void call_clamped_gather(float* out, const float* in, const int* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[clamp_index(index[i] - 1, n)] + in[clamp_index(index[i] + 1, n)];
}

__global__ void collatz(int* steps, int n, int most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = i + 1;
    int count = 0;
    while (x != 1 && count < most) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        ++count;
    }
    steps[i] = count;
}

__global__ void binary_search(int* out, const float* sorted, const float* wanted, int n, int queries) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    int low = 0, high = n;
    while (low < high) { // warpbound: loop max 11
        const int middle = (low + high) / 2;
        if (sorted[middle] <= wanted[q]) low = middle + 1;
        else high = middle;
    }
    out[q] = low - 1;
}

__global__ void greatest_divisor(unsigned* out, const unsigned* a, const unsigned* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    while (y) { // warpbound: loop max 47
        const unsigned r = x % y;
        x = y;
        y = r;
    }
    out[i] = x;
}

__global__ void bit_tricks(int* out, const unsigned* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned v = in[i];
        out[i] = __popc(v) + __clz(v) * 3 + __ffs(v) * 5 + (__brev(v) >> 7) + __byte_perm(v, ~v, 0x2143) + __funnelshift_l(v, v, 9) + __sad(v, 7, 1);
    }
}

__global__ void nested_break(int* out, const int* matrix, int n, int limit) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int found = -1;
    for (int i = 0; i < n && found < 0; ++i)
        for (int j = 0; j < 8; ++j) {
            const int v = matrix[row * n + i] + j;
            if (v == limit) {
                found = i * 8 + j;
                break;
            }
        }
    out[row] = found;
}

__global__ void early_exits(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    if (x < 0) return;
    const float r = sqrtf(x);
    if (r > 100.f) {
        out[i] = 100.f;
        return;
    }
    for (int k = 0; k < 16; ++k) {
        if (in[(i + k) % n] > r) return;
    }
    out[i] = r;
}

__global__ void triangular_loops(float* out, const float* in, int n) {
    const int i = threadIdx.x;
    float sum = 0;
    for (int j = 0; j <= i; ++j)
        for (int k = j; k < i; ++k) sum += in[j * n + k];
    out[i] = sum;
}

__global__ void descending_steps(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = n - 1; j >= 0; j -= 3) sum += in[j];
    for (int j = n; j > 0; j >>= 1) sum -= in[j];
    for (int j = 1; j < n; j *= 3) sum += 2 * in[j];
    out[i] = sum;
}

__global__ void state_machine(int* out, const unsigned char* in, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int state = 0, numbers = 0;
    for (int k = 0; k < length; ++k) {
        const unsigned char c = in[i * length + k];
        if (state == 0) {
            if (c >= '0' && c <= '9') { state = 1; ++numbers; }
            else if (c == '"') state = 2;
        } else if (state == 1) {
            if (c < '0' || c > '9') state = c == '.' ? 3 : 0;
        } else if (state == 2) {
            if (c == '"') state = 0;
        } else {
            state = c >= '0' && c <= '9' ? 3 : 0;
        }
    }
    out[i] = numbers;
}

__global__ void timed_region(long long* cycles, float* out, float x, int n) {
    const long long begin = clock64();
    float v = x;
    for (int i = 0; i < n; ++i) v = v * 1.0001f + 0.5f;
    const long long end = clock64();
    out[threadIdx.x] = v;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
}

template <int N, bool squared> __global__ void unrolled_taps(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + N > n) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) sum += squared ? in[i + k] * in[i + k] : in[i + k];
    out[i] = sum;
}
template __global__ void unrolled_taps<5, true>(float*, const float*, int);
template __global__ void unrolled_taps<33, false>(float*, const float*, int);
