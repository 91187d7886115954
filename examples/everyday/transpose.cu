// Transpose of a matrix in tiles of 32 x 32 by blocks of 32 x 8 threads; the padded column avoids bank conflicts.
constexpr int tile = 32;
constexpr int rows = 8;

extern "C" __global__ void __launch_bounds__(tile *rows)
    transpose(const float *in, float *out, int width, int height) {
    __shared__ float values[tile][tile + 1];
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height) values[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < height && y + j < width) out[(y + j) * height + x] = values[threadIdx.x][threadIdx.y + j];
}
