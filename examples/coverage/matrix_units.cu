// Matrix instructions by the WMMA interface.
#include <mma.h>
using namespace nvcuda;

extern "C" {

__global__ void wmma_half(float* c, const half* a, const half* b, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    const int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    wmma::fill_fragment(fc, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + column, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

__global__ void wmma_half_shared(half* c, const half* a, const half* b, int n) {
    __shared__ half ta[32][24], tb[16][40];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
    const int t = threadIdx.x, w = t / 32, row = blockIdx.y * 32, column = blockIdx.x * 32;
    wmma::fill_fragment(fc, __float2half(0.f));
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 512; i += 128) {
            ta[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
            tb[i / 32][i % 32] = b[(k + i / 32) * n + column + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &ta[w / 2 * 16][0], 24);
        wmma::load_matrix_sync(fb, &tb[0][w % 2 * 16], 40);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (row + w / 2 * 16) * n + column + w % 2 * 16, fc, n, wmma::mem_row_major);
}

__global__ void wmma_bytes(int* c, const signed char* a, const signed char* b, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}
}
