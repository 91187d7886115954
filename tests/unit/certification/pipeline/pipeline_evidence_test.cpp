/// \file
/// Evidence of pipelines: an honest bundle holds, and no number, list element or file of it can be
/// changed unnoticed.

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/manifest.hpp"
#include "certification/pipeline/evidence/pipeline_claims.hpp"
#include "certification/pipeline/evidence/pipeline_evidence.hpp"
#include "certification/verify/pipeline/latency_inequalities.hpp"
#include "certification/verify/verify.hpp"
#include "tests/support/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// Servers of every order, two of which serve several pipelines and a client; traffic; a kernel
/// that is bounded from its code.
const std::string description = R"(<pipelines machine="turing-t4" clock="1350..1590MHz">
  <device copy-engines="2" copy-order="fifo" l2-lines="kept">
    <memory level="l2" bandwidth="800GB/s"/>
    <memory level="dram" bandwidth="240GB/s"/>
    <partition name="vision" multiprocessors="30" order="priority"/>
    <partition name="rest" multiprocessors="10"/>
  </device>
  <pipeline name="camera" period="20ms" jitter="100us" deadline="15ms">
    <host name="capture" at-least="1ms" at-most="2ms" source="datasheet"/>
    <copy name="upload" after="capture" direction="host-to-device" bytes="4MB" at-least="300us" at-most="700us"/>
    <kernel name="filter" after="upload" partition="vision" priority="1" file="saxpy.sass" launch="2x64"
            launch-at-most="20us" flow-facts="saxpy.xml" dram-traffic="1MB"/>
    <kernel name="score" after="upload" partition="vision" priority="2" stream="side" at-most="400us"
            l2-traffic="2MB" dram-traffic="1MB"/>
    <copy name="download" after="filter score" direction="device-to-host" bytes="64kB" at-most="50us"/>
  </pipeline>
  <pipeline name="control" distance="5ms" deadline="4ms" criticality="soft" jobs="overlap">
    <copy name="in" direction="host-to-device" bytes="4kB" stream="a" at-most="20us"/>
    <kernel name="step" after="in" partition="vision" priority="0" stream="b" at-most="300us"
            l2-traffic="100kB" dram-traffic="100kB"/>
    <kernel name="log" after="in" partition="rest" stream="c" at-most="100us" l2-traffic="0B" dram-traffic="0B"/>
  </pipeline>
  <client name="training">
    <kernel partition="rest" at-most="200us" distance="10ms"/>
    <kernel partition="vision" at-most="150us"/>
    <traffic level="l2" burst="1MB" rate="20GB/s"/>
    <traffic level="dram" burst="1MB" rate="10GB/s"/>
  </client>
</pipelines>
)";

PipelineInputs inputs() {
    BundleInputs kernels;
    kernels.tool_version = "1";
    kernels.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "2x64", 0));
    kernels.kernels.front().multiprocessors = 30;
    kernels.kernels.front().policy = "unknown";
    auto made = build_bundle(kernels);
    PipelineInputs all;
    all.tool_version = "1";
    all.description = description;
    all.machine = kernels.kernels.front().architecture;
    all.kernels = std::move(made.value().files);
    return all;
}

const PipelineBundle& bundle() {
    static const PipelineBundle made = [] {
        auto built = build_pipeline_bundle(inputs());
        EXPECT_TRUE(built) << to_string(built.error());
        return std::move(built).value();
    }();
    return made;
}

Result<verify::Files> rebuild(const verify::Files& files) {
    return is_pipeline_bundle(files) ? rebuild_pipeline_bundle(files) : tests::rebuild(files);
}
/// A re-analysis that agrees with everything: what is left is what `verify` shows itself.
Result<verify::Files> agree(const verify::Files& files) {
    return files;
}
std::vector<verify::StepResult> checked(const EvidenceFiles& files, const verify::Rebuild& again) {
    verify::Options options;
    options.tool_version = "1";
    options.rebuild = again;
    return verify::verify(tests::plain(files), options);
}
std::string text_of(const std::vector<verify::StepResult>& steps) {
    std::string text;
    for (const auto& step : steps)
        text += step.step + " " + to_string(step.verdict) + " " + step.detail + "\n";
    return text;
}

