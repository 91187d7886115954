// Strings, hashes and ciphers.

__constant__ unsigned crc_table[256];
__constant__ unsigned char substitution[256];

extern "C" {

__global__ void find_pattern(int* found, const char* text, const char* pattern, int n, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - length) return;
    for (int k = 0; k < length; ++k)
        if (text[i + k] != pattern[k]) return;
    found[i] = 1;
}

__global__ void automaton_match(int* counts, const unsigned char* text, const int* transitions, const int* accepts, int chunk) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    int state = 0, count = 0;
    for (int k = 0; k < chunk; ++k) {
        state = transitions[state * 256 + text[id * chunk + k]];
        count += accepts[state];
    }
    counts[id] = count;
}

__global__ void crc32_blocks(unsigned* out, const unsigned char* data, int blocks, int length) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= blocks) return;
    unsigned crc = ~0u;
    for (int i = 0; i < length; ++i) crc = crc_table[(crc ^ data[id * length + i]) & 255] ^ (crc >> 8);
    out[id] = ~crc;
}

__global__ void fnv_strings(unsigned* out, const char* text, int width, int n) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned h = 2166136261u;
    for (int k = 0; k < width && text[id * width + k]; ++k) h = (h ^ text[id * width + k]) * 16777619u;
    out[id] = h;
}

__global__ void sha256_block(unsigned* states, const unsigned* blocks, const unsigned* constants, int n) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned w[16], s[8];
    for (int i = 0; i < 16; ++i) w[i] = blocks[i * n + id];
    for (int i = 0; i < 8; ++i) s[i] = states[i * n + id];
    unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    const auto turn = [](unsigned x, int k) { return (x >> k) | (x << (32 - k)); };
#pragma unroll 16
    for (int i = 0; i < 64; ++i) {
        if (i >= 16) {
            const unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (turn(x, 7) ^ turn(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (turn(y, 17) ^ turn(y, 19) ^ (y >> 10));
        }
        const unsigned t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i & 15];
        const unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    s[0] += a; s[1] += b; s[2] += c; s[3] += d; s[4] += e; s[5] += f; s[6] += g; s[7] += h;
    for (int i = 0; i < 8; ++i) states[i * n + id] = s[i];
}

__global__ void hash_insert(unsigned* keys, unsigned* values, const unsigned* new_keys, int n, unsigned mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = new_keys[i];
    unsigned slot = key * 2654435761u & mask;
    while (true) { // warpbound: loop max 100
        const unsigned old = atomicCAS(&keys[slot], ~0u, key);
        if (old == ~0u || old == key) {
            values[slot] = i;
            return;
        }
        slot = (slot + 1) & mask;
    }
}

__global__ void hash_lookup(unsigned* out, const unsigned* keys, const unsigned* values, const unsigned* wanted, int n, unsigned mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = wanted[i] * 2654435761u & mask, result = ~0u;
    for (int probe = 0; probe < 32; ++probe) {
        const unsigned key = keys[slot];
        if (key == wanted[i]) result = values[slot];
        if (key == wanted[i] || key == ~0u) break;
        slot = (slot + 1) & mask;
    }
    out[i] = result;
}

__global__ void tea_cipher(uint2* data, uint4 key, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = data[i].x, b = data[i].y, sum = 0;
    for (int round = 0; round < 32; ++round) {
        sum += 0x9e3779b9u;
        a += ((b << 4) + key.x) ^ (b + sum) ^ ((b >> 5) + key.y);
        b += ((a << 4) + key.z) ^ (a + sum) ^ ((a >> 5) + key.w);
    }
    data[i] = make_uint2(a, b);
}

__global__ void substitute_bytes(uchar4* state, const unsigned* round_key, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 s = state[i];
    const unsigned k = round_key[i & 3];
    state[i] = make_uchar4(substitution[s.x] ^ (k & 255), substitution[s.y] ^ (k >> 8 & 255), substitution[s.z] ^ (k >> 16 & 255), substitution[s.w] ^ (k >> 24));
}

__global__ void base64_encode(uchar4* out, const unsigned char* in, int groups) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups) return;
    const unsigned bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    const auto letter = [](unsigned v) -> unsigned char {
        v &= 63;
        return v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
    };
    out[i] = make_uchar4(letter(bits >> 18), letter(bits >> 12), letter(bits >> 6), letter(bits));
}

__global__ void bloom_insert(unsigned* filter, const unsigned* keys, int n, unsigned mask, int hashes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = keys[i];
    for (int k = 0; k < hashes; ++k) {
        h = (h ^ (h >> 15)) * 0x2c1b3c6du;
        h = (h ^ (h >> 12)) * 0x297a2d39u;
        atomicOr(&filter[(h & mask) >> 5], 1u << (h & 31));
    }
}

__global__ void count_words(int* count, const char* text, int n) {
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const bool letter = text[i] > ' ', before = i > 0 && text[i - 1] > ' ';
        own += letter && !before;
    }
    for (int m = 16; m; m >>= 1) own += __shfl_xor_sync(~0u, own, m);
    if (threadIdx.x % 32 == 0) atomicAdd(count, own);
}
}
