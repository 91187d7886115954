/// \file
/// Evidence on the committed kernels for gfx90a: made, checked, tampered with.

#include "analyzer/analyze.hpp"
#include "assembly/amd/code_object.hpp"
#include "models/facts/flow_facts.hpp"
#include "tests/unit/certification/amd/wavefront_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace warpbound {
namespace {

using certification::EvidenceFiles;
using certification::verify::StepResult;
using certification::verify::Verdict;
using testing::HasSubstr;
using tests::bundle_inputs;
using tests::step_of;
using tests::verify_wavefront;
using tests::wavefront_input;

const std::string& image() {
    static const std::string bytes = assembly::amd::amd_file("gfx90a.hsaco.xz");
    return bytes;
}

certification::Bundle bundle_of(const std::string& kernel, const std::string& launch,
                                const std::string& policy = "unknown") {
    return certification::build_bundle(
               bundle_inputs(wavefront_input(image(), kernel, launch, policy)))
        .value();
}

std::string steps_text(const std::vector<StepResult>& steps) {
    std::string text;
    for (const StepResult& step : steps)
        text += step.step + " " + to_string(step.verdict) + " " + step.detail + "\n";
    return text;
}

/// Facts for the loops that have no bound: at most 9 executions of each header.
std::string loop_facts(const certification::KernelInput& input) {
    const auto program = assembly::amd::read_code({"code", input.listing}, input.decoder).value();
    const auto* const function = assembly::find_function(program, input.kernel).value();
    const auto graph = assembly::build_control_flow_graph(*function).value();
    models::FlowFacts facts;
    facts.kernel = function->name;
    facts.program_digest = program.digest;
    for (const auto& loop : graph.loops)
        facts.loops.push_back({graph.blocks[loop.header].address, 1, 9, {}});
    return models::write_flow_facts(facts);
}

/// All kernels: scripts/amd_evidence.sh.
TEST(WavefrontEvidence, IsAcceptedAndClaimsTheBoundsOfTheAnalysis) {
    for (const char* const kernel : {"copy", "divergent_nest", "reduce_sum", "permute_lanes",
                                     "matrix_product", "binary_search"}) {
        auto input = wavefront_input(image(), kernel, "8x256");
        input.flow_facts = loop_facts(input);
        const auto bundle = certification::build_bundle(bundle_inputs(input));
        ASSERT_TRUE(bundle) << kernel << ": " << to_string(bundle.error());
        const auto steps = verify_wavefront(bundle.value().files);
        EXPECT_EQ(certification::verify::overall(steps), Verdict::Holds) << kernel << "\n"
                                                                         << steps_text(steps);
        const auto loaded = certification::load(input, "K1");
        ASSERT_TRUE(loaded);
        const auto analysis =
            analyzer::analyze(certification::request_of(*loaded.value(), 1)).value();
        const auto bounds = analysis.execution_time.bounds();
        const auto& report = bundle.value().reports.front();
        EXPECT_EQ(report.claim("execution-time", analyzer::Side::Upper)->value,
                  bounds.upper().count());
        EXPECT_EQ(report.claim("execution-time", analyzer::Side::Lower)->value,
                  bounds.lower().count());
    }
}

TEST(WavefrontEvidence, HoldsTheCodeObjectAndItsText) {
    const auto bundle = bundle_of("copy", "8x256");
    EXPECT_EQ(bundle.files.at("inputs/K1/code.hsaco").bytes, image());
    const std::string& text = bundle.files.at("analysis/K1/listing.s").bytes;
    EXPECT_THAT(text, HasSubstr("; copy for gfx90a\n0x0000  c00a0002 00000000  s_load_dwordx4"));
    EXPECT_THAT(text, HasSubstr("; counts in vmcnt"));
    EXPECT_THAT(bundle_of("divergent_nest", "8x256").files.at("analysis/K1/listing.s").bytes,
                HasSubstr("EXEC may be empty"));
}

TEST(WavefrontEvidence, NamesWhatItAssumesOfExecAndWaits) {
    const auto& claims = bundle_of("divergent_nest", "8x256").files.at("claims.json").bytes;
    EXPECT_THAT(claims, HasSubstr("switched off by EXEC (S54)"));
    EXPECT_THAT(claims, HasSubstr("s_waitcnt"));
}

TEST(WavefrontEvidence, IsIncompleteForAVerifierWithoutADecoder) {
    const auto steps = verify_wavefront(bundle_of("copy", "8x256").files, false);
    EXPECT_EQ(certification::verify::overall(steps), Verdict::Incomplete);
    EXPECT_THAT(step_of(steps, "schema").detail, HasSubstr("decodes its instructions"));
}

TEST(WavefrontEvidence, IsNotMadeOfBlocksThatTheCodeIsNotCompiledFor) {
    const auto made =
        certification::build_bundle(bundle_inputs(wavefront_input(image(), "copy", "8x512")));
    ASSERT_FALSE(made);
    EXPECT_THAT(to_string(made.error()), HasSubstr("compiled for at most 256"));
}

TEST(WavefrontEvidence, HoldsUnderAllPoliciesThatAreBounded) {
    for (const char* policy : {"lrr", "gto", "two-level:active=2", "srr", "variable-rate"}) {
        const auto steps = verify_wavefront(bundle_of("divergent_sides", "4x256", policy).files);
        EXPECT_EQ(certification::verify::overall(steps), Verdict::Holds) << policy << "\n"
                                                                         << steps_text(steps);
    }
}

/// What a dishonest author changes, and what the verifier then says.
struct Change {
    const char* name;
    std::function<void(EvidenceFiles&)> edit;
    Verdict verdict;
    const char* step;
    const char* message;
};

void PrintTo(const Change& change, std::ostream* stream) {
    *stream << change.name;
}

/// Changes bytes of the code object. The test fails where they are not there.
std::function<void(EvidenceFiles&)> patch(const std::string& from, const std::string& to) {
    return [from, to](EvidenceFiles& files) {
        auto& bytes = files.at("inputs/K1/code.hsaco").bytes;
        const auto at = bytes.find(from);
        ASSERT_NE(at, std::string::npos);
        bytes.replace(at, from.size(), to);
    };
}

std::function<void(EvidenceFiles&)> set(const std::string& path, const std::string& pointer,
                                        certification::Json value) {
    return [=](EvidenceFiles& files) {
        tests::edit(files, path, [&](certification::Json& json) {
            json.at(certification::Json::json_pointer{pointer}) = value;
        });
    };
}

std::function<void(EvidenceFiles&)> replace(const std::string& path, const std::string& from,
                                            const std::string& to) {
    return [=](EvidenceFiles& files) {
        auto& bytes = files.at(path).bytes;
        const auto at = bytes.find(from);
        ASSERT_NE(at, std::string::npos);
        bytes.replace(at, from.size(), to);
    };
}

class ChangedWavefrontEvidence : public testing::TestWithParam<Change> {};

TEST_P(ChangedWavefrontEvidence, IsRefused) {
    EvidenceFiles files = bundle_of("divergent_nest", "8x256").files;
    GetParam().edit(files);
    tests::seal_again(files);
    const auto steps = verify_wavefront(files);
    EXPECT_EQ(certification::verify::overall(steps), GetParam().verdict) << steps_text(steps);
    EXPECT_THAT(step_of(steps, GetParam().step).detail, HasSubstr(GetParam().message))
        << steps_text(steps);
}

// S_WAITCNT is bf8c....; vmcnt(0) of gfx9 is 0f70, and vmcnt(63) cf7f waits for nothing.
INSTANTIATE_TEST_SUITE_P(
    Bundle, ChangedWavefrontEvidence,
    testing::Values(
        Change{"WaitRemoved", patch("\x70\x0f\x8c\xbf", "\x7f\xcf\x8c\xbf"), Verdict::Failed,
               "schema", "facts-in-use.xml: of another listing"},
        Change{"CodeCut",
               [](EvidenceFiles& files) { files.at("inputs/K1/code.hsaco").bytes.resize(900); },
               Verdict::Incomplete, "schema", "code.hsaco"},
        Change{"ListingText", replace("analysis/K1/listing.s", "vmcnt", "lgkmcnt"), Verdict::Failed,
               "re-analysis", "analysis/K1/listing.s: other bytes"},
        Change{"BlocksLarger", set("inputs/K1/launch.json", "/launch", "8x512"), Verdict::Failed,
               "schema", "compiled for at most 256"},
        Change{"LaunchSmaller", set("inputs/K1/launch.json", "/launch", "1x64,block=64,grid=1"),
               Verdict::Failed, "structure", "K1"},
        Change{"LatencyLowered",
               replace("model/cdna2-mi210.xml", "typical=\"588\" hi=\"816\"",
                       "typical=\"588\" hi=\"600\""),
               Verdict::Failed, "re-analysis", "analysis/K1"},
        Change{
            "BranchTakenAway",
            set("analysis/K1/blocks.json", "/blocks/0/successors", certification::Json::array({1})),
            Verdict::Failed, "structure", "lacks the successor"},
        Change{"BoundLowered", set("claims.json", "/claims/0/value", 100), Verdict::Failed,
               "structure", "claims 100"},
        Change{"TableLowered", set("analysis/K1/execution-time-upper-stall.json", "/edges/0/2", 1),
               Verdict::Failed, "solver", "execution-time-upper-stall"}),
    [](const auto& row) { return std::string{row.param.name}; });

/// One block, so that table, bound and witness can be changed together; only the times that
/// `verify` derives itself contradict them.
TEST(WavefrontEvidence, IsRefusedWhereTableBoundAndWitnessAgreeOnAWrongTime) {
    for (const auto& [id, time, message] :
         {std::tuple{"execution-time-upper", 2627, "takes 2628 cycles, its table says 2627"},
          std::tuple{"execution-time-lower", 185, "costs 1 cycles more than a wavefront takes"}}) {
        EvidenceFiles files = bundle_of("copy", "1x64").files;
        tests::edit(files, std::string{"analysis/K1/"} + id + ".json",
                    [&, cycles = time](certification::Json& table) {
                        table.at("nodes").at(0).at(1) = cycles;
                        table.at("bound") = cycles;
                        table.at("witness").at("cost") = cycles;
                    });
        tests::seal_again(files);
        const auto step = step_of(verify_wavefront(files), "structure");
        EXPECT_EQ(step.verdict, Verdict::Failed);
        EXPECT_THAT(step.detail, HasSubstr(message));
    }
}

} // namespace
} // namespace warpbound
