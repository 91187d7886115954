// Replays the fuzz corpus of the program reader, whole, cut short and with bytes changed. The
// reader may refuse; it may not crash, and what it accepts must survive printing.
#include "listings.hpp"

#include <random>

namespace warpbound::assembly {
namespace {

void read_and_print(const SourceText& source) {
    const auto program = read_program(source);
    if (!program) {
        EXPECT_FALSE(program.error().what.empty());
        return;
    }
    expect_round_trip(program.value());
}

TEST(ProgramCorpus, IsReadOrRefusedAndSurvivesPrinting) {
    const auto paths = files_below("tests/fuzz/corpus/program", ".sass");
    ASSERT_FALSE(paths.empty());
    constexpr unsigned copies = 60;
    unsigned seed = 0;
    for (const auto& path : paths) {
        const SourceText source = read_source(path).value();
        read_and_print(source);
        for (unsigned copy = 0; copy < copies && !source.text.empty(); ++copy, ++seed) {
            SCOPED_TRACE(source.name + ", seed " + std::to_string(seed));
            std::mt19937 random{seed};
            SourceText damaged = source;
            if (copy % 3 == 0)
                damaged.text.resize(random() % damaged.text.size());
            else
                for (unsigned flips = copy % 3; flips > 0; --flips)
                    damaged.text[random() % damaged.text.size()] = static_cast<char>(random());
            read_and_print(damaged);
        }
    }
}

// A truncated disassembly is refused unless nothing but blank lines or whole kernels are missing.
TEST(ProgramCorpus, IsRefusedWhenCutInsideItsKernel) {
    const std::string text = cuobjdump("sm_70", "/*0000*/ EXIT ; /* 0x000000000000794d */\n"
                                                "/* 0x000fea0003800000 */\n");
    const std::size_t end = text.find("..........") + 10;
    for (std::size_t size = 0; size < end; ++size)
        EXPECT_FALSE(read_program(text_of(text.substr(0, size))).has_value()) << size;
    EXPECT_TRUE(read_program(text_of(text.substr(0, end))).has_value());
}

} // namespace
} // namespace warpbound::assembly
