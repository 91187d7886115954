// Small kernels, each with another part of AMD's instruction sets. They need no device library: numbers of work-items and
// of work-groups come from the compiler's own functions. How they are compiled: README.md beside this file.

#define LANE __builtin_amdgcn_workitem_id_x()
#define ROW __builtin_amdgcn_workitem_id_y()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define GLOBAL(size) (GROUP * (size) + LANE)
#define SYNC() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \
                    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)

typedef unsigned int u32;
typedef unsigned long u64;

kernel void copy(global const float* in, global float* out) { out[GLOBAL(256)] = in[GLOBAL(256)]; }

kernel void copy_wide(global const float4* in, global float4* out) { out[GLOBAL(256)] = in[GLOBAL(256)]; }

kernel void copy_bytes(global const uchar* in, global uchar* out, int n) {
    int i = GLOBAL(256);
    if (i < n) out[i] = in[i] ^ 0x5a;
}

kernel void copy_shorts(global const short* in, global int* out) { out[GLOBAL(256)] = in[GLOBAL(256)]; }

kernel void saxpy(float a, global const float* x, global float* y, int n) {
    int i = GLOBAL(256);
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void grid_stride(global const float* x, global float* y, int n, int stride) {
    for (int i = GLOBAL(256); i < n; i += stride) y[i] = x[i] * x[i];
}

kernel void transpose(global const float* in, global float* out, int width) {
    local float tile[16][17];
    int x = GROUP * 16 + LANE, y = GROUP_Y * 16 + ROW;
    tile[ROW][LANE] = in[y * width + x];
    SYNC();
    x = GROUP_Y * 16 + LANE;
    y = GROUP * 16 + ROW;
    out[y * width + x] = tile[LANE][ROW];
}

kernel void matrix_product(global const float* a, global const float* b, global float* c, int n) {
    local float ta[16][16], tb[16][16];
    int row = GROUP_Y * 16 + ROW, column = GROUP * 16 + LANE;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[ROW][LANE] = a[row * n + k + LANE];
        tb[ROW][LANE] = b[(k + ROW) * n + column];
        SYNC();
        for (int j = 0; j < 16; ++j) sum += ta[ROW][j] * tb[j][LANE];
        SYNC();
    }
    c[row * n + column] = sum;
}

kernel void matrix_vector(global const float* a, global const float* x, global float* y, int n) {
    int row = GLOBAL(64);
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
    y[row] = sum;
}

kernel void reduce_sum(global const float* in, global float* out) {
    local float partial[256];
    partial[LANE] = in[GLOBAL(256)];
    for (u32 step = 128; step > 0; step /= 2) {
        SYNC();
        if (LANE < step) partial[LANE] += partial[LANE + step];
    }
    if (LANE == 0) out[GROUP] = partial[0];
}

kernel void scan(global const int* in, global int* out) {
    local int values[2][256];
    int from = 0;
    values[0][LANE] = in[GLOBAL(256)];
    for (u32 step = 1; step < 256; step *= 2) {
        SYNC();
        int value = values[from][LANE];
        if (LANE >= step) value += values[from][LANE - step];
        values[1 - from][LANE] = value;
        from = 1 - from;
    }
    out[GLOBAL(256)] = values[from][LANE];
}

kernel void convolution(global const float* in, constant float* taps, global float* out, int n) {
    int i = GLOBAL(256);
    float sum = 0;
    for (int k = -4; k <= 4; ++k) {
        int at = i + k;
        if (at >= 0 && at < n) sum += in[at] * taps[k + 4];
    }
    out[i] = sum;
}

