// One step of a five-point stencil on a grid of width x height points; the border keeps its values.
extern "C" __global__ void stencil_2d(const float *in, float *out, int width, int height, float centre, float side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
    const int i = y * width + x;
    out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
