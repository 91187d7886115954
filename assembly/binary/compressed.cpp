#include "assembly/binary/compressed.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <lzma.h>
#include <zlib.h>

namespace warpbound::assembly {

namespace {

constexpr std::size_t chunk = 65536;
constexpr std::uint64_t lzma_memory_limit = std::uint64_t{256} << 20U;

Failure damaged(const char* form) {
    return Failure{fmt::format("damaged {} data; expected a whole compressed file", form)};
}

Failure too_large(std::size_t limit) {
    return Failure{fmt::format("holds more than the limit of {} bytes", limit)};
}

Result<std::string> of_gzip(std::string& bytes, std::size_t limit) {
    z_stream stream{};
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream, gzip_window) != Z_OK) return damaged("gzip");
    struct End {
        z_stream& open;
        ~End() { inflateEnd(&open); }
    } const end{stream};
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size()); // Below the limit of inputs, 64 MiB.
    std::string out;
    std::array<char, chunk> part{};
    while (true) {
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = chunk;
        const int status = inflate(&stream, Z_NO_FLUSH);
        out.append(part.data(), chunk - stream.avail_out);
        if (out.size() > limit) return too_large(limit);
        if (status == Z_STREAM_END && stream.avail_in == 0) return out;
        if (status == Z_STREAM_END && inflateReset(&stream) == Z_OK) continue; // A further member.
        if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out == chunk))
            return damaged("gzip");
    }
}

Result<std::string> of_xz(const std::string& bytes, std::size_t limit) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, lzma_memory_limit, LZMA_CONCATENATED) != LZMA_OK)
        return damaged("xz");
    struct End {
        lzma_stream& open;
        ~End() { lzma_end(&open); }
    } const end{stream};
    stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream.avail_in = bytes.size();
    std::string out;
    std::array<char, chunk> part{};
    while (true) {
        stream.next_out = reinterpret_cast<std::uint8_t*>(part.data());
        stream.avail_out = chunk;
        const lzma_ret status = lzma_code(&stream, LZMA_FINISH);
        out.append(part.data(), chunk - stream.avail_out);
        if (out.size() > limit) return too_large(limit);
        if (status == LZMA_STREAM_END) return out;
        if (status != LZMA_OK) return damaged("xz");
    }
}

} // namespace

Result<std::string> decompressed(std::string bytes, std::size_t limit) {
    const std::string_view start = bytes;
    if (start.substr(0, 3) == "\x1f\x8b\x08") return of_gzip(bytes, limit);
    if (start.substr(0, 6) == std::string_view{"\xfd"
                                               "7zXZ\0",
                                               6})
        return of_xz(bytes, limit);
    return bytes;
}

} // namespace warpbound::assembly
