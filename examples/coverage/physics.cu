// Physics.

extern "C" {

__global__ void nbody_tile(float4* acceleration, const float4* bodies, int n) {
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 own = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int begin = 0; begin < n; begin += 128) {
        tile[threadIdx.x] = bodies[begin + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; ++j) {
            const float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f), f = tile[j].w * inverse * inverse * inverse;
            ax += f * dx; ay += f * dy; az += f * dz;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0);
}

__global__ void nbody_plain(float3* acceleration, const float4* bodies, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 own = bodies[i];
    float3 a = make_float3(0, 0, 0);
    for (int j = 0; j < n; ++j) {
        const float4 b = bodies[j];
        const float dx = b.x - own.x, dy = b.y - own.y, dz = b.z - own.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
        const float f = b.w * r * r * r;
        a.x += f * dx; a.y += f * dy; a.z += f * dz;
    }
    acceleration[i] = a;
}

__global__ void lennard_jones_lists(float3* force, const float4* atoms, const int* neighbours, int n, int most, float cutoff) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 own = atoms[i];
    float3 f = make_float3(0, 0, 0);
    for (int k = 0; k < most; ++k) {
        const float4 a = atoms[neighbours[k * n + i]];
        const float dx = own.x - a.x, dy = own.y - a.y, dz = own.z - a.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff) {
            const float inverse = 1.f / r2, r6 = inverse * inverse * inverse, s = inverse * r6 * (1.5f * r6 - 2.f);
            f.x += dx * s; f.y += dy * s; f.z += dz * s;
        }
    }
    force[i] = f;
}

__global__ void cell_forces(float3* force, const float4* particles, const int* cell_starts, int3 cells) {
    __shared__ float4 others[64];
    const int cell = blockIdx.x, cx = cell % cells.x, cy = cell / cells.x % cells.y, cz = cell / (cells.x * cells.y);
    const int begin = cell_starts[cell], own_count = cell_starts[cell + 1] - begin;
    const bool active = threadIdx.x < own_count;
    const float4 own = active ? particles[begin + threadIdx.x] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0, 0, 0);
    for (int k = 0; k < 27; ++k) {
        const int x = cx + k % 3 - 1, y = cy + k / 3 % 3 - 1, z = cz + k / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= cells.x || y >= cells.y || z >= cells.z) continue;
        const int other = (z * cells.y + y) * cells.x + x, from = cell_starts[other], count = min(cell_starts[other + 1] - from, 64);
        __syncthreads();
        if (threadIdx.x < count) others[threadIdx.x] = particles[from + threadIdx.x];
        __syncthreads();
        if (active)
            for (int j = 0; j < count; ++j) { // warpbound: loop max 64
                const float dx = own.x - others[j].x, dy = own.y - others[j].y, dz = own.z - others[j].z;
                const float u = 1.f / (dx * dx + dy * dy + dz * dz + 0.01f);
                f.x += dx * u; f.y += dy * u; f.z += dz * u;
            }
    }
    if (active) force[begin + threadIdx.x] = f;
}

__global__ void particle_density(float* density, const float4* p, int n, float h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    const float4 own = p[i];
    for (int j = 0; j < n; ++j) {
        const float dx = own.x - p[j].x, dy = own.y - p[j].y, dz = own.z - p[j].z, d = h * h - dx * dx - dy * dy - dz * dz;
        if (d > 0) sum += p[j].w * d * d * d;
    }
    density[i] = sum * 315.f / (64.f * 3.14159265f * powf(h, 9.f));
}

__global__ void cloth_forces(float3* force, const float3* position, const float3* velocity, int width, int height, float stiffness) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int dx[8] = {1, -1, 0, 0, 1, 1, -1, -1}, dy[8] = {0, 0, 1, -1, 1, -1, 1, -1};
    const float3 p = position[y * width + x], v = velocity[y * width + x];
    float3 f = make_float3(-0.1f * v.x, -9.81f - 0.1f * v.y, -0.1f * v.z);
    for (int k = 0; k < 8; ++k) {
        const int u = x + dx[k], w = y + dy[k];
        if (u < 0 || w < 0 || u >= width || w >= height) continue;
        const float3 q = position[w * width + u];
        const float ex = q.x - p.x, ey = q.y - p.y, ez = q.z - p.z, length = sqrtf(ex * ex + ey * ey + ez * ez);
        const float s = stiffness * (length - (k < 4 ? 1.f : 1.41421356f)) / length;
        f.x += s * ex; f.y += s * ey; f.z += s * ez;
    }
    force[y * width + x] = f;
}

