// Non-maximum suppression: each thread keeps its box (left, top, right, bottom) unless it overlaps
// one of the boxes before it, which score higher, by more than `most` of what both cover.
extern "C" __global__ void suppress(const float4* boxes, int* kept, int n, float most) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= n) return;
    const float4 box = boxes[own];
    const float area = (box.z - box.x) * (box.w - box.y);
    int keeps = 1;
    for (int other = 0; other < own; ++other) {
        const float4 better = boxes[other];
        const float width = fminf(box.z, better.z) - fmaxf(box.x, better.x);
        const float height = fminf(box.w, better.w) - fmaxf(box.y, better.y);
        if (width > 0.0f && height > 0.0f) {
            const float both = width * height;
            const float other_area = (better.z - better.x) * (better.w - better.y);
            if (both > most * (area + other_area - both)) {
                keeps = 0;
                break;
            }
        }
    }
    kept[own] = keeps;
}
