#include "tests/unit/analyzer/analyzed.hpp"

namespace warpbound::analyzer {
namespace {

// FMUL issues at 0, R5 ready at 200. COS issues at 6 with latency 10..100; the first read
// overwrites its R0 and so issues at 16..106. FADD waits for R5: 200; last read at 206. Both reads
// take the same time, so the measured time lies between 206 - 106 = 100 and 206 - 16 = 190, and
// both can occur.
TEST(MeasuredTime, CountsWhatIsOutstandingFromTheFirstRead) {
    const auto context = analyzed("FMUL R5, R2, R3; MUFU.COS R0, R2; S2R R0, SR_ClockLo; "
                                  "FADD R6, R5, R5; S2R R1, SR_ClockLo; EXIT;");
    const auto set = [&](assembly::OpcodeClass c, std::int64_t lo, std::int64_t hi) {
        for (auto& value : context->architecture.classes.at(c).values.values)
            if (value.name == "latency") value.interval = models::Interval{lo, std::nullopt, hi};
    };
    set(assembly::OpcodeClass::FloatMultiply, 200, 200);
    set(assembly::OpcodeClass::SpecialFunction, 10, 100);
    const auto analysis = context->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    ASSERT_TRUE(analysis.value().measured_time);
    EXPECT_LE(analysis.value().measured_time->lower.proved.count(), 100);
    EXPECT_GE(analysis.value().measured_time->upper.proved.count(), 190);
}

} // namespace
} // namespace warpbound::analyzer
