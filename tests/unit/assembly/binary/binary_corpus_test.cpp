// Replays the fuzz corpus of the readers of binaries, whole, cut short and with bytes changed. They
// may refuse; they may not crash or read past the end.
#include "assembly/binary/compressed.hpp"
#include "assembly/binary/cubin.hpp"
#include "assembly/binary/fatbin.hpp"
#include "files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace warpbound::assembly {
namespace {

void read_all(const std::string& bytes) {
    if (const auto cubin = read_cubin(bytes)) {
        for (const auto& kernel : cubin.value().kernels)
            EXPECT_FALSE(kernel.name.empty());
    }
    for (const auto& images : {read_fatbins(bytes), read_host_elf(bytes)}) {
        if (!images) continue;
        for (const auto& image : images.value())
            EXPECT_LE(image.bytes.size(), bytes.size());
    }
    const auto contents = decompressed(bytes, 1 << 20);
    EXPECT_TRUE(!contents || contents.value().size() <= std::size_t{1} << 20U);
}

TEST(BinaryCorpus, IsReadOrRefused) {
    constexpr unsigned copies = 400;
    unsigned seed = 0;
    std::vector<std::string> files{binary("two_kernels.ptx.gz"), binary("two_kernels.ptx.xz"),
                                   host_elf(".nv_fatbin", binary("two_kernels.fatbin"))};
    for (const auto& entry :
         std::filesystem::directory_iterator{WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus/binary"})
        files.push_back(read_source(entry.path()).value().text);
    ASSERT_GT(files.size(), 4U);
    for (const std::string& bytes : files) {
        read_all(bytes);
        for (unsigned copy = 0; copy < copies; ++copy, ++seed) {
            SCOPED_TRACE(seed);
            std::mt19937 random{seed};
            std::string damaged = bytes;
            if (copy % 4 == 0) damaged.resize(random() % damaged.size());
            for (unsigned flips = copy % 4; flips > 0 && !damaged.empty(); --flips)
                damaged[random() % std::min<std::size_t>(damaged.size(), 4096)] =
                    static_cast<char>(random());
            read_all(damaged);
        }
    }
}

} // namespace
} // namespace warpbound::assembly
