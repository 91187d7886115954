// Random numbers and Monte Carlo methods.

__device__ __forceinline__ unsigned xorshift(unsigned& s) {
    s ^= s << 13;
    s ^= s >> 17;
    return s ^= s << 5;
}
__device__ __forceinline__ float uniform(unsigned& s) { return xorshift(s) * 2.3283064e-10f; }

__device__ uint4 philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; ++round) {
        const unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x, h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

extern "C" {

__global__ void estimate_pi(unsigned* hits, unsigned seed, int samples) {
    unsigned s = seed ^ ((blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1u), found = 0;
    for (int i = 0; i < samples; ++i) {
        const float x = uniform(s), y = uniform(s);
        found += x * x + y * y < 1.f;
    }
    for (int m = 16; m; m >>= 1) found += __shfl_xor_sync(~0u, found, m);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, found);
}

__global__ void philox_fill(uint4* out, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0));
}

__global__ void normal_pairs(float2* out, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 r = philox(make_uint4(i, 1, 0, 0), make_uint2(seed, 7));
    const float radius = sqrtf(-2.f * __logf((r.x + 1.f) * 2.3283064e-10f));
    float s, c;
    __sincosf(r.y * 1.4629181e-9f, &s, &c);
    out[i] = make_float2(radius * c, radius * s);
}

__global__ void black_scholes(float* call, float* put, const float* price, const float* strike, const float* years, float rate,
                              float volatility, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float t = sqrtf(years[i]), d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * t);
        const float d2 = d1 - volatility * t, discount = expf(-rate * years[i]);
        const float n1 = normcdff(d1), n2 = normcdff(d2);
        call[i] = price[i] * n1 - strike[i] * discount * n2;
        put[i] = strike[i] * discount * (1.f - n2) - price[i] * (1.f - n1);
    }
}

__global__ void option_paths(float* values, float price, float strike, float drift, float spread, unsigned seed, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed + i * 2654435761u;
    float x = price, sum = 0;
    for (int t = 0; t < steps; ++t) {
        const float u = fmaxf(uniform(s), 1e-7f), v = uniform(s);
        x *= __expf(drift + spread * sqrtf(-2.f * __logf(u)) * __cosf(6.2831853f * v));
        sum += x;
    }
    values[i] = fmaxf(sum / steps - strike, 0.f);
}

__global__ void binomial_option(float* out, const float* prices, const float* strikes, float up, float down, float discount, int steps) {
    __shared__ float values[257];
    const int t = threadIdx.x, option = blockIdx.x;
    values[t] = fmaxf(prices[option] * __expf(up * (2 * t - steps)) - strikes[option], 0.f);
    if (t == 0) values[steps] = fmaxf(prices[option] * __expf(up * steps) - strikes[option], 0.f);
    __syncthreads();
    for (int step = steps; step > 0; --step) {
        float v = 0;
        if (t < step) v = discount * (down * values[t + 1] + (1 - down) * values[t]);
        __syncthreads();
        if (t < step) values[t] = v;
        __syncthreads();
    }
    if (t == 0) out[option] = values[0];
}

__global__ void halton(float* out, int n, int base) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = 0, fraction = 1;
    for (int k = i + 1; k > 0; k /= base) { // warpbound: loop max 32
        fraction /= base;
        value += fraction * (k % base);
    }
    out[i] = value;
}

__global__ void sobol(unsigned* out, const unsigned* directions, int n) {
    __shared__ unsigned v[32];
    if (threadIdx.x < 32) v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned gray = i ^ (i >> 1);
        unsigned x = 0;
        for (int k = 0; k < 32; ++k)
            if ((gray >> k) & 1) x ^= v[k];
        out[blockIdx.y * n + i] = x;
    }
}

__global__ void ising_sweep(signed char* spins, int width, int height, unsigned seed, int colour, float beta) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || ((x + y) & 1) != colour) return;
    unsigned s = seed ^ (y * width + x) * 2654435761u;
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1, up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
    const int sum = spins[y * width + left] + spins[y * width + right] + spins[up * width + x] + spins[down * width + x];
    const int own = spins[y * width + x];
    if (uniform(s) < __expf(-2.f * beta * own * sum)) spins[y * width + x] = -own;
}

__global__ void random_walks(int2* ends, unsigned seed, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed + i;
    int x = 0, y = 0;
    for (int t = 0; t < steps; ++t)
        switch (xorshift(s) & 3) {
        case 0: ++x; break;
        case 1: --x; break;
        case 2: ++y; break;
        default: --y;
        }
    ends[i] = make_int2(x, y);
}

__global__ void photon_slab(unsigned* absorbed, float albedo, float thickness, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed ^ i * 747796405u;
    float z = 0, direction = 1;
    for (int event = 0; event < 200; ++event) {
        z -= direction * __logf(fmaxf(uniform(s), 1e-7f));
        if (z < 0 || z > thickness) return;
        if (uniform(s) > albedo) {
            atomicAdd(&absorbed[(int)(z / thickness * 63.f)], 1u);
            return;
        }
        direction = 2.f * uniform(s) - 1.f;
    }
}
}
