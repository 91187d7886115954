// Divisions as nvcc compiles them: a slow path for floats, a sequence for 32 and a call for 64 bits.
// nvcc -O3 -arch=sm_75 -cubin; nvdisasm -c
extern "C" __global__ void division(const float *a, const float *b, float *quotient, const int *c, const int *d,
                                    int *ratio, int *rest, const long long *e, const long long *f, long long *wide) {
    const int i = threadIdx.x;
    quotient[i] = a[i] / b[i];
    ratio[i] = c[i] / d[i];
    rest[i] = c[i] % d[i] + c[i] / 7;
    wide[i] = e[i] / f[i];
}