void seal(EvidenceFiles& files) {
    files.erase("manifest.json");
    files["manifest.json"] = {"manifest", "manifest",
                              manifest_of(files, "1", "warpbound-pipeline-evidence/1").text};
}
EvidenceFiles with_claims(const Json& claims) {
    EvidenceFiles files = bundle().files;
    files.at("claims.json").bytes = canonical(claims);
    seal(files);
    return files;
}
EvidenceFiles with_text(const std::string& path, const std::string& from, const std::string& to) {
    EvidenceFiles files = bundle().files;
    std::string& text = files.at(path).bytes;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    seal(files);
    return files;
}
Json honest_claims() {
    return Json::parse(bundle().files.at("claims.json").bytes);
}

TEST(PipelineEvidence, ThatIsUntouchedHolds) {
    const auto steps = checked(bundle().files, rebuild);
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    for (const char* step :
         {"digests", "schema", "times", "kernels", "fixed point", "re-analysis", "requirements"})
        EXPECT_EQ(tests::step_of(steps, step).verdict, Verdict::Holds) << text_of(steps);
    EXPECT_EQ(verify::conclusion_of(steps), "holds");
}

TEST(PipelineEvidence, OfTheSameInputsHasTheSameBytes) {
    const auto again = build_pipeline_bundle(inputs());
    ASSERT_TRUE(again);
    EXPECT_EQ(tests::plain(again.value().files), tests::plain(bundle().files));
}

/// Every server order and every kind of evidence is in the bundle that the tests below attack.
TEST(PipelineEvidence, OfTheseTestsHasEveryKindOfNumber) {
    const std::string claims = bundle().files.at("claims.json").bytes;
    for (const char* key : {"busy-period", "starts", "interference", "cycles", "operations"})
        EXPECT_THAT(claims, HasSubstr(std::string{"\""} + key + "\"")) << claims;
}

/// A smaller number is no bound any more: all of them are those of the smallest fixed point. No
/// re-analysis takes part.
TEST(PipelineEvidence, WithANumberLoweredByOneFails) {
    std::size_t numbers = 0;
    const Json flat = honest_claims().flatten();
    for (const auto& [pointer, value] : flat.items()) {
        if (!value.is_number()) continue;
        ++numbers;
        Json changed = honest_claims();
        changed[Json::json_pointer{pointer}] = value.get<std::int64_t>() - 1;
        const auto steps = checked(with_claims(changed), agree);
        EXPECT_NE(verify::overall(steps), Verdict::Holds) << pointer << "\n" << text_of(steps);
    }
    EXPECT_GT(numbers, 80U);
}

void drop_each(const Json& part, const Json::json_pointer& at, std::size_t& lists) {
    if (part.is_array() && !part.empty()) {
        for (std::size_t i = 0; i < part.size(); ++i) {
            Json claims = honest_claims();
            claims[at].erase(i);
            ++lists;
            // What assumptions say, and of which stages, is left to re-analysis. The own steps
            // notice everything else, so that no re-analysis is needed to refuse it.
            const bool text = at.to_string().starts_with("/assumptions");
            const auto steps = checked(with_claims(claims), text ? rebuild : agree);
            EXPECT_NE(verify::overall(steps), Verdict::Holds) << at << " " << i;
        }
    }
    if (!part.is_structured()) return;
    for (const auto& [key, value] : part.items())
        drop_each(value, part.is_array() ? at / std::stoul(key) : at / key, lists);
}

TEST(PipelineEvidence, WithAListElementDroppedFails) {
    std::size_t elements = 0;
    drop_each(honest_claims(), Json::json_pointer{}, elements);
    EXPECT_GT(elements, 30U);
}

