// y = a * x for a sparse matrix in compressed rows: one thread a row.
extern "C" __global__ void sparse_product(const int *row_start, const int *column, const float *value, const float *x,
                                          float *y, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = row_start[row]; i < row_start[row + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
