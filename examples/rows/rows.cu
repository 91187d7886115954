// Scales a row of `out` by the sums of two rows; one block per row. The facts in its comments are
// all that the analysis needs of it: line markers of the listing lead from loops and branches to
// their source lines.

__device__ __forceinline__ float sum_of(const float* row, int columns) {
    float sum = 0;
    // warpbound: loop min 8 max 64
#pragma unroll 1
    for (int i = 0; i < columns; ++i)
        sum += row[i];
    return sum;
}

extern "C" __global__ void rows(float* out, const float* a, const float* b, const int* scaled,
                                int columns) {
    const int begin = blockIdx.x * columns;
    const float factor = sum_of(a + begin, columns) * sum_of(b + begin, columns);
    // warpbound: loop max 4
    for (int i = 0; i < 4; ++i)
        out[begin + i] = 0;
#pragma unroll 1
    for (int i = 0; i < columns; ++i) // warpbound: loop max 64
        out[begin + i] = a[begin + i] * factor;
    // warpbound: uniform
    if (*scaled > 0) {
        int step = 1;
        // warpbound: loop max 6
        do {
            out[begin + step] = factor;
            step *= 2;
        } while (step < columns);
    }
}