TEST(PipelineEvidence, WithAMemberRemovedFails) {
    const Json honest = honest_claims();
    const Json& pipelines = honest.at("pipelines");
    for (std::size_t p = 0; p < pipelines.size(); ++p)
        for (std::size_t i = 0; i < pipelines[p]["stages"].size(); ++i)
            for (const auto& [key, unused] : pipelines[p]["stages"][i].items()) {
                Json claims = honest_claims();
                claims["pipelines"][p]["stages"][i].erase(key);
                EXPECT_NE(verify::overall(checked(with_claims(claims), agree)), Verdict::Holds)
                    << key;
            }
}

struct Edit {
    const char* name;
    const char* path;
    const char* from;
    const char* to;
    const char* step; ///< That notices it.
};
class EditedPipelineEvidence : public testing::TestWithParam<Edit> {};

/// The description, machine or kernels are others than those that the claims are about.
TEST_P(EditedPipelineEvidence, FailsWithoutReAnalysis) {
    const Edit& edit = GetParam();
    const auto steps = checked(with_text(edit.path, edit.from, edit.to), agree);
    EXPECT_NE(verify::overall(steps), Verdict::Holds) << text_of(steps);
    EXPECT_NE(tests::step_of(steps, edit.step).verdict, Verdict::Holds) << text_of(steps);
}

constexpr const char* xml = "inputs/pipelines.xml";
constexpr const char* json = "claims.json";
INSTANTIATE_TEST_SUITE_P(
    Files, EditedPipelineEvidence,
    testing::ValuesIn(std::vector<Edit>{
        {"LongerStage", xml, "at-most=\"400us\"", "at-most=\"401us\"", "times"},
        {"ShorterStage", xml, "at-most=\"400us\"", "at-most=\"399us\"", "times"},
        {"SmallerDeadline", xml, "deadline=\"4ms\"", "deadline=\"0.2ms\"", "fixed point"},
        {"HigherRate", xml, "distance=\"5ms\"", "distance=\"1ms\"", "fixed point"},
        {"MoreJitter", xml, "jitter=\"100us\"", "jitter=\"101us\"", "fixed point"},
        {"OtherOrder", xml, "order=\"priority\"", "order=\"any\"", "schema"},
        {"OtherPriority", xml, "priority=\"0\"", "priority=\"3\"", "fixed point"},
        {"MoreTraffic", xml, "dram-traffic=\"100kB\"", "dram-traffic=\"200kB\"", "fixed point"},
        {"UnknownTraffic", xml, "dram-traffic=\"100kB\"", "", "fixed point"},
        {"LessBandwidth", xml, "bandwidth=\"240GB/s\"", "bandwidth=\"239GB/s\"", "fixed point"},
        {"MoreBurst", xml, "burst=\"1MB\"", "burst=\"2MB\"", "fixed point"},
        {"LongerClient", xml, "partition=\"vision\" at-most=\"150us\"",
         "partition=\"vision\" at-most=\"450us\"", "fixed point"},
        {"LinesEvicted", xml, "l2-lines=\"kept\"", "l2-lines=\"evicted\"", "fixed point"},
        {"SlowerClock", xml, "1350..1590MHz", "1349..1590MHz", "times"},
        {"OtherLaunch", xml, "launch=\"2x64\"", "launch=\"3x64\"", "times"},
        {"OtherSms", xml, "multiprocessors=\"30\"", "multiprocessors=\"29\"", "times"},
        {"FactsNotStated", xml, " flow-facts=\"saxpy.xml\"", "", "times"},
        {"LongerLaunch", xml, "launch-at-most=\"20us\"", "launch-at-most=\"21us\"", "times"},
        {"Measured", xml, "at-most=\"2ms\" source", "at-most=\"2ms\" basis=\"measured\" source",
         "times"},
        {"OtherMachine", xml, "machine=\"turing-t4\"", "machine=\"hopper-h200\"", "schema"},
        {"BetterMachine", "model/turing-t4.xml", "Tesla T4", "Tesla T5", "times"},
        {"AssumptionRenumbered", json, "\"id\":\"P2\"", "\"id\":\"P9\"", "schema"},
        {"AssumptionProved", json, "\"status\":\"unchecked\"", "\"status\":\"proved\"", "schema"},
        {"VerdictOfAll", json, "\"verdict\":\"holds\"", "\"verdict\":\"none\"", "fixed point"},
        {"KindRaised", json, "bound-under-assumptions", "proved-bound", "fixed point"},
        {"OtherServer", json, "\"server\":\"rest\"", "\"server\":\"vision\"", "fixed point"},
        {"OtherKernel", json, "\"kernel\":\"K1\"", "\"kernel\":\"K2\"", "times"},
        {"KernelsUnnamed", json, "kernels/manifest.json", "kernels/manifest.jsn", "schema"},
        {"KernelBoundLowered", "kernels/claims.json", "\"side\":\"upper\"", "\"side\":\"uppr\"",
         "times"},
    }),
    [](const auto& row) { return std::string{row.param.name}; });

