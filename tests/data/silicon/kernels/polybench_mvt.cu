// The second product of MVT of PolyBench: a thread adds a column of the matrix, weighted by a vector, to an element of
// the result. The result may overlap what is read: it is stored each time. Threads of a block in y do the same.
__global__ void mvt_columns(float* matrix, float* result, float* weights, int n) {
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= n) return;
    for (int row = 0; row < n; ++row)
        result[column] += matrix[row * n + column] * weights[row];
}
