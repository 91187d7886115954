// c = a * b for square matrices whose side n is a multiple of the tile: each block computes one tile of c.
constexpr int tile = 16;

extern "C" __global__ void __launch_bounds__(tile *tile)
    matrix_product(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_of_a[tile][tile];
    __shared__ float tile_of_b[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += tile) {
        tile_of_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_of_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += tile_of_a[threadIdx.y][i] * tile_of_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