/// Any damage of any file, with all digests made again: never accepted with a smaller latency.
TEST(PipelineEvidence, DamagedAnywhereIsNotAcceptedWithASmallerLatency) {
    std::size_t place = 0;
    for (const auto& [path, file] : bundle().files) {
        // Of the bundle inside, whose own tests change every file, one file in four.
        const bool is_inside = path.rfind("kernels/", 0) == 0;
        if (path == "manifest.json" || (is_inside && ++place % 4 != 0)) continue;
        for (const std::size_t part : {3U, 2U}) {
            EvidenceFiles files = bundle().files;
            std::string& bytes = files.at(path).bytes;
            char& byte = bytes.at(bytes.size() / part);
            byte = byte == '1' ? '0' : '1';
            seal(files);
            const auto steps = checked(files, rebuild);
            EXPECT_NE(verify::overall(steps), Verdict::Holds) << path << "\n" << text_of(steps);
        }
        EvidenceFiles without = bundle().files;
        without.erase(path);
        seal(without);
        EXPECT_NE(verify::overall(checked(without, rebuild)), Verdict::Holds) << path;
    }
}

TEST(PipelineEvidence, WithFilesSwappedFails) {
    EvidenceFiles files = bundle().files;
    std::swap(files.at("inputs/pipelines.xml").bytes, files.at("model/turing-t4.xml").bytes);
    seal(files);
    EXPECT_EQ(verify::overall(checked(files, rebuild)), Verdict::Incomplete);
    EvidenceFiles flipped = bundle().files;
    flipped.at("claims.json").bytes[10] ^= 1;
    EXPECT_EQ(verify::overall(checked(flipped, rebuild)), Verdict::Tampered);
}

TEST(PipelineEvidence, IsNotMadeWithoutAnUpperBound) {
    PipelineInputs open = inputs();
    const std::string budget = "<traffic level=\"dram\" burst=\"1MB\" rate=\"10GB/s\"/>";
    open.description.replace(open.description.find(budget), budget.size(), "");
    const auto refused = build_pipeline_bundle(open);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("traffic budget of client 'training'"));
}

TEST(PipelineEvidence, OfAMissedDeadlineIsViolatedAndOfAnOpenOneUndecided) {
    for (const auto& [deadline, verdict] :
         {std::pair{"1ms", Verdict::Violated}, std::pair{"2ms", Verdict::Undecided}}) {
        PipelineInputs late = inputs();
        late.description.replace(late.description.find("deadline=\"15ms\""), 15,
                                 std::string{"deadline=\""} + deadline + "\"");
        const auto made = build_pipeline_bundle(late);
        ASSERT_TRUE(made) << to_string(made.error());
        const auto steps = checked(made.value().files, rebuild);
        EXPECT_EQ(verify::overall(steps), verdict) << text_of(steps);
    }
}

