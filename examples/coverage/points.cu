// Point clouds.

extern "C" {

__global__ void transform_points(float4* points, const float* m, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    points[i] = make_float4(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
                            m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11], p.w);
}

__global__ void voxel_count(int* counts, const float4* points, int n, float size, int nx, int ny, int nz) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    const int x = __float2int_rd(p.x / size), y = __float2int_rd(p.y / size), z = __float2int_rd(p.z / size);
    if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) return;
    atomicAdd(&counts[(z * ny + y) * nx + x], 1);
}

__global__ void voxel_hash_insert(unsigned long long* keys, int* values, const int4* voxels, int n, unsigned mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int4 v = voxels[i];
    const unsigned long long key = ((unsigned long long)(unsigned)v.x << 42) | ((unsigned long long)(unsigned)v.y << 21) | (unsigned)v.z;
    unsigned slot = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 32) & mask;
    for (int probe = 0; probe < 64; ++probe) {
        const unsigned long long old = atomicCAS(&keys[slot], ~0ull, key);
        if (old == ~0ull || old == key) {
            values[slot] = i;
            return;
        }
        slot = (slot + 1) & mask;
    }
}

__global__ void pillar_scatter(float* canvas, const float* features, const int2* coordinates, int pillars, int nx, int ny) {
    const int pillar = blockIdx.x, channel = threadIdx.x;
    if (pillar >= pillars) return;
    const int2 c = coordinates[pillar];
    canvas[(channel * ny + c.y) * nx + c.x] = features[pillar * 64 + channel];
}

__global__ void pillar_features(float* out, const float4* points, const int* counts, int pillars) {
    const int pillar = blockIdx.x * 4 + threadIdx.x / 32, k = threadIdx.x % 32;
    if (pillar >= pillars) return;
    const int count = counts[pillar];
    float4 p = k < count ? points[pillar * 32 + k] : make_float4(0, 0, 0, 0);
    float x = p.x, y = p.y, z = p.z;
    for (int m = 16; m; m /= 2) {
        x += __shfl_xor_sync(~0u, x, m);
        y += __shfl_xor_sync(~0u, y, m);
        z += __shfl_xor_sync(~0u, z, m);
    }
    if (k < count) {
        float* to = out + (pillar * 32 + k) * 7;
        to[0] = p.x; to[1] = p.y; to[2] = p.z; to[3] = p.w;
        to[4] = p.x - x / count; to[5] = p.y - y / count; to[6] = p.z - z / count;
    }
}

__global__ void nearest_neighbour(int* index, const float3* queries, const float3* points, int nq, int np) {
    __shared__ float3 tile[128];
    const int q = blockIdx.x * 128 + threadIdx.x;
    const float3 own = q < nq ? queries[q] : make_float3(0, 0, 0);
    float best = 3e38f;
    int at = -1;
    for (int begin = 0; begin < np; begin += 128) {
        if (begin + threadIdx.x < np) tile[threadIdx.x] = points[begin + threadIdx.x];
        __syncthreads();
        const int count = min(128, np - begin);
        for (int j = 0; j < count; ++j) {
            const float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            const float d = dx * dx + dy * dy + dz * dz;
            if (d < best) {
                best = d;
                at = begin + j;
            }
        }
        __syncthreads();
    }
    if (q < nq) index[q] = at;
}

__global__ void ball_query(int* found, const float* centres, const float* points, int m, int n, int wanted, float radius) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m) return;
    const float x = centres[3 * c], y = centres[3 * c + 1], z = centres[3 * c + 2];
    int count = 0;
    for (int i = 0; i < n && count < wanted; ++i) {
        const float dx = points[3 * i] - x, dy = points[3 * i + 1] - y, dz = points[3 * i + 2] - z;
        if (dx * dx + dy * dy + dz * dz < radius * radius) found[c * wanted + count++] = i;
    }
}

__global__ void farthest_points(int* chosen, float* distance, const float* points, int n, int wanted) {
    __shared__ float best[256];
    __shared__ int at[256];
    const int t = threadIdx.x;
    int last = 0;
    for (int j = 1; j < wanted; ++j) {
        const float x = points[3 * last], y = points[3 * last + 1], z = points[3 * last + 2];
        float high = -1;
        int place = 0;
        for (int i = t; i < n; i += 256) {
            const float dx = points[3 * i] - x, dy = points[3 * i + 1] - y, dz = points[3 * i + 2] - z;
            const float d = fminf(dx * dx + dy * dy + dz * dz, distance[i]);
            distance[i] = d;
            if (d > high) {
                high = d;
                place = i;
            }
        }
        best[t] = high;
        at[t] = place;
        __syncthreads();
        for (int s = 128; s > 0; s >>= 1) {
            if (t < s && best[t + s] > best[t]) {
                best[t] = best[t + s];
                at[t] = at[t + s];
            }
            __syncthreads();
        }
        last = at[0];
        if (t == 0) chosen[j] = last;
        __syncthreads();
    }
}

