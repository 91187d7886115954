// Neural networks.
#include <cuda_fp16.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, m));
    return v;
}

extern "C" {

__global__ void relu(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fmaxf(x[i], 0.f);
}

__global__ void gelu(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i], cube = 0.044715f * x * x * x;
    out[i] = 0.5f * x * (1.f + tanhf(0.7978845608f * (x + cube)));
}

__global__ void gelu_erf(half* out, const half* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = __half2float(in[i]);
    out[i] = __float2half(0.5f * x * (1.f + erff(x * 0.70710678f)));
}

__global__ void swiglu(float* out, const float* gate, const float* up, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float g = gate[i];
        out[i] = g / (1.f + expf(-g)) * up[i];
    }
}

__global__ void bias_residual(float4* out, const float4* x, const float4* residual, const float4* bias, int n, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = x[i], r = residual[i], b = bias[i % width];
    out[i] = make_float4(a.x + r.x + b.x, a.y + r.y + b.y, a.z + r.z + b.z, a.w + r.w + b.w);
}

__global__ void softmax_warp(float* out, const float* in, int rows, int columns) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const float* x = in + row * columns;
    float high = -1e30f, sum = 0;
    for (int j = lane; j < columns; j += 32) high = fmaxf(high, x[j]);
    high = warp_max(high);
    for (int j = lane; j < columns; j += 32) sum += __expf(x[j] - high);
    sum = warp_sum(sum);
    for (int j = lane; j < columns; j += 32) out[row * columns + j] = __expf(x[j] - high) / sum;
}

__global__ void softmax_block(float* out, const float* in, int columns) {
    __shared__ float parts[8];
    const float* x = in + blockIdx.x * columns;
    const int t = threadIdx.x, warp = t / 32;
    float high = -1e30f;
    for (int j = t; j < columns; j += 256) high = fmaxf(high, x[j]);
    high = warp_max(high);
    if (t % 32 == 0) parts[warp] = high;
    __syncthreads();
    for (int w = 0; w < 8; ++w) high = fmaxf(high, parts[w]);
    __syncthreads();
    float sum = 0;
    for (int j = t; j < columns; j += 256) sum += expf(x[j] - high);
    sum = warp_sum(sum);
    if (t % 32 == 0) parts[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; ++w) sum += parts[w];
    for (int j = t; j < columns; j += 256) out[blockIdx.x * columns + j] = expf(x[j] - high) / sum;
}

__global__ void softmax_online(float* out, const float* in, int columns) {
    const float* x = in + (size_t)blockIdx.x * columns;
    float high = -1e30f, sum = 0;
    for (int j = threadIdx.x; j < columns; j += 32) {
        const float v = x[j], next = fmaxf(high, v);
        sum = sum * __expf(high - next) + __expf(v - next);
        high = next;
    }
    const float whole = warp_max(high);
    sum = warp_sum(sum * __expf(high - whole));
    for (int j = threadIdx.x; j < columns; j += 32) out[(size_t)blockIdx.x * columns + j] = __expf(x[j] - whole) / sum;
}

__global__ void layer_norm(float* out, const float* in, const float* weight, const float* bias, int columns) {
    const float* x = in + blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int j = threadIdx.x; j < columns; j += 32) {
        sum += x[j];
        squares += x[j] * x[j];
    }
    const float mean = warp_sum(sum) / columns, variance = warp_sum(squares) / columns - mean * mean;
    const float scale = rsqrtf(variance + 1e-5f);
    for (int j = threadIdx.x; j < columns; j += 32)
        out[blockIdx.x * columns + j] = (x[j] - mean) * scale * weight[j] + bias[j];
}

__global__ void layer_norm_backward(float* dx, const float* dy, const float* x, const float* weight, const float* mean,
                                    const float* scale, int rows, int columns) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float m = mean[row], s = scale[row];
    float a = 0, b = 0;
    for (int j = lane; j < columns; j += 32) {
        const float g = weight[j] * dy[row * columns + j];
        a += g;
        b += g * (x[row * columns + j] - m) * s;
    }
    a = warp_sum(a) / columns;
    b = warp_sum(b) / columns;
    for (int j = lane; j < columns; j += 32) {
        const float g = weight[j] * dy[row * columns + j];
        dx[row * columns + j] += (g - a - (x[row * columns + j] - m) * s * b) * s;
    }
}

