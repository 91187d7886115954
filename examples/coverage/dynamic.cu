// Dynamic programming.

extern "C" {

__global__ void common_subsequence_diagonal(int* table, const char* a, const char* b, int n, int diagonal) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = diagonal - i;
    if (i > n || j < 1 || j > n) return;
    const int w = n + 1;
    table[i * w + j] = a[i - 1] == b[j - 1] ? table[(i - 1) * w + j - 1] + 1 : max(table[(i - 1) * w + j], table[i * w + j - 1]);
}

__global__ void align_tile(int* table, const int* similarity, int width, int penalty, int tile_x, int tile_y) {
    __shared__ int score[17][17], match[16][16];
    const int t = threadIdx.x, base = (tile_y * 16) * width + tile_x * 16;
    for (int y = 0; y < 16; ++y) match[y][t] = similarity[base + (y + 1) * width + t + 1];
    score[t + 1][0] = table[base + (t + 1) * width];
    score[0][t + 1] = table[base + t + 1];
    if (t == 0) score[0][0] = table[base];
    __syncthreads();
    for (int m = 0; m < 16; ++m) {
        if (t <= m) {
            const int x = t + 1, y = m - t + 1;
            score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1], score[y - 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (int m = 14; m >= 0; --m) {
        if (t <= m) {
            const int x = t + 16 - m, y = 16 - t;
            score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1], score[y - 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < 16; ++y) table[base + (y + 1) * width + t + 1] = score[y + 1][t + 1];
}

__global__ void cheapest_path_rows(int* out, const int* in, const int* wall, int columns, int rows) {
    __shared__ int before[256], now[256];
    const int t = threadIdx.x, x = blockIdx.x * (256 - 2 * rows) + t - rows;
    const bool valid = x >= 0 && x < columns;
    if (valid) before[t] = in[x];
    __syncthreads();
    for (int r = 0; r < rows; ++r) {
        if (valid && t > r && t < 255 - r) now[t] = min(min(before[t - 1], before[t]), before[t + 1]) + wall[r * columns + x];
        __syncthreads();
        if (valid && t > r && t < 255 - r) before[t] = now[t];
        __syncthreads();
    }
    if (valid && t >= rows && t < 256 - rows) out[x] = before[t];
}

__global__ void knapsack_row(int* next, const int* now, int weight, int value, int capacity) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > capacity) return;
    const int without = now[c];
    next[c] = c >= weight ? max(without, now[c - weight] + value) : without;
}

__global__ void viterbi(int* back, float* last, const float* transition, const float* emission, const int* observed, int states, int length) {
    __shared__ float now[64], next[64];
    const int s = threadIdx.x;
    now[s] = emission[s * 32 + observed[0]];
    __syncthreads();
    for (int t = 1; t < length; ++t) {
        float best = -3e38f;
        int from = 0;
        for (int p = 0; p < states; ++p) {
            const float v = now[p] + transition[p * states + s];
            if (v > best) {
                best = v;
                from = p;
            }
        }
        next[s] = best + emission[s * 32 + observed[t]];
        back[t * states + s] = from;
        __syncthreads();
        now[s] = next[s];
        __syncthreads();
    }
    last[s] = now[s];
}

__global__ void forward_step(float* alpha, const float* before, const float* transition, const float* emission, int states) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= states) return;
    float sum = 0;
    for (int p = 0; p < states; ++p) sum += before[p] * transition[p * states + s];
    alpha[s] = sum * emission[s];
}

__global__ void edit_distance_each(int* out, const char* words, const char* pattern, int count, int length) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    int row[17];
    for (int j = 0; j <= 16; ++j) row[j] = j;
    for (int i = 1; i <= length; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= 16; ++j) {
            const int cost = diagonal + (words[id * length + i - 1] != pattern[j - 1]);
            diagonal = row[j];
            row[j] = min(min(row[j], row[j - 1]) + 1, cost);
        }
    }
    out[id] = row[16];
}

__global__ void smith_waterman_warp(int* best, const char* query, const char* targets, int length) {
    const int lane = threadIdx.x, id = blockIdx.x;
    const char own = query[lane];
    int up = 0, diagonal = 0, value = 0, high = 0;
    for (int step = 0; step < length + 31; ++step) {
        const int above = __shfl_up_sync(~0u, value, 1);
        diagonal = up;
        up = lane == 0 ? 0 : above;
        const int j = step - lane;
        if (j >= 0 && j < length) {
            const int match = diagonal + (own == targets[id * length + j] ? 2 : -1);
            value = max(max(match, 0), max(up, value) - 1);
            high = max(high, value);
        }
    }
    for (int m = 16; m; m >>= 1) high = max(high, __shfl_xor_sync(~0u, high, m));
    if (lane == 0) best[id] = high;
}

__global__ void time_warping_band(float* out, const float* a, const float* b, int n) {
    __shared__ float rows[3][128];
    const int t = threadIdx.x;
    for (int r = 0; r < 3; ++r) rows[r][t] = 3e38f;
    if (t == 0) rows[0][0] = 0;
    __syncthreads();
    for (int d = 1; d < 2 * n; ++d) {
        float* to = rows[d % 3];
        const float *one = rows[(d + 2) % 3], *two = rows[(d + 1) % 3];
        const int j = d - t;
        float v = 3e38f;
        if (t < n && j >= 0 && j < n) {
            const float cost = fabsf(a[blockIdx.x * n + t] - b[j]);
            v = cost + fminf(one[t], t > 0 ? fminf(one[t - 1], two[t - 1]) : 3e38f);
        }
        __syncthreads();
        to[t] = v;
        __syncthreads();
    }
    if (t == n - 1) out[blockIdx.x] = rows[(2 * n - 1) % 3][t];
}
}
