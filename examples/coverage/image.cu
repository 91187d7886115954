// Images.

__constant__ float gauss[25];
__constant__ unsigned char gamma_table[256];

extern "C" {

__global__ void grayscale(unsigned char* out, const uchar3* in, int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const uchar3 p = in[i];
    out[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void resize_bilinear(float* out, const float* in, int width, int height, int in_width, int in_height, float sx, float sy) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float fx = x * sx, fy = y * sy;
    const int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, in_width - 1), y1 = min(y0 + 1, in_height - 1);
    const float ax = fx - x0, ay = fy - y0;
    const float top = in[y0 * in_width + x0] * (1 - ax) + in[y0 * in_width + x1] * ax;
    const float bottom = in[y1 * in_width + x0] * (1 - ax) + in[y1 * in_width + x1] * ax;
    out[y * width + x] = top * (1 - ay) + bottom * ay;
}

__global__ void gaussian_5x5(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i) {
            const int cx = min(max(x + i, 0), width - 1), cy = min(max(y + j, 0), height - 1);
            sum += gauss[(j + 2) * 5 + i + 2] * in[cy * width + cx];
        }
    out[y * width + x] = sum;
}

__global__ void sobel_shared(unsigned char* out, const unsigned char* in, int width, int height) {
    __shared__ unsigned char tile[18][34];
    const int bx = blockIdx.x * 32, by = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 18 * 34; i += 512) {
        const int x = min(max(bx + i % 34 - 1, 0), width - 1), y = min(max(by + i / 34 - 1, 0), height - 1);
        tile[i / 34][i % 34] = in[y * width + x];
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int gx = tile[y - 1][x + 1] + 2 * tile[y][x + 1] + tile[y + 1][x + 1] - tile[y - 1][x - 1] - 2 * tile[y][x - 1] - tile[y + 1][x - 1];
    const int gy = tile[y + 1][x - 1] + 2 * tile[y + 1][x] + tile[y + 1][x + 1] - tile[y - 1][x - 1] - 2 * tile[y - 1][x] - tile[y - 1][x + 1];
    if (bx + x - 1 < width && by + y - 1 < height) out[(by + y - 1) * width + bx + x - 1] = min(abs(gx) + abs(gy), 255);
}

__global__ void median_3x3(unsigned char* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1) return;
    int v[9];
    for (int i = 0; i < 9; ++i) v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
#pragma unroll
    for (int i = 0; i < 5; ++i)
#pragma unroll
        for (int j = i + 1; j < 9; ++j) {
            const int low = min(v[i], v[j]);
            v[j] = max(v[i], v[j]);
            v[i] = low;
        }
    out[y * width + x] = v[4];
}

__global__ void bilateral(float* out, const float* in, int width, int height, int radius, float sigma) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float centre = in[y * width + x];
    float sum = 0, weights = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i) {
            const float v = in[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)];
            const float d = v - centre, w = __expf(-(i * i + j * j) * 0.05f - d * d * sigma);
            sum += w * v;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}

__global__ void box_columns(float* out, const float* in, int width, int height, int radius) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    const float scale = 1.f / (2 * radius + 1);
    float sum = in[x] * radius;
    for (int y = 0; y <= radius; ++y) sum += in[y * width + x];
    out[x] = sum * scale;
    for (int y = 1; y < height; ++y) {
        sum += in[min(y + radius, height - 1) * width + x] - in[max(y - radius - 1, 0) * width + x];
        out[y * width + x] = sum * scale;
    }
}

__global__ void erode(unsigned char* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char low = 255;
    for (int j = max(y - 1, 0); j <= min(y + 1, height - 1); ++j) // warpbound: loop max 3
        for (int i = max(x - 1, 0); i <= min(x + 1, width - 1); ++i) low = min(low, in[j * width + i]);
    out[y * width + x] = low;
}

__global__ void nv12_to_rgb(uchar4* out, const unsigned char* luma, const uchar2* chroma, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float l = 1.164f * (luma[y * width + x] - 16.f);
    const uchar2 c = chroma[(y / 2) * (width / 2) + x / 2];
    const float u = c.x - 128.f, v = c.y - 128.f;
    const auto clamp = [](float f) { return (unsigned char)fminf(fmaxf(f, 0.f), 255.f); };
    out[y * width + x] = make_uchar4(clamp(l + 1.596f * v), clamp(l - 0.391f * u - 0.813f * v), clamp(l + 2.018f * u), 255);
}

__global__ void gamma_correct(uchar4* image, int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    uchar4 p = image[i];
    p.x = gamma_table[p.x];
    p.y = gamma_table[p.y];
    p.z = gamma_table[p.z];
    image[i] = p;
}

__global__ void edge_suppression(float* out, const float* magnitude, const float* angle, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1) return;
    const int i = y * width + x;
    int step;
    switch ((int)(angle[i] * 1.2732f + 0.5f) & 3) {
    case 0: step = 1; break;
    case 1: step = width + 1; break;
    case 2: step = width; break;
    default: step = width - 1; break;
    }
    const float m = magnitude[i];
    out[i] = m >= magnitude[i + step] && m >= magnitude[i - step] ? m : 0;
}

