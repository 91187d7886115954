/// \file Separable convolution of an image with a filter of 17 coefficients: first along rows, then along columns.
///
/// One block is one warp in both kernels, so that a block's time is a warp's time.
/// Images are row-major; `width`, `height` and `pitch` count floats. Preconditions of both kernels:
///   - `source` and `result` begin at a multiple of 128 bytes, and `pitch` is a multiple of 32;
///   - `convolution_rows`: `width` is a multiple of 128, `height` of 2, and the grid is (width / 128, height / 2);
///   - `convolution_columns`: `width` is a multiple of 32, `height` of 8, and the grid is (width / 32, height / 8).

constexpr int radius = 8;
constexpr int taps = 2 * radius + 1;

__constant__ float coefficients[taps];

// Rows: 16 x 2 threads make 8 results each; one step of 16 pixels on either side holds the neighbours.
constexpr int rows_block_x = 16;
constexpr int rows_block_y = 2;
constexpr int rows_results = 8;
constexpr int rows_span = (rows_results + 2) * rows_block_x;

static_assert(rows_block_x * rows_block_y == 32, "one block is one warp");
static_assert(rows_block_x >= radius, "one step must hold the neighbours");

/// A pixel outside the image counts as zero.
///
/// Each row of the tile is 160 words, a multiple of the 32 banks: the two halves of the warp meet in the same
/// 16 banks, and every shared access takes two passes. This is left so on purpose, to have a degree to state.
extern "C" __global__ void convolution_rows(float* result, const float* source, int width, int pitch)
{
    __shared__ float tile[rows_block_y][rows_span];

    const int column = threadIdx.x;
    const int row = threadIdx.y;
    const int first = (static_cast<int>(blockIdx.x) * rows_results - 1) * rows_block_x + column;
    const long long line = static_cast<long long>(blockIdx.y * rows_block_y + row) * pitch;

    // Only the first and the last step can lie outside.
#pragma unroll
    for (int step = 0; step < rows_results + 2; ++step) {
        const int x = first + step * rows_block_x;
        const bool inside = (step > 0 || x >= 0) && (step <= rows_results || x < width);
        tile[row][column + step * rows_block_x] = inside ? source[line + x] : 0.0f;
    }
    __syncthreads();

#pragma unroll 1
    for (int step = 1; step <= rows_results; ++step) {
        float sum = 0.0f;
#pragma unroll
        for (int tap = 0; tap < taps; ++tap)
            sum += coefficients[tap] * tile[row][column + step * rows_block_x + tap - radius];
        result[line + first + step * rows_block_x] = sum;
    }
}

// Columns: 32 threads side by side make 8 results each, one above the other.
constexpr int columns_block_x = 32;
constexpr int columns_results = 8;
constexpr int columns_span = columns_results + 2 * radius;

/// A pixel outside the image counts as the nearest one inside.
///
/// Each row of the tile is 32 words: the warp meets every bank once, and every shared access takes one pass.
extern "C" __global__ void convolution_columns(float* result, const float* source, int height, int pitch)
{
    __shared__ float tile[columns_span][columns_block_x];

    const int column = threadIdx.x;
    const int x = blockIdx.x * columns_block_x + column;
    const int first = blockIdx.y * columns_results;

#pragma unroll 4
    for (int row = 0; row < columns_span; ++row) {
        const int y = min(max(first + row - radius, 0), height - 1);
        tile[row][column] = source[static_cast<long long>(y) * pitch + x];
    }
    __syncthreads();

#pragma unroll 1
    for (int row = 0; row < columns_results; ++row) {
        float sum = 0.0f;
#pragma unroll 1
        for (int tap = 0; tap < taps; ++tap)
            sum += coefficients[tap] * tile[row + tap][column];
        result[static_cast<long long>(first + row) * pitch + x] = sum;
    }
}
