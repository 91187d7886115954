// Stencils and grids.

extern "C" {

__global__ void jacobi_1d(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = 0.33333f * (in[i - 1] + in[i] + in[i + 1]);
}

__global__ void stencil_1d_shared(float* out, const float* in, int n) {
    __shared__ float tile[256 + 8];
    const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 4;
    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < 4) {
        tile[threadIdx.x] = i >= 4 ? in[i - 4] : 0;
        tile[t + 256] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -4; k <= 4; ++k) sum += tile[t + k];
    if (i < n) out[i] = sum;
}

__global__ void jacobi_2d(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const int i = y * width + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void jacobi_2d_shared(float* out, const float* in, int width, int height) {
    __shared__ float tile[18][18];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    const int cx = min(x, width - 1), cy = min(y, height - 1);
    tile[ty + 1][tx + 1] = in[cy * width + cx];
    if (tx == 0) tile[ty + 1][0] = in[cy * width + max(x - 1, 0)];
    if (tx == 15) tile[ty + 1][17] = in[cy * width + min(x + 1, width - 1)];
    if (ty == 0) tile[0][tx + 1] = in[max(y - 1, 0) * width + cx];
    if (ty == 15) tile[17][tx + 1] = in[min(y + 1, height - 1) * width + cx];
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] = 0.25f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
}

__global__ void laplace_nine_point(double* out, const double* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1) return;
    double sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += in[(y + dy) * width + x + dx] * (dx == 0 && dy == 0 ? -8.0 : 1.0);
    out[y * width + x] = sum;
}

__global__ void heat_3d(float* out, const float* in, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
    const int plane = nx * ny;
    float below = in[y * nx + x], here = in[plane + y * nx + x];
    for (int z = 1; z < nz - 1; ++z) {
        const int i = z * plane + y * nx + x;
        const float above = in[i + plane];
        out[i] = here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.f * here);
        below = here;
        here = above;
    }
}

__global__ void wave_3d_queue(float* next, const float* now, const float* before, int nx, int ny, int nz) {
    __shared__ float plane[16][16];
    const int x = blockIdx.x * 12 + threadIdx.x, y = blockIdx.y * 12 + threadIdx.y;
    const bool inner = threadIdx.x >= 2 && threadIdx.x < 14 && threadIdx.y >= 2 && threadIdx.y < 14;
    float queue[5];
    const int size = nx * ny;
    int i = y * nx + x;
    for (int k = 0; k < 4; ++k) queue[k] = now[i + k * size];
    for (int z = 2; z < nz - 2; ++z) {
        queue[4] = now[i + (z + 2) * size];
        plane[threadIdx.y][threadIdx.x] = queue[2];
        __syncthreads();
        if (inner) {
            float sum = -6.f * queue[2] + queue[0] + queue[1] + queue[3] + queue[4];
            for (int k = 1; k <= 2; ++k)
                sum += plane[threadIdx.y - k][threadIdx.x] + plane[threadIdx.y + k][threadIdx.x] +
                       plane[threadIdx.y][threadIdx.x - k] + plane[threadIdx.y][threadIdx.x + k];
            next[i + z * size] = 2.f * queue[2] - before[i + z * size] + 0.01f * sum;
        }
        __syncthreads();
        for (int k = 0; k < 4; ++k) queue[k] = queue[k + 1];
    }
}

__global__ void chip_temperature(float* out, const float* in, const float* power, int width, int height, int steps,
                                 float cx, float cy, float cz) {
    __shared__ float now[16][16], heat[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * (16 - 2 * steps) + tx - steps, y = (int)blockIdx.y * (16 - 2 * steps) + ty - steps;
    const bool valid = x >= 0 && y >= 0 && x < width && y < height;
    if (valid) {
        now[ty][tx] = in[y * width + x];
        heat[ty][tx] = power[y * width + x];
    }
    __syncthreads();
    float value = 0;
    bool computed = false;
    for (int s = 0; s < steps; ++s) {
        computed = false;
        if (valid && tx > s && ty > s && tx < 15 - s && ty < 15 - s) {
            computed = true;
            const float c = now[ty][tx];
            const float n = y > 0 ? now[ty - 1][tx] : c, o = y < height - 1 ? now[ty + 1][tx] : c;
            const float w = x > 0 ? now[ty][tx - 1] : c, e = x < width - 1 ? now[ty][tx + 1] : c;
            value = c + cz * (heat[ty][tx] + (n + o - 2.f * c) * cy + (w + e - 2.f * c) * cx + (80.f - c));
        }
        __syncthreads();
        if (s == steps - 1) break;
        if (computed) now[ty][tx] = value;
        __syncthreads();
    }
    if (computed) out[y * width + x] = value;
}

__global__ void diffusion_coefficient(float* c, const float* image, float q0, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float v = image[y * width + x];
    const float n = image[max(y - 1, 0) * width + x] - v, s = image[min(y + 1, height - 1) * width + x] - v;
    const float w = image[y * width + max(x - 1, 0)] - v, e = image[y * width + min(x + 1, width - 1)] - v;
    const float gradient = (n * n + s * s + w * w + e * e) / (v * v), laplacian = (n + s + w + e) / v;
    const float numerator = 0.5f * gradient - laplacian * laplacian / 16.f, denominator = 1.f + 0.25f * laplacian;
    const float q = numerator / (denominator * denominator);
    c[y * width + x] = fminf(fmaxf(1.f / (1.f + (q - q0) / (q0 * (1.f + q0))), 0.f), 1.f);
}

__global__ void fdtd_magnetic(float* hz, const float* ex, const float* ey, int nx, int ny) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 1 && j < ny - 1)
        hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

__global__ void game_of_life(unsigned char* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

__global__ void lattice_boltzmann(float* out, const float* in, int cells, float omega) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    float f[9], density = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; ++k) {
        f[k] = in[k * cells + i];
        density += f[k];
        ux += ex[k] * f[k];
        uy += ey[k] * f[k];
    }
    ux /= density;
    uy /= density;
    for (int k = 0; k < 9; ++k) {
        const float u = 3.f * (ex[k] * ux + ey[k] * uy);
        const float equilibrium = weight[k] * density * (1.f + u + 0.5f * u * u - 1.5f * (ux * ux + uy * uy));
        out[k * cells + i] = f[k] + omega * (equilibrium - f[k]);
    }
}

__global__ void red_black_relax(float* grid, const float* right, int width, int height, int colour) {
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + colour) & 1);
    if (x >= width - 1 || y >= height - 1) return;
    const int i = y * width + x;
    grid[i] = 0.25f * (grid[i - 1] + grid[i + 1] + grid[i - width] + grid[i + width] - right[i]);
}

__global__ void restrict_multigrid(float* coarse, const float* fine, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int fine_width = 2 * width;
    if (x < width && y < width) {
        const float* p = fine + 2 * y * fine_width + 2 * x;
        coarse[y * width + x] = 0.25f * (p[0] + p[1] + p[fine_width] + p[fine_width + 1]);
    }
}
}
