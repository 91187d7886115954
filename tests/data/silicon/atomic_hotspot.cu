// Every thread adds to one word, `iterations` times.
__global__ void atomic_hotspot(unsigned* word, int iterations) {
    for (int i = 0; i < iterations; ++i)
        atomicAdd(word, 1U);
}
