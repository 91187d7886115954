// Graphs.

extern "C" {

__global__ void bfs_level(int* level, int* changed, const int* starts, const int* edges, int vertices, int depth) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] != depth) return;
    for (int e = starts[v]; e < starts[v + 1]; ++e) { // warpbound: loop max 32
        const int w = edges[e];
        if (level[w] < 0) {
            level[w] = depth + 1;
            *changed = 1;
        }
    }
}

__global__ void bfs_frontier(int* next, int* next_count, int* level, const int* frontier, int count, const int* starts,
                             const int* edges, int depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int v = frontier[i];
    for (int e = starts[v]; e < starts[v + 1]; ++e) // warpbound: loop max 32
        if (atomicCAS(&level[edges[e]], -1, depth + 1) == -1) next[atomicAdd(next_count, 1)] = edges[e];
}

__global__ void shortest_path_relax(int* distance, int* changed, const int* from, const int* to, const int* weight, int edges) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int d = distance[from[e]];
    if (d == 0x7fffffff) return;
    if (atomicMin(&distance[to[e]], d + weight[e]) > d + weight[e]) *changed = 1;
}

__global__ void page_rank_pull(float* next, const float* rank, const int* degree, const int* starts, const int* edges, int vertices) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    float sum = 0;
    for (int e = starts[v]; e < starts[v + 1]; ++e) sum += rank[edges[e]] / degree[edges[e]]; // warpbound: loop max 32
    next[v] = 0.15f / vertices + 0.85f * sum;
}

__global__ void page_rank_push(float* next, const float* rank, const int* starts, const int* edges, int vertices) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += gridDim.x * blockDim.x) {
        const int begin = starts[v], end = starts[v + 1];
        const float share = rank[v] / (end - begin);
        for (int e = begin; e < end; ++e) atomicAdd(&next[edges[e]], share); // warpbound: loop max 32
    }
}

__global__ void component_hook(int* parent, int* changed, const int* from, const int* to, int edges) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int a = parent[from[e]], b = parent[to[e]];
    if (a != b) {
        atomicMin(&parent[max(a, b)], min(a, b));
        *changed = 1;
    }
}

__global__ void pointer_jump(int* parent, int vertices) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    int p = parent[v];
    while (p != parent[p]) p = parent[p]; // warpbound: loop max 20
    parent[v] = p;
}

__global__ void triangle_count(unsigned* count, const int* starts, const int* edges, const int* from, const int* to, int n) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int i = starts[from[e]], j = starts[to[e]];
    const int i_end = starts[from[e] + 1], j_end = starts[to[e] + 1];
    unsigned found = 0;
    while (i < i_end && j < j_end) { // warpbound: loop max 64
        const int a = edges[i], b = edges[j];
        found += a == b;
        i += a <= b;
        j += b <= a;
    }
    if (found) atomicAdd(count, found);
}

__global__ void floyd_warshall(int* distance, int n, int k) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < n) distance[i * n + j] = min(distance[i * n + j], distance[i * n + k] + distance[k * n + j]);
}

__global__ void floyd_warshall_tile(int* distance, int n, int tile) {
    __shared__ int d[16][16];
    const int x = threadIdx.x, y = threadIdx.y, at = (tile * 16 + y) * n + tile * 16 + x;
    d[y][x] = distance[at];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        d[y][x] = min(d[y][x], d[y][k] + d[k][x]);
        __syncthreads();
    }
    distance[at] = d[y][x];
}

__global__ void colour_vertices(int* colour, const int* starts, const int* edges, const unsigned* priority, int vertices) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || colour[v] >= 0) return;
    unsigned used = 0;
    for (int e = starts[v]; e < starts[v + 1]; ++e) { // warpbound: loop max 31
        const int w = edges[e];
        if (colour[w] < 0 && priority[w] > priority[v]) return;
        if (colour[w] >= 0) used |= 1u << colour[w];
    }
    colour[v] = __ffs(~used) - 1;
}

__global__ void core_peel(int* degree, int* alive, const int* starts, const int* edges, int vertices, int k) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    if (!alive[v] || degree[v] >= k) return;
    alive[v] = 0;
    for (int e = starts[v]; e < starts[v + 1]; e++) atomicSub(&degree[edges[e]], 1); // warpbound: loop max 32
}
}