/// What rests on an observed time says so where the verdict stands.
TEST(PipelineEvidence, OfAMeasuredTimeHoldsAsAnEstimateOnly) {
    PipelineInputs measured = inputs();
    const std::string stated = "at-most=\"2ms\" source";
    measured.description.replace(measured.description.find(stated), stated.size(),
                                 "at-most=\"2ms\" basis=\"measured\" source");
    const auto made = build_pipeline_bundle(measured);
    ASSERT_TRUE(made) << to_string(made.error());
    const auto steps = checked(made.value().files, rebuild);
    EXPECT_EQ(verify::overall(steps), Verdict::Estimated) << text_of(steps);
    EXPECT_EQ(verify::conclusion_of(steps),
              "holds as a hybrid estimate: a time of a stage was measured, not proved");
    EXPECT_EQ(to_string(tests::step_of(steps, "requirements").verdict), "estimated");
    // Both pipelines share the device: each depends on the measured time.
    const std::string detail = tests::step_of(steps, "requirements").detail;
    EXPECT_THAT(detail, HasSubstr("camera: met, at most"));
    EXPECT_THAT(detail,
                HasSubstr("as a hybrid estimate, deadline 15000000 ns; control: met, at most"));
    EXPECT_THAT(detail, HasSubstr("as a hybrid estimate, deadline 4000000 ns"));
    const Json claims = Json::parse(made.value().files.at("claims.json").bytes);
    EXPECT_EQ(claims.at("kind"), "hybrid-estimate");
    EXPECT_EQ(claims.at("verdict"), "holds");
}

/// One host task of this long, which rests on nothing else.
std::string finding_on_one_task(std::int64_t analysed, std::int64_t claimed) {
    models::PipelineSystem system;
    models::Pipeline pipeline;
    pipeline.name = "long";
    pipeline.distance = models::longest_latency;
    pipeline.overlaps = true;
    models::PipelineStage stage;
    stage.name = "task";
    stage.time.emplace(models::Nanoseconds{analysed}, models::Nanoseconds{analysed});
    pipeline.stages.push_back(stage);
    system.pipelines.push_back(pipeline);
    const auto latency = analyzer::bound_latency(system);
    EXPECT_TRUE(latency.pipelines[0].upper.has_value());
    Json claims{{"pipelines", pipeline_claims(system, latency)},
                {"kind", kind_of_claims(system)},
                {"verdict", verdict_on_all(system, latency)}};
    claims["pipelines"][0]["stages"][0]["end"] = claimed;
    claims["pipelines"][0]["upper"] = claimed;
    try {
        const auto read = verify::read_claimed_pipelines(claims, system);
        verify::check_latencies({system, read});
        return {};
    } catch (const verify::Finding& finding) {
        return to_string(finding.verdict) + ": " + finding.what();
    }
}

/// The analysis has the same limit (Latency.IsBoundedUpToItsLimitAndRefusedBeyond).
TEST(PipelineEvidence, OfTheLongestLatencyHoldsAndOfALongerOneIsIncomplete) {
    const std::int64_t longest = models::longest_latency.count();
    EXPECT_EQ(finding_on_one_task(longest, longest), "");
    EXPECT_THAT(finding_on_one_task(longest, longest + 1),
                HasSubstr("incomplete: claims.json: 144115188075855873: a time from 0 to 2^57 ns"));
}

/// Twenty days: more than verify once took.
TEST(PipelineEvidence, OfTwentyDaysHolds) {
    PipelineInputs days;
    days.tool_version = "1";
    days.description = "<pipelines><device copy-engines=\"1\"><partition name=\"all\" "
                       "multiprocessors=\"1\"/></device>"
                       "<pipeline name=\"slow\" period=\"86400s\" jobs=\"overlap\">";
    for (int day = 1; day <= 20; ++day)
        days.description += "<host name=\"d" + std::to_string(day) +
                            (day == 1 ? "\"" : "\" after=\"d" + std::to_string(day - 1) + "\"") +
                            " at-most=\"86400s\"/>";
    days.description += "</pipeline></pipelines>";
    const auto made = build_pipeline_bundle(days);
    ASSERT_TRUE(made) << to_string(made.error());
    const auto steps = checked(made.value().files, rebuild);
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    EXPECT_THAT(made.value().files.at("claims.json").bytes, HasSubstr("1728000000000000"));
}

