// Loops whose count is a quotient, a remainder, a loaded number within limits, or a number of bits.
#include <cstdint>

extern "C" {

// The column above each element of a matrix of `width` columns, given as one array.
__global__ void column_sums(float *out, const float *in, int n, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int row = i / width, column = i % width;
    float sum = 0;
    for (int k = 0; k <= row; ++k) sum += in[k * width + column];
    out[i] = sum;
}

// Rows of at most 64 numbers each, with the length of each row.
__global__ void ragged_sums(float *out, const float *in, const int *length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = min(length[i], 64);
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += in[i * 64 + k];
    out[i] = sum;
}

// A polynomial for each thread, its degree a byte of a word.
__global__ void packed_degrees(float *out, const float *coefficient, const uint32_t *degrees) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t degree = degrees[i / 4] >> 8 * (i % 4) & 0xff;
    const float x = i * 0.01f;
    float value = 0;
    for (uint32_t k = 0; k <= degree; ++k) value = value * x + coefficient[k];
    out[i] = value;
}

// Sums as many neighbours as a mask has bits.
__global__ void masked_neighbours(float *out, const float *in, const uint32_t *mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = __popc(mask[i]);
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += in[i + k];
    out[i] = sum;
}
}
