// What needs sm_80: asynchronous copies, double matrix instructions, warp reductions in hardware.
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

extern "C" {

__global__ void async_gemm_tile(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        __pipeline_memcpy_async(&ta[y][x], &a[row * n + t + x], 4);
        __pipeline_memcpy_async(&tb[y][x], &b[(t + y) * n + column], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void async_double_buffer(float* out, const float4* in, int tiles) {
    __shared__ float4 stage[2][128];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&stage[0][t], &in[blockIdx.x * tiles * 128 + t], 16);
    __pipeline_commit();
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles) __pipeline_memcpy_async(&stage[(i + 1) & 1][t], &in[(blockIdx.x * tiles + i + 1) * 128 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float4 v = stage[i & 1][127 - t];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void async_stencil(float* out, const float* in, int n) {
    __shared__ float tile[258];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x + 1], &in[i], 4);
    if (threadIdx.x == 0 && i > 0) __pipeline_memcpy_async(&tile[0], &in[i - 1], 4);
    if (threadIdx.x == 255 && i + 1 < n) __pipeline_memcpy_async(&tile[257], &in[i + 1], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i > 0 && i < n - 1) out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) * 0.3333f;
}

__global__ void wmma_double(double* c, const double* a, const double* b, int n) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
    wmma::fill_fragment(fc, 0.0);
    for (int k = 0; k < n; k += 4) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 8 * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + blockIdx.x * 8, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 8 * n + blockIdx.x * 8, fc, n, wmma::mem_row_major);
}

__global__ void wmma_bfloat(float* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

__global__ void reduce_in_hardware(int* out, const int* in, int n) {
    int sum = 0;
    unsigned high = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
        high = max(high, (unsigned)in[i]);
    }
    sum = __reduce_add_sync(~0u, sum);
    high = __reduce_max_sync(~0u, high);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, sum);
        atomicMax((unsigned*)out + 1, high);
    }
}

__global__ void load_matrix_product(float* c, const half* a, const half* b, int n) {
    __shared__ __align__(16) half ta[16][24], tb[16][24];
    const int t = threadIdx.x;
    float d[4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 256; i += 32) {
            ta[i / 16][i % 16] = a[(blockIdx.y * 16 + i / 16) * n + k + i % 16];
            tb[i / 16][i % 16] = b[(blockIdx.x * 16 + i / 16) * n + k + i % 16];
        }
        __syncwarp();
        unsigned ra[4], rb[2];
        const unsigned pa = __cvta_generic_to_shared(&ta[t % 16][t / 16 * 8]), pb = __cvta_generic_to_shared(&tb[t % 8][t / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
        __syncwarp();
    }
    const int row = blockIdx.y * 16 + t / 4, column = blockIdx.x * 8 + t % 4 * 2;
    c[row * n + column] = d[0];
    c[row * n + column + 1] = d[1];
    c[(row + 8) * n + column] = d[2];
    c[(row + 8) * n + column + 1] = d[3];
}
}
