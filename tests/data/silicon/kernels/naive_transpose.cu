// Reads rows and writes columns, without shared memory.
__global__ void naive_transpose(const float* __restrict__ from, float* __restrict__ to, int rows,
                                int columns) {
    const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && column < columns) to[column * rows + row] = from[row * columns + column];
}