__global__ void leapfrog(float4* position, float4* velocity, const float4* force, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = velocity[i], p = position[i];
    const float4 f = force[i];
    v.x += f.x * dt; v.y += f.y * dt; v.z += f.z * dt;
    p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
    if (p.y < 0) { p.y = -p.y; v.y *= -0.5f; }
    velocity[i] = v;
    position[i] = p;
}

__global__ void euler_flux(float* flux, const float* state, const int* neighbours, const float* normals, int cells) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const float rho = state[i], mx = state[cells + i], my = state[2 * cells + i], e = state[3 * cells + i];
    const float pressure = 0.4f * (e - 0.5f * (mx * mx + my * my) / rho);
    float sums[4] = {};
    for (int k = 0; k < 4; ++k) {
        const int j = neighbours[k * cells + i];
        const float nx = normals[(2 * k) * cells + i], ny = normals[(2 * k + 1) * cells + i];
        if (j >= 0) {
            const float r = state[j], x = state[cells + j], y = state[2 * cells + j], en = state[3 * cells + j];
            const float p = 0.4f * (en - 0.5f * (x * x + y * y) / r), u = (x * nx + y * ny) / r, w = (mx * nx + my * ny) / rho;
            sums[0] += 0.5f * (r * u + rho * w);
            sums[1] += 0.5f * (x * u + p * nx + mx * w + pressure * nx);
            sums[2] += 0.5f * (y * u + p * ny + my * w + pressure * ny);
            sums[3] += 0.5f * ((en + p) * u + (e + pressure) * w);
        } else if (j == -1) {
            sums[1] += pressure * nx;
            sums[2] += pressure * ny;
        }
    }
    for (int k = 0; k < 4; ++k) flux[k * cells + i] = sums[k];
}

__global__ void mandelbrot(unsigned char* out, int width, int height, float x0, float y0, float step, int most) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float cx = x0 + px * step, cy = y0 + py * step;
    float x = 0, y = 0;
    int i = 0;
    for (; i < most && x * x + y * y < 4.f; ++i) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    out[py * width + px] = i;
}

__global__ void ray_spheres(float3* image, const float4* spheres, int count, int width, int height) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float dx = (px - width * 0.5f) / width, dy = (py - height * 0.5f) / width, dz = 1;
    const float scale = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= scale; dy *= scale; dz *= scale;
    float nearest = 3e38f;
    int hit = -1;
    for (int s = 0; s < count; ++s) {
        const float4 c = spheres[s];
        const float b = c.x * dx + c.y * dy + c.z * dz, d = b * b - (c.x * c.x + c.y * c.y + c.z * c.z) + c.w * c.w;
        if (d < 0) continue;
        const float t = b - sqrtf(d);
        if (t > 0 && t < nearest) {
            nearest = t;
            hit = s;
        }
    }
    const float shade = hit < 0 ? 0.f : 1.f / (1.f + nearest);
    image[py * width + px] = make_float3(shade, shade * 0.5f, hit);
}

__global__ void coulomb_grid(float* grid, const float4* atoms, int count, int nx, float spacing) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float px = x * spacing, py = y * spacing;
    float sum = 0;
    for (int a = 0; a < count; ++a) {
        const float dx = px - atoms[a].x, dy = py - atoms[a].y;
        sum += atoms[a].w * rsqrtf(dx * dx + dy * dy + atoms[a].z);
    }
    grid[y * nx + x] += sum;
}

__global__ void mri_phase(float2* out, const float* x, const float4* k, int samples, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float re = 0, im = 0;
    const float px = x[i];
    for (int s = 0; s < samples; ++s) {
        float sine, cosine;
        sincosf(6.2831853f * k[s].x * px, &sine, &cosine);
        re += k[s].w * cosine;
        im += k[s].w * sine;
    }
    out[i] = make_float2(re, im);
}

__global__ void heart_ode(double* state, int cells, double dt, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    double v = state[i], w = state[cells + i];
    for (int s = 0; s < steps; ++s) {
        const double dv = v * (1.0 - v) * (v - 0.1) - w, dw = 0.01 * (v - 2.5 * w) * exp(-v * v);
        v += dt * dv;
        w += dt * dw;
    }
    state[i] = v;
    state[cells + i] = w;
}
}
