#include "harness/hypotheses/examiner_logs.hpp"
#include "harness/hypotheses/judgement.hpp"

#include <cstdlib>

/// Accepted logs can be judged, and every launch has blocks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::harness::hypotheses;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = read_examiner_logs({{.name = "fuzz", .text = text}}, {});
    if (!read) return 0;
    for (const auto& run : read.value())
        for (const auto& launch : run.operations)
            if (launch.blocks.empty()) std::abort();
    for (const auto& rule : all_rules())
        test_rule(rule.rule, read.value());
    return 0;
}