__global__ void rms_norm(half* out, const half* in, const half* weight, int columns) {
    __shared__ float parts[4];
    float sum = 0;
    for (int j = threadIdx.x; j < columns; j += 128) {
        const float v = __half2float(in[blockIdx.x * columns + j]);
        sum += v * v;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    const float scale = rsqrtf((parts[0] + parts[1] + parts[2] + parts[3]) / columns + 1e-6f);
    for (int j = threadIdx.x; j < columns; j += 128)
        out[blockIdx.x * columns + j] = __float2half(__half2float(in[blockIdx.x * columns + j]) * scale) * weight[j];
}

__global__ void batch_norm(float* out, const float* in, const float* mean, const float* variance, const float* weight,
                           const float* bias, int channels, int plane) {
    const int c = blockIdx.y % channels;
    const float scale = weight[c] * rsqrtf(variance[c] + 1e-5f), shift = bias[c] - mean[c] * scale;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < plane; i += gridDim.x * blockDim.x)
        out[blockIdx.y * plane + i] = in[blockIdx.y * plane + i] * scale + shift;
}

__global__ void matmul_bias_gelu(float* out, const float* x, const float* w, const float* bias, int m, int n, int depth) {
    __shared__ float tx[16][17], tw[16][17];
    const int a = threadIdx.x, b = threadIdx.y, column = blockIdx.x * 16 + a, row = blockIdx.y * 16 + b;
    float sum = 0;
    for (int k = 0; k < depth; k += 16) {
        tx[b][a] = row < m ? x[row * depth + k + a] : 0;
        tw[b][a] = blockIdx.x * 16 + b < n ? w[(blockIdx.x * 16 + b) * depth + k + a] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) sum = fmaf(tx[b][i], tw[a][i], sum);
        __syncthreads();
    }
    if (row < m && column < n) {
        const float v = sum + bias[column];
        out[row * n + column] = v * normcdff(v);
    }
}

__global__ void conv_direct(float* out, const float* in, const float* weight, int channels, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {
                const int u = x + i, v = y + j;
                if (u >= 0 && v >= 0 && u < width && v < height)
                    sum += in[(c * height + v) * width + u] * weight[((o * channels + c) * 3 + j + 1) * 3 + i + 1];
            }
    out[(o * height + y) * width + x] = sum;
}

__global__ void conv_depthwise(float* out, const float* in, const float* weight, int width, int height, int size) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
    if (x >= width) return;
    float sum = 0;
    for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) {
            const int u = x + i - size / 2, v = y + j - size / 2;
            if (u < 0 || v < 0 || u >= width || v >= height) continue;
            sum += in[(c * height + v) * width + u] * weight[(c * size + j) * size + i];
        }
    out[(c * height + y) * width + x] = sum;
}

__global__ void image_to_columns(float* columns, const float* in, int n, int width, int height, int size, int out_width, int out_height) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = i % out_width, y = i / out_width % out_height, c = i / out_width / out_height;
    float* to = columns + (c * size * size * out_height + y) * out_width + x;
    for (int k = 0; k < size; ++k)
        for (int l = 0; l < size; ++l) {
            const int v = y + k - 1, u = x + l - 1;
            *to = v >= 0 && u >= 0 && v < height && u < width ? in[(c * height + v) * width + u] : 0;
            to += out_width * out_height;
        }
}

__global__ void max_pool(float* out, const float* in, int n, int width, int height, int size, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int out_width = (width - size) / stride + 1, out_height = (height - size) / stride + 1;
    const int x = i % out_width * stride, y = i / out_width % out_height * stride, c = i / (out_width * out_height);
    float high = -3e38f;
    for (int k = 0; k < size; ++k)
        for (int l = 0; l < size; ++l) high = fmaxf(high, in[(c * height + y + k) * width + x + l]);
    out[i] = high;
}

__global__ void average_pool_2x2(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float2* p = (const float2*)(in + blockIdx.z * 4 * width * height);
    const float2 a = p[2 * y * width + x], b = p[(2 * y + 1) * width + x];
    out[(blockIdx.z * height + y) * width + x] = 0.25f * (a.x + a.y + b.x + b.y);
}

