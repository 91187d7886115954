/// \file
/// Flow facts of a bundle against recorded executions.

#include "assembly/isa/reader.hpp"
#include "assembly/support/source_text.hpp"
#include "harness/trace/issue_match.hpp"
#include "harness/trace/sass_trace.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// A warp that executes the loop of the saxpy example so often.
std::string saxpy_trace(int turns, int version = 75) {
    harness::trace::SassTrace trace;
    trace.kernel = "saxpy_loop";
    trace.block = {32, 1, 1};
    trace.binary_version = version;
    trace.tracer_version = harness::trace::printed_tracer_version;
    trace.blocks.push_back({{0, 0, 0}, {{0, {}}}});
    const auto program =
        assembly::read_program(
            assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} + "/examples/saxpy/sm_75.sass")
                .value())
            .value();
    const assembly::Function& function = *assembly::find_function(program, trace.kernel).value();
    const auto issue = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t address = first; address <= last; address += 0x10) {
            auto& added = trace.blocks.front().warps.front().issues.emplace_back();
            added.address = address;
            added.mask = 0xffffffffU;
            const auto& listed = function.instructions[*function.index_of(address)];
            added.opcode = assembly::opcode_text(listed);
            if (const auto written = harness::trace::destination_of(listed))
                added.destinations.push_back(*written);
        }
    };
    issue(0, 0xf0);
    for (int turn = 0; turn < turns; ++turn)
        issue(0x100, 0x130);
    issue(0x140, 0x150);
    return harness::trace::print(trace);
}

TEST(Evidence, HoldsFlowFactsAgainstARecordedExecution) {
    BundleInputs one;
    one.tool_version = "1";
    one.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "1x32", 5));
    one.kernels.front().cubin_digest = assembly::digest_of("binary");
    one.kernels.front().traces.push_back(saxpy_trace(128));
    const auto made = build_bundle(one);
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_THAT(
        made.value().files.at("checks/K1.json").bytes,
        HasSubstr(R"("not-refuted":[{"cases":32,"fact":"loop 0x0100 1..128","line":3,"open":0}])"));
    const std::string page = made.value().files.at("report.html").bytes;
    EXPECT_THAT(page, HasSubstr("Flow facts against recorded executions"));
    EXPECT_THAT(page, HasSubstr(assembly::digest_of("binary")));
    verify::Options options;
    options.rebuild = tests::rebuild;
    options.tool_version = "1";
    const auto steps = verify::verify(tests::plain(made.value().files), options);
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    one.kernels.front().traces.front() = saxpy_trace(129);
    EXPECT_THAT(
        to_string(build_bundle(one).error()),
        testing::AllOf(HasSubstr("inputs/K1/trace-1.traceg"),
                       HasSubstr("flow fact 'loop 0x0100 1..128' (line 3) is refuted by a recorded "
                                 "execution: lane 0 of warp 0"),
                       HasSubstr("129 times")));
    one.kernels.front().traces.front() = saxpy_trace(128, 86);
    EXPECT_THAT(to_string(build_bundle(one).error()), HasSubstr("a trace of sm_86 code"));
}

} // namespace
} // namespace warpbound::certification
