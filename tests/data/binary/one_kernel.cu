// One kernel of a target whose parameters begin elsewhere.
extern "C" __global__ void store(int* out, int value) { *out = value; }