__global__ void attention_scores(float* scores, const float* query, const float* key, int length, int depth) {
    const int t2 = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
    if (t2 >= length) return;
    if (t2 > t) {
        scores[t * length + t2] = -INFINITY;
        return;
    }
    float sum = 0;
    for (int i = 0; i < depth; ++i) sum += query[t * depth + i] * key[t2 * depth + i];
    scores[t * length + t2] = sum * rsqrtf(depth);
}

__global__ void attention_flash(float* out, const float* query, const float* key, const float* value, int length) {
    __shared__ float k[32][64], v[32][64];
    const int row = blockIdx.x * 32 + threadIdx.x;
    float q[64], o[64] = {}, high = -1e30f, sum = 0;
    for (int d = 0; d < 64; ++d) q[d] = query[row * 64 + d];
    for (int begin = 0; begin < length; begin += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * 64; i += 32) {
            k[i / 64][i % 64] = key[begin * 64 + i];
            v[i / 64][i % 64] = value[begin * 64 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 64; ++d) s += q[d] * k[j][d];
            const float next = fmaxf(high, s), scale = __expf(high - next), p = __expf(s - next);
            sum = sum * scale + p;
#pragma unroll
            for (int d = 0; d < 64; ++d) o[d] = o[d] * scale + p * v[j][d];
            high = next;
        }
    }
    for (int d = 0; d < 64; ++d) out[row * 64 + d] = o[d] / sum;
}

__global__ void attention_decode(float* out, const float* query, const float* keys, const float* values, int length) {
    extern __shared__ float scores[];
    __shared__ float total;
    const int head = blockIdx.x, t = threadIdx.x, lane = t % 32;
    for (int j = t / 32; j < length; j += 4) {
        float sum = 0;
        for (int d = lane; d < 128; d += 32) sum += query[head * 128 + d] * keys[(head * length + j) * 128 + d];
        sum = warp_sum(sum);
        if (lane == 0) scores[j] = expf(sum * 0.088388f);
    }
    __syncthreads();
    if (t < 32) {
        float sum = 0;
        for (int j = lane; j < length; j += 32) sum += scores[j];
        sum = warp_sum(sum);
        if (lane == 0) total = sum;
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < length; ++j) sum += scores[j] * values[(head * length + j) * 128 + t];
    out[head * 128 + t] = sum / total;
}

__global__ void rotary_embedding(float* x, int heads, int depth, int position) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= heads * depth / 2) return;
    const int head = i / (depth / 2), d = i % (depth / 2);
    const float angle = position * powf(10000.f, -2.f * d / depth);
    float s, c;
    sincosf(angle, &s, &c);
    float* p = x + head * depth + 2 * d;
    const float a = p[0], b = p[1];
    p[0] = a * c - b * s;
    p[1] = a * s + b * c;
}

__global__ void embedding(float* out, const int* tokens, const float* table, const float* positions, int width, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * length) return;
    const int t = i / width, c = i % width;
    out[i] = table[tokens[t] * width + c] + positions[t * width + c];
}

__global__ void embedding_gradient(float* table, const float* gradient, const int* tokens, int width, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * length) atomicAdd(&table[tokens[i / width] * width + i % width], gradient[i]);
}

__global__ void cross_entropy(float* losses, const float* probabilities, const int* targets, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) losses[i] = -logf(probabilities[i * columns + targets[i]]);
}

__global__ void adam_step(float* w, const float* g, float* m, float* v, int n, float rate, float b1, float b2, float c1, float c2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float gradient = g[i];
    const float first = m[i] = b1 * m[i] + (1 - b1) * gradient, second = v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
    w[i] -= rate * (first / c1) / (sqrtf(second / c2) + 1e-8f);
}

__global__ void dropout(float* out, const float* in, unsigned seed, float keep, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 0x9e3779b9u ^ seed;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    out[i] = h * 2.3283064e-10f < keep ? in[i] / keep : 0.f;
}

__global__ void split_heads(float* out, const float* in, int length, int heads, int depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length * heads * depth) return;
    const int d = i % depth, h = i / depth % heads, t = i / (depth * heads);
    out[(h * length + t) * depth + d] = in[i];
}

