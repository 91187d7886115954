// One step of a seven-point stencil: each thread walks along z and keeps three points of its column in registers.
extern "C" __global__ void stencil_3d(const float *in, float *out, int width, int height, int depth, float centre,
                                      float side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
    const int plane = width * height;
    int i = y * width + x;
    float below = in[i];
    float here = in[i + plane];
    for (int z = 1; z < depth - 1; ++z) {
        i += plane;
        const float above = in[i + plane];
        out[i] = centre * here + side * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + below + above);
        below = here;
        here = above;
    }
}
