// Each lane decodes the bytes of one channel: frames of a start byte, a length, a kind, a payload with escapes, and a
// checksum. What a lane does with a byte depends on where in a frame it is, so lanes part to as many ways as there are
// places.
extern "C" __global__ void decode_frames(const unsigned char *bytes, int length, unsigned *good) {
    enum Place { Idle, Length, Kind, Payload, Escaped, Checksum };
    const int channel = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *const from = bytes + channel * length;
    int place = Idle;
    unsigned left = 0, sum = 0, value = 0, frames = 0;
#pragma unroll 1
    for (int i = 0; i < length; ++i) {
        const unsigned byte = from[i];
        switch (place) {
        case Idle:
            if (byte == 0x7e) place = Length;
            value = 0;
            break;
        case Length:
            left = byte;
            sum = byte;
            place = byte == 0 || byte > 64 ? Idle : Kind;
            break;
        case Kind:
            sum += byte;
            value = byte << 24;
            place = Payload;
            break;
        case Payload:
            if (byte == 0x7d) {
                place = Escaped;
                break;
            }
            sum += byte;
            value = value * 31 + byte;
            if (--left == 0) place = Checksum;
            break;
        case Escaped:
            sum += byte ^ 0x20;
            value = value * 31 + (byte ^ 0x20);
            place = --left == 0 ? Checksum : Payload;
            break;
        case Checksum:
            if ((sum & 0xff) == byte) frames += value | 1;
            place = Idle;
            break;
        }
    }
    good[channel] = frames;
}
