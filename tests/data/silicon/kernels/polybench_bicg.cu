// The second product of BICG of PolyBench: a thread sums a row of the matrix, weighted by a vector. The result may
// overlap what is read: it is stored each time. Threads of a block in y do the same.
__global__ void bicg_rows(float* matrix, float* weights, float* result, int rows, int columns) {
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows) return;
    result[row] = 0;
    for (int column = 0; column < columns; ++column)
        result[row] += matrix[row * columns + column] * weights[column];
}