__global__ void estimate_normals(float3* normals, const float3* points, const int* neighbours, int n, int k) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sx = 0, sy = 0, sz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (int j = 0; j < k; ++j) {
        const float3 p = points[neighbours[i * k + j]];
        sx += p.x; sy += p.y; sz += p.z;
        xx += p.x * p.x; xy += p.x * p.y; xz += p.x * p.z; yy += p.y * p.y; yz += p.y * p.z; zz += p.z * p.z;
    }
    const float f = 1.f / k;
    xx = xx * f - sx * sx * f * f; xy = xy * f - sx * sy * f * f; xz = xz * f - sx * sz * f * f;
    yy = yy * f - sy * sy * f * f; yz = yz * f - sy * sz * f * f; zz = zz * f - sz * sz * f * f;
    float3 v = make_float3(1, 1, 1);
    const float trace = xx + yy + zz;
    for (int step = 0; step < 10; ++step) {
        const float3 w = make_float3((trace - xx) * v.x - xy * v.y - xz * v.z, (trace - yy) * v.y - xy * v.x - yz * v.z,
                                     (trace - zz) * v.z - xz * v.x - yz * v.y);
        const float scale = rsqrtf(w.x * w.x + w.y * w.y + w.z * w.z);
        v = make_float3(w.x * scale, w.y * scale, w.z * scale);
    }
    normals[i] = v;
}

__global__ void range_image(unsigned* image, const float4* points, int n, int width, int height) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    const float range = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
    const int u = (int)((atan2f(p.y, p.x) * 0.15915494f + 0.5f) * width), v = (int)((0.5f - asinf(p.z / range)) * height);
    if (u >= 0 && u < width && v >= 0 && v < height) atomicMin(&image[v * width + u], __float_as_uint(range));
}

__global__ void ground_labels(unsigned char* labels, const float* heights, int columns, int rings, float limit) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float previous = 0;
    bool ground = true;
    for (int r = 0; r < rings; ++r) {
        const float h = heights[r * columns + c];
        if (fabsf(h - previous) > limit) ground = !ground && h < limit;
        labels[r * columns + c] = ground;
        previous = h;
    }
}

__global__ void kd_tree_search(int* nearest, const float3* queries, const float4* nodes, int n, int count) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= n) return;
    const float3 p = queries[q];
    int stack[24], top = 0, found = -1;
    float best = 3e38f;
    stack[top++] = 0;
    while (top > 0) { // warpbound: loop max 200
        const int i = stack[--top];
        if (i >= count) continue;
        const float4 node = nodes[i];
        const float dx = p.x - node.x, dy = p.y - node.y, dz = p.z - node.z, d = dx * dx + dy * dy + dz * dz;
        if (d < best) {
            best = d;
            found = i;
        }
        const int axis = (int)node.w;
        const float side = axis == 0 ? dx : axis == 1 ? dy : dz;
        const int near = 2 * i + (side < 0 ? 1 : 2), far = 2 * i + (side < 0 ? 2 : 1);
        if (side * side < best && top < 23) stack[top++] = far;
        stack[top++] = near;
    }
    nearest[q] = found;
}

__global__ void icp_accumulate(float* sums, const float3* source, const float3* target, const int* match, int n) {
    __shared__ float parts[6];
    if (threadIdx.x < 6) parts[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && match[i] >= 0) {
        const float3 a = source[i], b = target[match[i]];
        atomicAdd(&parts[0], a.x); atomicAdd(&parts[1], a.y); atomicAdd(&parts[2], a.z);
        atomicAdd(&parts[3], b.x); atomicAdd(&parts[4], b.y); atomicAdd(&parts[5], b.z);
    }
    __syncthreads();
    if (threadIdx.x < 6) atomicAdd(&sums[threadIdx.x], parts[threadIdx.x]);
}

__global__ void morton_codes(unsigned* codes, const float3* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto spread = [](unsigned v) {
        v = (v * 0x00010001u) & 0xff0000ffu;
        v = (v * 0x00000101u) & 0x0f00f00fu;
        v = (v * 0x00000011u) & 0xc30c30c3u;
        return (v * 0x00000005u) & 0x49249249u;
    };
    const float3 p = points[i];
    codes[i] = spread((unsigned)(p.x * 1023)) * 4 + spread((unsigned)(p.y * 1023)) * 2 + spread((unsigned)(p.z * 1023));
}

__global__ void decode_boxes(float* boxes, const float* scores, const float* offsets, int* count, int cells, float limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const float score = 1.f / (1.f + __expf(-scores[i]));
    if (score < limit) return;
    const int slot = atomicAdd(count, 1);
    for (int k = 0; k < 7; ++k) boxes[slot * 8 + k] = k < 3 ? offsets[i * 7 + k] : __expf(offsets[i * 7 + k]);
    boxes[slot * 8 + 7] = score;
}
}
