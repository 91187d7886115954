// Textures and surfaces.

#include <cuda_runtime.h>

extern "C" {

__global__ void gather_by_index(float* out, cudaTextureObject_t table, const int* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(table, index[i]);
}

__global__ void scale_image(float4* out, cudaTextureObject_t image, int width, int height, float sx, float sy) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = tex2D<float4>(image, (x + 0.5f) * sx, (y + 0.5f) * sy);
}

__global__ void bilateral_texture(float* out, cudaTextureObject_t image, int width, int height, int radius, float sigma) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float centre = tex2D<float>(image, x, y);
    float sum = 0, weights = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i) {
            const float v = tex2D<float>(image, x + i, y + j), d = v - centre;
            const float w = __expf(-(i * i + j * j + d * d * 100) / (2 * sigma * sigma));
            sum += w * v;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}

__constant__ float row_weights[17];

__global__ void convolve_rows(float* out, cudaTextureObject_t image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll
    for (int k = -8; k <= 8; ++k) sum += row_weights[k + 8] * tex2D<float>(image, x + k + 0.5f, y + 0.5f);
    out[y * width + x] = sum;
}

__global__ void pyramid_level(cudaSurfaceObject_t coarse, cudaTextureObject_t fine, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = 2 * x + 1, v = 2 * y + 1;
    const float sum = tex2D<float>(fine, u - 0.5f, v - 0.5f) + tex2D<float>(fine, u + 0.5f, v - 0.5f) +
                      tex2D<float>(fine, u - 0.5f, v + 0.5f) + tex2D<float>(fine, u + 0.5f, v + 0.5f);
    surf2Dwrite(0.25f * sum, coarse, x * (int)sizeof(float), y);
}

__global__ void trilinear_lod(float4* out, cudaTextureObject_t mipmap, int width, float lod) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) out[x] = tex2DLod<float4>(mipmap, x * 0.25f, 0.5f, lod + x * 0.01f);
}

__global__ void warp_by_gradient(float4* out, cudaTextureObject_t image, int width, float scale) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) out[x] = tex2DGrad<float4>(image, x * scale, 0.5f, make_float2(scale, 0), make_float2(0, scale));
}

__global__ void volume_ray(float* out, cudaTextureObject_t volume, int width, int steps, float step) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float colour = 0, opacity = 0;
    for (int s = 0; s < steps; ++s) {
        const float sample = tex3D<float>(volume, x + 0.5f, y + 0.5f, s * step);
        colour += (1 - opacity) * sample;
        opacity += (1 - opacity) * sample * 0.1f;
    }
    out[y * width + x] = colour;
}

__global__ void layered_mean(float* out, cudaTextureObject_t layers, int width, int height, int count) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int l = 0; l < count; ++l) sum += tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, l);
    out[y * width + x] = sum / count;
}

__global__ void environment_map(float4* out, cudaTextureObject_t cube, const float3* direction, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 d = direction[i];
    out[i] = texCubemap<float4>(cube, d.x, d.y, d.z);
}

__global__ void corner_minimum(float* out, cudaTextureObject_t image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float4 four = tex2Dgather<float4>(image, x + 1.0f, y + 1.0f, 0);
    out[y * width + x] = fminf(fminf(four.x, four.y), fminf(four.z, four.w));
}

__global__ void invert_surface(cudaSurfaceObject_t surface, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 p = surf2Dread<uchar4>(surface, x * 4, y);
    p.x = 255 - p.x;
    p.y = 255 - p.y;
    p.z = 255 - p.z;
    surf2Dwrite(p, surface, x * 4, y);
}

__global__ void votes_in_surface(unsigned long long surface, const int2* place, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int2 p = place[i];
    asm volatile("sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(surface), "r"(p.x * 4), "r"(p.y), "r"(1));
}

__global__ void copy_volume(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int width, int depth) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    for (int z = 0; z < depth; ++z) {
        const float2 v = surf3Dread<float2>(from, x * 8, y, z);
        surf3Dwrite(v, to, x * 8, y, z);
    }
}
}