/// Claims that were made for a kinder description, beside this one: verify finds it on its own.
class ForgedPipelineEvidence : public testing::TestWithParam<Edit> {};
TEST_P(ForgedPipelineEvidence, FailsWithoutReAnalysis) {
    const Edit& edit = GetParam();
    PipelineInputs kinder = inputs();
    const std::size_t at = kinder.description.find(edit.from);
    ASSERT_NE(at, std::string::npos);
    kinder.description.replace(at, std::string{edit.from}.size(), edit.to);
    const auto made = build_pipeline_bundle(kinder);
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_NE(made.value().files.at("claims.json").bytes, bundle().files.at("claims.json").bytes);
    EvidenceFiles files = bundle().files;
    files.at("claims.json") = made.value().files.at("claims.json");
    seal(files);
    const auto steps = checked(files, agree);
    const Verdict noticed = tests::step_of(steps, edit.step).verdict;
    EXPECT_TRUE(noticed == Verdict::Failed || noticed == Verdict::Incomplete) << text_of(steps);
    EXPECT_EQ(verify::overall(steps), noticed) << text_of(steps);
}

INSTANTIATE_TEST_SUITE_P(
    Claims, ForgedPipelineEvidence,
    testing::ValuesIn(std::vector<Edit>{
        {"PriorityRaised", "", "partition=\"vision\" priority=\"1\"",
         "partition=\"vision\" priority=\"-1\"", "fixed point"},
        {"PrioritiesSwapped", "", "partition=\"vision\" priority=\"2\"",
         "partition=\"vision\" priority=\"0\"", "fixed point"},
        {"OneCopyEngine", "", "copy-engines=\"2\"", "copy-engines=\"1\"", "fixed point"},
        {"JitterRemoved", "", " jitter=\"100us\"", "", "fixed point"},
        {"JitterLower", "", "jitter=\"100us\"", "jitter=\"99us\"", "fixed point"},
        {"JobsRarer", "", "distance=\"5ms\"", "distance=\"6ms\"", "fixed point"},
        {"ClientShorter", "", "partition=\"vision\" at-most=\"150us\"",
         "partition=\"vision\" at-most=\"15us\"", "fixed point"},
        {"ClientNotThere", "", "<kernel partition=\"vision\" at-most=\"150us\"/>", "",
         "fixed point"},
        {"BudgetLower", "", "rate=\"10GB/s\"", "rate=\"9GB/s\"", "fixed point"},
        {"BurstLower", "", "burst=\"1MB\"", "burst=\"999kB\"", "fixed point"},
        {"TrafficLower", "", "dram-traffic=\"100kB\"", "dram-traffic=\"99kB\"", "fixed point"},
        {"NoInterference", "", "l2-lines=\"kept\"", "memory-interference=\"none\"", "fixed point"},
        {"StageNotThere", "",
         "<kernel name=\"log\" after=\"in\" partition=\"rest\" stream=\"c\" "
         "at-most=\"100us\" l2-traffic=\"0B\" dram-traffic=\"0B\"/>",
         "", "schema"},
        {"EdgeNotThere", "", "after=\"filter score\"", "after=\"filter\"", "fixed point"},
        {"ClockHigher", "", "1350..1590MHz", "1580..1590MHz", "times"},
        {"LaunchCheaper", "", "launch-at-most=\"20us\"", "launch-at-most=\"2us\"", "times"},
        {"StageShorter", "", "at-most=\"400us\"", "at-most=\"40us\"", "times"},
        {"DeadlineLater", "", "deadline=\"15ms\"", "deadline=\"16ms\"", "fixed point"},
        {"HardInsteadOfSoft", "", " criticality=\"soft\"", "", "fixed point"},
    }),
    [](const auto& row) { return std::string{row.param.name}; });

} // namespace
} // namespace warpbound::certification
