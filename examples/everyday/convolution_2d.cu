// Convolution of an image with a filter of 5 x 5 in constant memory; pixels outside count as 0.
constexpr int radius = 2;
constexpr int width_of_filter = 2 * radius + 1;
__constant__ float filter[width_of_filter * width_of_filter];

extern "C" __global__ void convolution_2d(const float *in, float *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            const int u = x + dx;
            const int v = y + dy;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum += filter[(dy + radius) * width_of_filter + dx + radius] * in[v * width + u];
        }
    out[y * width + x] = sum;
}
