// Each thread looks its key up in a sorted table. Lanes leave the loop in different turns and at
// two places: those who have found their key break out, the others leave when nothing is left.
extern "C" __global__ void table_search(const int* table, const int* keys, int* places, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int key = keys[thread];
    int from = 0;
    int to = n;
    int place = -1;
    while (from < to) {
        const int middle = (from + to) / 2;
        const int value = table[middle];
        if (value == key) {
            place = middle;
            break;
        }
        if (value < key)
            from = middle + 1;
        else
            to = middle;
    }
    places[thread] = place;
}
