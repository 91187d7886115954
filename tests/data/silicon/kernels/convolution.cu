// A square filter, whose weights are constants, over a square image with its border. A block copies its part of the
// image to shared memory; a thread then computes TILE_X x TILE_Y results, which lie BLOCK_X and BLOCK_Y apart.
#ifndef EDGE
#define EDGE 4096
#endif
#ifndef FILTER
#define FILTER 15
#endif

constexpr int pitch = EDGE + FILTER - 1;
constexpr int columns = BLOCK_X * TILE_X + FILTER - 1;
constexpr int rows = BLOCK_Y * TILE_Y + FILTER - 1;
// Blocks of the last row or column reach beyond the image.
constexpr bool is_ragged = EDGE % (BLOCK_X * TILE_X) != 0 || EDGE % (BLOCK_Y * TILE_Y) != 0;

__constant__ float weights[FILTER * FILTER];

__device__ bool within(int row, int column, int edge) {
    return !is_ragged || (row < edge && column < edge);
}

extern "C" __global__ void convolution(float* result, float* image) {
    __shared__ float part[rows][columns];
    const int first_row = blockIdx.y * (BLOCK_Y * TILE_Y);
    const int first_column = blockIdx.x * (BLOCK_X * TILE_X);
    const int x = threadIdx.x;
    const int y = threadIdx.y;
#pragma unroll
    for (int row = y; row < rows; row += BLOCK_Y)
#pragma unroll
        for (int column = x; column < columns; column += BLOCK_X)
            if (within(first_row + row, first_column + column, pitch))
                part[row][column] = image[(first_row + row) * pitch + first_column + column];
    __syncthreads();
    float sums[TILE_Y * TILE_X] = {};
#pragma unroll
    for (int weight = 0; weight < FILTER * FILTER; ++weight)
#pragma unroll
        for (int tile = 0; tile < TILE_Y * TILE_X; ++tile)
            sums[tile] += weights[weight] * part[y + tile / TILE_X * BLOCK_Y + weight / FILTER]
                                                [x + tile % TILE_X * BLOCK_X + weight % FILTER];
#pragma unroll
    for (int tile = 0; tile < TILE_Y * TILE_X; ++tile) {
        const int row = first_row + y + tile / TILE_X * BLOCK_Y;
        const int column = first_column + x + tile % TILE_X * BLOCK_X;
        if (within(row, column, EDGE)) result[row * EDGE + column] = sums[tile];
    }
}
