#include "harness/hypotheses/recording.hpp"

#include <cstdlib>

/// What is accepted is written and read back as it was, and can be judged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::harness::hypotheses;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = read_recording({.name = "fuzz", .text = text});
    if (!read) return 0;
    const auto again = read_recording({.name = "fuzz", .text = write_recording(read.value())});
    if (!again || again.value().runs != read.value().runs) std::abort();
    for (const auto& rule : all_rules())
        test_rule(rule.rule, read.value().runs);
    return 0;
}
