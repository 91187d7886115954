// Dense linear algebra.
#include <cuda_fp16.h>

extern "C" {

__global__ void axpy(float* y, const float* x, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] += a * x[i];
}

__global__ void scale_vector4(float4* x, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = x[i];
    v.x *= a; v.y *= a; v.z *= a; v.w *= a;
    x[i] = v;
}

__global__ void dot_block(float* partial, const float* a, const float* b, int n) {
    __shared__ float sums[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

__global__ void gemv_row(float* y, const float* a, const float* x, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += a[row * columns + j] * x[j];
    y[row] = sum;
}

__global__ void gemv_warp(float* y, const float* a, const float* x, int rows, int columns) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int j = lane; j < columns; j += 32) sum += a[row * columns + j] * x[j];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0) y[row] = sum;
}

__global__ void gemv_transposed(float* y, const float* a, const float* x, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum += a[i * columns + column] * x[i];
    y[column] = sum;
}

__global__ void gemm_plain(float* c, const float* a, const float* b, int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void gemm_tile(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void gemm_guarded_tile(float* c, const float* a, const float* b, int m, int n, int depth) {
    __shared__ float ta[16][17], tb[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int t = 0; t < (depth + 15) / 16; ++t) {
        ta[y][x] = row < m && t * 16 + x < depth ? a[row * depth + t * 16 + x] : 0.f;
        tb[y][x] = column < n && t * 16 + y < depth ? b[(t * 16 + y) * n + column] : 0.f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void gemm_registers(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[16][64], tb[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sum[i][j] += ta[k][ty * 4 + i] * tb[k][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) c[(row + ty * 4 + i) * n + column + tx * 4 + j] = sum[i][j];
}

__global__ void gemm_double_buffer(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[2][16][16], tb[2][16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    int now = 0;
    ta[0][y][x] = a[row * n + x];
    tb[0][y][x] = b[y * n + column];
    __syncthreads();
    for (int t = 16; t < n; t += 16) {
        const float na = a[row * n + t + x], nb = b[(t + y) * n + column];
        for (int k = 0; k < 16; ++k) sum += ta[now][y][k] * tb[now][k][x];
        now ^= 1;
        ta[now][y][x] = na;
        tb[now][y][x] = nb;
        __syncthreads();
    }
    for (int k = 0; k < 16; ++k) sum += ta[now][y][k] * tb[now][k][x];
    c[row * n + column] = sum;
}

__global__ void syrk(float* c, const float* a, float alpha, float beta, int n, int depth) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j > i) return;
    float sum = beta * c[i * n + j];
    for (int k = 0; k < depth; ++k) sum += alpha * a[i * depth + k] * a[j * depth + k];
    c[i * n + j] = sum;
}

__global__ void trmm(float* b, const float* a, float alpha, int m, int n) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    for (int i = 0; i < m; ++i) {
        float sum = b[i * n + j];
        for (int k = i + 1; k < m; ++k) sum += a[k * m + i] * b[k * n + j];
        b[i * n + j] = alpha * sum;
    }
}

__global__ void gesummv(float* y, const float* a, const float* b, const float* x, float alpha, float beta, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0, t = 0;
        for (int j = 0; j < n; j++) {
            s += a[i * n + j] * x[j];
            t += b[i * n + j] * x[j];
        }
        y[i] = alpha * s + beta * t;
    }
}

__global__ void lu_update(float* a, int n, int k) {
    const int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

__global__ void lu_tile(float* a) {
    __shared__ float tile[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = a[blockIdx.x * 256 + y * 16 + x];
    __syncthreads();
    for (int k = 0; k < 15; ++k) {
        if (x == 0 && y > k) tile[y][k] /= tile[k][k];
        __syncthreads();
        if (x > k && y > k) tile[y][x] -= tile[y][k] * tile[k][x];
        __syncthreads();
    }
    a[blockIdx.x * 256 + y * 16 + x] = tile[y][x];
}

__global__ void cholesky_column(float* a, int n, int k) {
    const int i = k + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float pivot = sqrtf(a[k * n + k]);
    a[i * n + k] = i == k ? pivot : a[i * n + k] / pivot;
}

__global__ void triangular_solve(float* x, const float* l, int n) {
    __shared__ float solved;
    for (int k = 0; k < n; ++k) {
        if (threadIdx.x == 0) solved = x[k] /= l[k * n + k];
        __syncthreads();
        const float value = solved;
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) x[i] -= l[i * n + k] * value;
        __syncthreads();
    }
}

__global__ void invert_4x4(float* out, const float* in, int count) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    float m[4][8];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            m[i][j] = in[id * 16 + i * 4 + j];
            m[i][4 + j] = i == j;
        }
    for (int k = 0; k < 4; ++k) {
        const float scale = 1.f / m[k][k];
        for (int j = 0; j < 8; ++j) m[k][j] *= scale;
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            const float factor = m[i][k];
            for (int j = 0; j < 8; ++j) m[i][j] -= factor * m[k][j];
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) out[id * 16 + i * 4 + j] = m[i][4 + j];
}

__global__ void outer_product(float* c, const float* x, const float* y, int n) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = blockIdx.y; i < n; i += gridDim.y)
        if (j < n) c[i * n + j] += x[i] * y[j];
}

__global__ void covariance(float* c, const float* centred, int variables, int samples) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= variables) return;
    for (int j = i; j < variables; ++j) {
        float sum = 0;
        for (int k = 0; k < samples; ++k) sum += centred[k * variables + i] * centred[k * variables + j];
        c[i * variables + j] = c[j * variables + i] = sum / (samples - 1);
    }
}

__global__ void transpose_tile(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void gram_schmidt_step(float* q, const float* r, int rows, int columns, int k) {
    const int j = k + 1 + blockIdx.x;
    __shared__ float sum[128];
    float part = 0;
    for (int i = threadIdx.x; i < rows; i += 128) part += q[i * columns + k] * q[i * columns + j];
    sum[threadIdx.x] = part;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) sum[threadIdx.x] += sum[threadIdx.x + s];
        __syncthreads();
    }
    const float projection = sum[0];
    for (int i = threadIdx.x; i < rows; i += 128) q[i * columns + j] -= projection * q[i * columns + k];
}
}