__global__ void argmax_rows(int* out, const float* in, int columns) {
    const int row = blockIdx.x, lane = threadIdx.x;
    float best = -3e38f;
    int at = 0;
    for (int j = lane; j < columns; j += 32)
        if (in[row * columns + j] > best) {
            best = in[row * columns + j];
            at = j;
        }
    for (int offset = 16; offset > 0; offset >>= 1) {
        const float other = __shfl_down_sync(~0u, best, offset);
        const int place = __shfl_down_sync(~0u, at, offset);
        if (other > best) {
            best = other;
            at = place;
        }
    }
    if (lane == 0) out[row] = at;
}

__global__ void top_four(float* out, const float* in, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float best[4] = {-3e38f, -3e38f, -3e38f, -3e38f};
    for (int j = 0; j < columns; ++j) {
        float v = in[row * columns + j];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (v > best[k]) {
                const float kept = best[k];
                best[k] = v;
                v = kept;
            }
    }
    for (int k = 0; k < 4; ++k) out[row * 4 + k] = best[k];
}

__global__ void quantise(signed char* out, float* scales, const float* in, int columns) {
    const int row = blockIdx.x;
    float high = 0;
    for (int j = threadIdx.x; j < columns; j += 32) high = fmaxf(high, fabsf(in[row * columns + j]));
    high = warp_max(high);
    const float scale = 127.f / high;
    for (int j = threadIdx.x; j < columns; j += 32) out[row * columns + j] = (signed char)__float2int_rn(in[row * columns + j] * scale);
    if (threadIdx.x == 0) scales[row] = high / 127.f;
}

__global__ void matmul_bytes(int* out, const int* a, const int* b, int n, int quads) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= n) return;
    int sum = 0;
    for (int k = 0; k < quads; ++k) sum = __dp4a(a[row * quads + k], b[column * quads + k], sum);
    out[row * n + column] = sum;
}

__global__ void dequantise_block(half* out, const unsigned* packed, const half* scales, int groups) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    const half scale = scales[g];
    for (int w = 0; w < 4; ++w) {
        const unsigned bits = packed[g * 4 + w];
        for (int k = 0; k < 8; ++k) out[g * 32 + w * 8 + k] = __hmul(__int2half_rn(int((bits >> (4 * k)) & 15) - 8), scale);
    }
}

__global__ void upsample_nearest(float* out, const float* in, int width, int height, int factor) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width * factor || y >= height * factor) return;
    out[(blockIdx.z * height * factor + y) * width * factor + x] = in[(blockIdx.z * height + y / factor) * width + x / factor];
}

__global__ void overlap_masks(unsigned long long* masks, const float4* boxes, int n, float limit) {
    __shared__ float4 block[64];
    const int rows = min(n - (int)blockIdx.y * 64, 64), columns = min(n - (int)blockIdx.x * 64, 64);
    if (threadIdx.x < columns) block[threadIdx.x] = boxes[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= rows) return;
    const float4 own = boxes[blockIdx.y * 64 + threadIdx.x];
    const float own_area = (own.z - own.x) * (own.w - own.y);
    unsigned long long bits = 0;
    for (int i = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0; i < columns; ++i) {
        const float4 b = block[i];
        const float w = fmaxf(fminf(own.z, b.z) - fmaxf(own.x, b.x), 0.f), h = fmaxf(fminf(own.w, b.w) - fmaxf(own.y, b.y), 0.f);
        const float shared = w * h;
        if (shared > limit * (own_area + (b.z - b.x) * (b.w - b.y) - shared)) bits |= 1ull << i;
    }
    masks[(blockIdx.y * 64 + threadIdx.x) * gridDim.x + blockIdx.x] = bits;
}

__global__ void lstm_cell(float* hidden, float* cell, const float* gates, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto sigmoid = [](float x) { return 1.f / (1.f + __expf(-x)); };
    const float in = sigmoid(gates[i]), forget = sigmoid(gates[n + i]), out = sigmoid(gates[3 * n + i]);
    const float c = cell[i] = forget * cell[i] + in * tanhf(gates[2 * n + i]);
    hidden[i] = out * tanhf(c);
}

__global__ void back_propagate(float* weights, const float* delta, const float* inputs, float* momentum, int outputs) {
    const int column = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const int i = (row + 1) * (outputs + 1) + column + 1;
    const float step = 0.3f * delta[column + 1] * inputs[row + 1] + 0.3f * momentum[i];
    weights[i] += step;
    momentum[i] = step;
}
}
