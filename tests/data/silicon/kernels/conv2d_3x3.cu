// A filter of 3 x 3 over an image, filter in global memory, one output a thread, no border.
__global__ void conv2d_3x3(const float* __restrict__ image, const float* __restrict__ filter,
                           float* __restrict__ result, int height, int width) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width - 2 || y >= height - 2) return;
    float sum = 0;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            sum += image[(y + row) * width + x + column] * filter[row * 3 + column];
    result[y * width + x] = sum;
}
