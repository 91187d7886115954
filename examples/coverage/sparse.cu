// Sparse matrices.

extern "C" {

__global__ void csr_scalar(float* y, const int* starts, const int* columns, const float* values, const float* x, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]]; // warpbound: loop max 64
    y[row] = sum;
}

__global__ void csr_vector(float* y, const int* starts, const int* columns, const float* values, const float* x, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) sum += values[k] * x[columns[k]]; // warpbound: loop max 8
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0) y[row] = sum;
}

__global__ void ell_product(float* y, const int* columns, const float* values, const float* x, int rows, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < width; ++k) {
        const int column = columns[k * rows + row];
        if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}

__global__ void coo_product(float* y, const int* row, const int* column, const float* value, const float* x, int entries) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += gridDim.x * blockDim.x)
        atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

__global__ void diagonal_product(float* y, const int* offsets, const float* diagonals, const float* x, int n, int count) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int d = 0; d < count; ++d) {
        const int column = row + offsets[d];
        if (column >= 0 && column < n) sum += diagonals[d * n + row] * x[column];
    }
    y[row] = sum;
}

__global__ void block_rows_product(float* y, const int* starts, const int* columns, const float* blocks, const float* x) {
    const int r = threadIdx.x / 4, c = threadIdx.x % 4;
    float sum = 0;
    for (int k = starts[blockIdx.x]; k < starts[blockIdx.x + 1]; ++k) // warpbound: loop max 32
        sum += blocks[k * 16 + r * 4 + c] * x[columns[k] * 4 + c];
    sum += __shfl_xor_sync(0xffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffu, sum, 2);
    if (c == 0) y[blockIdx.x * 4 + r] = sum;
}

__global__ void sampled_product(float* out, const int* row, const int* column, const float* a, const float* b, int entries, int depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= entries) return;
    const float *p = a + row[i] * depth, *q = b + column[i] * depth;
    float sum = 0;
    for (int k = 0; k < depth; ++k) sum += p[k] * q[k];
    out[i] = sum;
}

__global__ void sparse_jacobi(float* next, const int* starts, const int* columns, const float* values, const float* x,
                              const float* right, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = right[row], diagonal = 1;
    for (int k = starts[row], end = starts[row + 1]; k < end; ++k) { // warpbound: loop max 64
        const int column = columns[k];
        if (column == row) diagonal = values[k];
        else sum -= values[k] * x[column];
    }
    next[row] = sum / diagonal;
}

__global__ void column_counts(int* counts, const int* columns, int entries) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) atomicAdd(counts + columns[i], 1);
}

__global__ void row_product_count(int* counts, const int* a_starts, const int* a_columns, const int* b_starts, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    for (int k = a_starts[row]; k < a_starts[row + 1]; ++k) // warpbound: loop max 64
        sum += b_starts[a_columns[k] + 1] - b_starts[a_columns[k]];
    counts[row] = sum;
}

__global__ void dense_to_csr(int* columns, float* values, const int* starts, const float* dense, int rows, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int at = starts[row];
    for (int j = 0; j < width; ++j) {
        const float v = dense[row * width + j];
        if (v != 0) {
            columns[at] = j;
            values[at++] = v;
        }
    }
}
}