kernel void stencil(global const float* in, global float* out, int width, int height) {
    int x = GROUP * 16 + LANE, y = GROUP_Y * 16 + ROW;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int i = y * width + x;
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

kernel void divergent_sides(global const int* in, global int* out) {
    int value = in[GLOBAL(64)];
    if (value & 1) value = value * 3 + 1;
    else value /= 2;
    out[GLOBAL(64)] = value;
}

kernel void divergent_nest(global const int* in, global int* out) {
    int value = in[GLOBAL(64)];
    if (value > 0) {
        if (value > 100) value -= 100;
        else if (value & 2) value ^= 7;
        out[GLOBAL(64)] = value;
    } else if (value < -5) {
        out[GLOBAL(64)] = -value;
    }
}

kernel void collatz(global const u32* in, global u32* out) {
    u32 value = in[GLOBAL(64)], steps = 0;
    while (value > 1 && steps < 1000) {
        value = value & 1 ? 3 * value + 1 : value / 2;
        ++steps;
    }
    out[GLOBAL(64)] = steps;
}

kernel void binary_search(global const int* sorted, global const int* keys, global int* out, int n) {
    int key = keys[GLOBAL(64)], low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    out[GLOBAL(64)] = low;
}

kernel void nested_breaks(global const int* in, global int* out, int n) {
    int found = -1;
    for (int i = 0; i < n && found < 0; ++i)
        for (int j = 0; j < 8; ++j) {
            int value = in[(GLOBAL(64) + i) * 8 + j];
            if (value == 0) break;
            if (value == 42) { found = i * 8 + j; break; }
        }
    out[GLOBAL(64)] = found;
}

kernel void state_machine(global const int* in, global int* out, int n) {
    int state = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        int symbol = in[i];
        switch (state) {
        case 0: state = symbol & 3; break;
        case 1: state = 2; sum += symbol; break;
        case 2: state = symbol > 9 ? 3 : 0; sum ^= symbol; break;
        default: state = 0; sum -= symbol; break;
        }
    }
    out[GLOBAL(64)] = sum;
}

kernel void histogram(global const u32* in, global u32* out) {
    local u32 bins[64];
    if (LANE < 64) bins[LANE] = 0;
    SYNC();
    __sync_fetch_and_add(&bins[in[GLOBAL(256)] & 63], 1);
    SYNC();
    if (LANE < 64) __sync_fetch_and_add(&out[LANE], bins[LANE]);
}

kernel void atomic_maximum(global const int* in, global int* out) { __sync_fetch_and_max(out, in[GLOBAL(64)]); }

kernel void atomic_exchange(global u64* out, u64 expected, u64 wanted) {
    out[GLOBAL(64) + 1] = __sync_val_compare_and_swap(out, expected, wanted);
}

