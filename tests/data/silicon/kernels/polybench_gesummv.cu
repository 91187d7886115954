// GESUMMV of PolyBench: a thread sums rows of two matrices, weighted by one vector, and adds the two sums. All arrays
// may overlap: both sums are loaded and stored each time. Threads of a block in y do the same.
__global__ void gesummv_rows(float* first, float* second, float* weights, float* result, float* other, int n) {
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= n) return;
    for (int column = 0; column < n; ++column) {
        other[row] += first[row * n + column] * weights[column];
        result[row] += second[row * n + column] * weights[column];
    }
    result[row] = 43532.0F * other[row] + 12313.0F * result[row];
}