__global__ void integral_rows(unsigned* out, const unsigned char* in, int width) {
    __shared__ unsigned row[256];
    unsigned carry = 0;
    for (int begin = 0; begin < width; begin += 256) {
        const int x = begin + threadIdx.x;
        row[threadIdx.x] = x < width ? in[blockIdx.x * width + x] : 0;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            const unsigned add = threadIdx.x >= d ? row[threadIdx.x - d] : 0;
            __syncthreads();
            row[threadIdx.x] += add;
            __syncthreads();
        }
        if (x < width) out[blockIdx.x * width + x] = row[threadIdx.x] + carry;
        carry += row[255];
        __syncthreads();
    }
}

__global__ void rotate_nearest(uchar4* out, const uchar4* in, int width, int height, float s, float c) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float cx = x - width * 0.5f, cy = y - height * 0.5f;
    const int u = __float2int_rn(c * cx + s * cy + width * 0.5f), v = __float2int_rn(c * cy - s * cx + height * 0.5f);
    out[y * width + x] = u >= 0 && v >= 0 && u < width && v < height ? in[v * width + u] : make_uchar4(0, 0, 0, 0);
}

__global__ void blend(uchar4* out, const uchar4* a, const uchar4* b, int pixels, int alpha) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const uchar4 p = a[i], q = b[i];
        out[i] = make_uchar4((p.x * alpha + q.x * (256 - alpha)) >> 8, (p.y * alpha + q.y * (256 - alpha)) >> 8,
                             (p.z * alpha + q.z * (256 - alpha)) >> 8, p.w);
    }
}

__global__ void flip_rows(float* image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width / 2) {
        const float kept = image[y * width + x];
        image[y * width + x] = image[y * width + width - 1 - x];
        image[y * width + width - 1 - x] = kept;
    }
}

__global__ void undistort(float* out, const float* in, int width, int height, float k1, float k2) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (2.f * x - width) / width, v = (2.f * y - height) / height, r = u * u + v * v;
    const float f = 1 + r * (k1 + r * k2);
    const int sx = (int)((u * f + 1) * width * 0.5f), sy = (int)((v * f + 1) * height * 0.5f);
    float value = 0;
    if (sx >= 0 && sy >= 0 && sx < width && sy < height) value = in[sy * width + sx];
    out[y * width + x] = value;
}

__global__ void census(unsigned* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= width - 2 || y >= height - 2) return;
    const unsigned char centre = in[y * width + x];
    unsigned bits = 0;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i) bits = bits * 2 + (in[(y + j) * width + x + i] < centre);
    out[y * width + x] = bits;
}

__global__ void stereo_aggregate(unsigned short* cost, const unsigned char* match, int width, int disparities, int p1, int p2) {
    __shared__ int line[2][128];
    __shared__ int lowest[4];
    const int d = threadIdx.x;
    int now = 0;
    line[0][d] = 0;
    __syncthreads();
    for (int x = 0; x < width; ++x) {
        int least = line[now][d];
        for (int m = 16; m; m >>= 1) least = min(least, __shfl_xor_sync(~0u, least, m));
        if (d % 32 == 0) lowest[d / 32] = least;
        __syncthreads();
        least = min(min(lowest[0], lowest[1]), min(lowest[2], lowest[3]));
        int best = min(line[now][d], least + p2);
        if (d > 0) best = min(best, line[now][d - 1] + p1);
        if (d < disparities - 1) best = min(best, line[now][d + 1] + p1);
        const int i = (blockIdx.x * width + x) * disparities + d;
        const int sum = match[i] + best - least;
        cost[i] = sum;
        line[1 - now][d] = sum;
        now = 1 - now;
        __syncthreads();
    }
}

__global__ void hough_lines(int* votes, const unsigned char* edges, int width, int height, int angles) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || edges[y * width + x] == 0) return;
    for (int a = 0; a < angles; ++a) {
        float s, c;
        __sincosf(a * 3.14159265f / angles, &s, &c);
        const int r = (int)(x * c + y * s) + width + height;
        atomicAdd(&votes[a * 2 * (width + height) + r], 1);
    }
}

__global__ void block_matching(int* best, const unsigned char* left, const unsigned char* right, int width, int height, int range) {
    const int x = blockIdx.x * 8, y = blockIdx.y * 8, t = threadIdx.x;
    __shared__ int sums[64];
    int lowest = 1 << 30, at = 0;
    for (int d = 0; d < range; ++d) {
        const int px = x + t % 8, py = y + t / 8;
        sums[t] = abs(left[py * width + px] - right[py * width + max(px - d, 0)]);
        __syncthreads();
        for (int s = 32; s > 0; s >>= 1) {
            if (t < s) sums[t] += sums[t + s];
            __syncthreads();
        }
        if (sums[0] < lowest) {
            lowest = sums[0];
            at = d;
        }
        __syncthreads();
    }
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = at;
}

__global__ void flood_labels(int* labels, const unsigned char* mask, int* changed, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || !mask[y * width + x]) return;
    const int i = y * width + x;
    int label = labels[i];
    if (x > 0 && mask[i - 1]) label = min(label, labels[i - 1]);
    if (x < width - 1 && mask[i + 1]) label = min(label, labels[i + 1]);
    if (y > 0 && mask[i - width]) label = min(label, labels[i - width]);
    if (y < height - 1 && mask[i + width]) label = min(label, labels[i + width]);
    if (label < labels[i]) {
        labels[i] = label;
        *changed = 1;
    }
}
}