kernel void sparse_product(global const int* rows, global const int* columns, global const float* values,
                           global const float* x, global float* y) {
    int row = GLOBAL(64);
    float sum = 0;
    for (int k = rows[row]; k < rows[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

kernel void gather(global const int* where, global const float* in, global float* out) {
    out[GLOBAL(64)] = in[where[GLOBAL(64)]];
}

kernel void scatter(global const int* where, global const float* in, global float* out) {
    out[where[GLOBAL(64)]] = in[GLOBAL(64)];
}

kernel void polynomial(global const float* in, global float* out) {
    float x = in[GLOBAL(64)];
    out[GLOBAL(64)] = ((((1.5f * x + 2.5f) * x - 3.5f) * x + 4.5f) * x - 5.5f) * x + 0.5f;
}

kernel void special_functions(global const float* in, global float* out) {
    float x = in[GLOBAL(64)];
    out[GLOBAL(64)] = __builtin_amdgcn_sinf(x) + __builtin_amdgcn_rsqf(x) * __builtin_amdgcn_exp2f(x) +
                      __builtin_amdgcn_rcpf(x) - __builtin_amdgcn_sqrtf(x);
}

kernel void divide(global const float* a, global const float* b, global float* out) {
    out[GLOBAL(64)] = a[GLOBAL(64)] / b[GLOBAL(64)];
}

kernel void integer_divide(global const int* a, global const int* b, global int* out) {
    out[GLOBAL(64)] = a[GLOBAL(64)] / b[GLOBAL(64)] + a[GLOBAL(64)] % 10;
}

kernel void long_arithmetic(global const u64* a, global const u64* b, global u64* out) {
    out[GLOBAL(64)] = a[GLOBAL(64)] * b[GLOBAL(64)] + (a[GLOBAL(64)] >> 7) - (b[GLOBAL(64)] << 3);
}

kernel void double_precision(global const double* a, global double* out) {
    double x = a[GLOBAL(64)];
    out[GLOBAL(64)] = x * x + 2.0 * x - 1.0 / x;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_precision(global const half2* a, global const half2* b, global half2* out) {
    out[GLOBAL(64)] = a[GLOBAL(64)] * b[GLOBAL(64)] + a[GLOBAL(64)];
}

kernel void conversions(global const float* in, global int* whole, global double* wide) {
    float x = in[GLOBAL(64)];
    whole[GLOBAL(64)] = (int)x + (u32)(x * 2.0f);
    wide[GLOBAL(64)] = x;
}

kernel void bit_counts(global const u32* in, global u32* out) {
    u32 x = in[GLOBAL(64)];
    out[GLOBAL(64)] = __builtin_popcount(x) + __builtin_clz(x | 1) + __builtin_bitreverse32(x);
}

kernel void bit_fields(global const u32* in, global u32* out) {
    u32 x = in[GLOBAL(64)];
    out[GLOBAL(64)] = ((x >> 5) & 0xff) | ((x & 0xf) << 20) | __builtin_rotateleft32(x, 9);
}

kernel void minimum_maximum(global const int* a, global const float* f, global int* out, global float* fout) {
    int x = a[GLOBAL(64)];
    out[GLOBAL(64)] = x < -100 ? -100 : x > 100 ? 100 : x;
    fout[GLOBAL(64)] = __builtin_fminf(__builtin_fmaxf(f[GLOBAL(64)], 0.0f), 1.0f);
}

kernel void first_lane(global const int* in, global int* out) {
    int x = __builtin_amdgcn_readfirstlane(in[GLOBAL(64)]);
    out[GLOBAL(64)] = x + __builtin_amdgcn_readlane(x, 3);
}

kernel void permute_lanes(global const int* in, global int* out) {
    int x = in[GLOBAL(64)];
    x += __builtin_amdgcn_ds_bpermute((LANE ^ 1) * 4, x);
    x += __builtin_amdgcn_ds_swizzle(x, 0x401f);
    out[GLOBAL(64)] = x;
}

kernel void data_parallel_primitives(global const int* in, global int* out) {
    int x = in[GLOBAL(64)];
    x += __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, true);
    x += __builtin_amdgcn_update_dpp(0, x, 0x112, 0xf, 0xf, true);
    out[GLOBAL(64)] = x;
}

kernel void ballot(global const int* in, global u32* out) {
    out[GLOBAL(64)] = __builtin_popcountl(__builtin_amdgcn_uicmp(in[GLOBAL(64)], 7, 34));
}

kernel void uniform_work(constant int* table, global int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += table[i] * (i + n);
    out[GLOBAL(64)] = sum;
}

kernel void private_array(global const int* in, global int* out, int n) {
    int values[64];
    for (int i = 0; i < 64; ++i) values[i] = in[GLOBAL(64) * 64 + i];
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += values[(sum + i * 7) & 63];
    out[GLOBAL(64)] = sum;
}

kernel void many_registers(global const float4* in, global float4* out) {
    float4 v[16];
    for (int i = 0; i < 16; ++i) v[i] = in[GLOBAL(64) * 16 + i];
    SYNC();
    for (int i = 0; i < 16; ++i) out[GLOBAL(64) * 16 + i] = v[15 - i] * v[i] + v[(i * 5) & 15];
}

kernel void sleep_and_priority(global int* out) {
    __builtin_amdgcn_s_setprio(2);
    __builtin_amdgcn_s_sleep(3);
    out[GLOBAL(64)] = 1;
    __builtin_amdgcn_s_setprio(0);
}

kernel void generic_pointers(global int* out, int which) {
    local int inside[64];
    int* p = which ? (int*)&inside[LANE] : (int*)&out[LANE];
    *p = which;
    SYNC();
    out[GLOBAL(64)] = *p + inside[63 - LANE];
}
