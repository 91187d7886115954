// Two kernels of a control loop: an observer estimates 64 states from measurements, then a model-predictive controller
// improves 64 inputs by 12 steps of the projected gradient. Sizes are constants, so that all loops are bounded.

constexpr int size = 64;
constexpr int steps = 12;

// One thread per state: x' = A x + correction, by rows of A that lie column by column.
extern "C" __global__ void observe(const float* __restrict__ model, const float* __restrict__ correction,
                                   const float* __restrict__ state, float* __restrict__ next) {
    __shared__ float before[size];
    before[threadIdx.x] = state[threadIdx.x];
    __syncthreads();
    float sum = correction[threadIdx.x];
#pragma unroll 8
    for (int j = 0; j < size; ++j) sum += model[j * size + threadIdx.x] * before[j];
    next[threadIdx.x] = sum;
}

// One thread per input: u <- clamp(u - (H u + g)), a fixed number of times.
extern "C" __global__ void improve(const float* __restrict__ hessian, const float* __restrict__ gradient,
                                   float* __restrict__ input) {
    __shared__ float now[size];
    const float linear = gradient[threadIdx.x];
    float own = input[threadIdx.x];
    for (int step = 0; step < steps; ++step) {
        now[threadIdx.x] = own;
        __syncthreads();
        float slope = linear;
#pragma unroll 8
        for (int j = 0; j < size; ++j) slope += hessian[j * size + threadIdx.x] * now[j];
        own = fminf(1.0f, fmaxf(-1.0f, own - slope));
        __syncthreads();
    }
    input[threadIdx.x] = own;
}
