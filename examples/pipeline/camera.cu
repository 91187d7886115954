// Three kernels of a camera pipeline: a Bayer mosaic becomes luminance, luminance becomes edges, edges become scores of
// 256 each. No loop depends on pixels, so that all of them are bounded from the code.

// One thread per cell of 2 x 2 pixels of the mosaic (RGGB).
extern "C" __global__ void demosaic(const float* __restrict__ mosaic, float* __restrict__ luminance, int width,
                                    int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * x + 1 >= width || 2 * y + 1 >= height) return;
    const int at = 2 * y * width + 2 * x;
    const float red = mosaic[at];
    const float green = 0.5f * (mosaic[at + 1] + mosaic[at + width]);
    const float blue = mosaic[at + width + 1];
    luminance[y * (width / 2) + x] = 0.299f * red + 0.587f * green + 0.114f * blue;
}

// The squared gradient of Sobel's operator.
extern "C" __global__ void edges(const float* __restrict__ luminance, float* __restrict__ gradient, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float* const above = luminance + (y - 1) * width + x;
    const float* const here = above + width;
    const float* const below = here + width;
    const float dx = above[1] - above[-1] + 2.0f * (here[1] - here[-1]) + below[1] - below[-1];
    const float dy = below[-1] - above[-1] + 2.0f * (below[0] - above[0]) + below[1] - above[1];
    gradient[y * width + x] = dx * dx + dy * dy;
}

// The sum of 256 edges by a block of 256 threads: a tree in shared memory.
extern "C" __global__ void score(const float* __restrict__ gradient, float* __restrict__ sums) {
    __shared__ float tree[256];
    tree[threadIdx.x] = gradient[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
