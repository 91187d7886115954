// Signals.

__constant__ float taps[64];

extern "C" {

__global__ void fir(float* out, const float* in, int n, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < length; ++k)
        if (i >= k) sum += taps[k] * in[i - k];
    out[i] = sum;
}

__global__ void biquad_channels(float* data, const float* coefficients, int channels, int samples) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    const float b0 = coefficients[0], b1 = coefficients[1], b2 = coefficients[2], a1 = coefficients[3], a2 = coefficients[4];
    float z1 = 0, z2 = 0;
    for (int i = 0; i < samples; ++i) {
        const float x = data[i * channels + c], y = b0 * x + z1;
        z1 = b1 * x - a1 * y + z2;
        z2 = b2 * x - a2 * y;
        data[i * channels + c] = y;
    }
}

__global__ void fft_shared(float2* data) {
    __shared__ float2 x[256];
    const int t = threadIdx.x;
    x[__brev(t) >> 24] = data[blockIdx.x * 256 + t];
    x[__brev(t + 128) >> 24] = data[blockIdx.x * 256 + t + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        const int k = t & (half - 1), a = 2 * t - k, b = a + half;
        float s, c;
        __sincosf(-3.14159265f * k / half, &s, &c);
        const float2 u = x[a], v = make_float2(x[b].x * c - x[b].y * s, x[b].x * s + x[b].y * c);
        x[a] = make_float2(u.x + v.x, u.y + v.y);
        x[b] = make_float2(u.x - v.x, u.y - v.y);
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = x[t];
    data[blockIdx.x * 256 + t + 128] = x[t + 128];
}

__global__ void dft_plain(float2* out, const float* in, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float re = 0, im = 0;
    for (int i = 0; i < n; ++i) {
        float s, c;
        __sincosf(-6.2831853f * ((long long)i * k % n) / n, &s, &c);
        re += in[i] * c;
        im += in[i] * s;
    }
    out[k] = make_float2(re, im);
}

__global__ void goertzel(float* power, const float* in, const float* frequencies, int samples, int bins) {
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bins) return;
    const float c = 2.f * cosf(frequencies[b]);
    float s1 = 0, s2 = 0;
    for (int i = 0; i < samples; ++i) {
        const float s = in[i] + c * s1 - s2;
        s2 = s1;
        s1 = s;
    }
    power[b] = s1 * s1 + s2 * s2 - c * s1 * s2;
}

__global__ void autocorrelation(float* out, const float* in, int n, int lags) {
    const int lag = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i < n - lag; i += 32) sum += in[i] * in[i + lag];
    for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
    if (threadIdx.x == 0 && lag < lags) out[lag] = sum;
}

__global__ void window_function(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 0.5f - 0.5f * cospif(2.f * i / (n - 1));
}

__global__ void haar_step(float* low, float* high, const float* in, int pairs) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += blockDim.x * gridDim.x) {
        const float a = in[2 * i], b = in[2 * i + 1];
        low[i] = (a + b) * 0.70710678f;
        high[i] = (a - b) * 0.70710678f;
    }
}

__global__ void dct_8x8(float* out, const float* in, int width) {
    __shared__ float block[8][9], rows[8][9];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    block[y][x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += block[y][k] * __cosf((2 * k + 1) * x * 0.19634954f);
    rows[y][x] = sum * (x == 0 ? 0.35355339f : 0.5f);
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += rows[k][x] * __cosf((2 * k + 1) * y * 0.19634954f);
    out[i] = sum * (y == 0 ? 0.35355339f : 0.5f);
}

__global__ void resample(float* out, const float* in, int n, int up, int down, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int position = i * down, phase = position % up, first = position / up;
    float sum = 0;
    for (int k = phase, j = first; k < length && j >= 0; k += up, --j) sum += taps[k] * in[j];
    out[i] = sum;
}

__global__ void walsh_transform(float* data) {
    __shared__ float x[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) x[i] = data[blockIdx.x * 1024 + i];
    for (int stride = 512; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int p = threadIdx.x; p < 512; p += 256) {
            const int low = p & (stride - 1), a = 2 * p - low, b = a + stride;
            const float u = x[a], v = x[b];
            x[a] = u + v;
            x[b] = u - v;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) data[blockIdx.x * 1024 + i] = x[i];
}

__global__ void find_peaks(int* peaks, int* count, const float* in, int n, float limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    const float v = in[i];
    if (v > limit && v > in[i - 1] && v >= in[i + 1]) peaks[atomicAdd(count, 1)] = i;
}
}
