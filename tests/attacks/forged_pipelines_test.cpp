/// \file
/// Attacks on bundles about pipelines by somebody with the tool: claims and kernels that it made
/// for kinder inputs, beside the stated ones, under another version so that no re-analysis decides.

#include "assembly/support/digest.hpp"
#include "certification/bundle/build.hpp"
#include "tests/attacks/bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using certification::BundleInputs;
using tests::all;
using tests::Close;
using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::Tampering;
using tests::text;

using Edit = std::function<void(EvidenceFiles&)>;

constexpr const char* description = "inputs/pipelines.xml";
const std::string kernels_folder = "kernels/";

/// Another version of the tool: that its re-analysis differs shows nothing.
const Edit another_version =
    json("inputs/run.json", [](Json& run) { run["tool"]["version"] = "9"; });

/// Claims of the edited inputs beside the inputs as they are.
Edit claims_for(const Edit& edit) {
    return [edit](EvidenceFiles& files) {
        EvidenceFiles kinder = files;
        edit(kinder);
        tests::remake(kinder);
        files.at("claims.json") = kinder.at("claims.json");
        another_version(files);
    };
}

/// The bundle of kernels, made again from changed inputs, with claims that follow from it.
Edit kernels_with(std::function<void(BundleInputs&)> change) {
    return [change = std::move(change)](EvidenceFiles& files) {
        std::map<std::string, std::string> inner;
        for (const auto& [path, file] : files)
            if (path.rfind(kernels_folder, 0) == 0)
                inner[path.substr(kernels_folder.size())] = file.bytes;
        auto inputs = certification::inputs_of(inner).value();
        change(inputs);
        auto made = certification::build_bundle(inputs);
        if (!made) throw std::runtime_error{to_string(made.error())};
        std::erase_if(files,
                      [](const auto& file) { return file.first.starts_with(kernels_folder); });
        for (auto& [path, file] : made.value().files)
            files[kernels_folder + path] = std::move(file);
        tests::remake(files);
        another_version(files);
    };
}

void replace_all(std::string& bytes, const std::string& from, const std::string& to) {
    std::size_t count = 0;
    for (std::size_t at = bytes.find(from); at != std::string::npos;
         at = bytes.find(from, at + to.size()), ++count)
        bytes.replace(at, from.size(), to);
    if (count == 0) throw std::runtime_error{from + " is not there"};
}
constexpr const char* slow = "lo=\"150\" typical=\"250\" hi=\"600\"";
constexpr const char* fast = "lo=\"150\" typical=\"250\" hi=\"300\"";

void drop_the_client(EvidenceFiles& files) {
    std::string& bytes = files.at(description).bytes;
    const std::size_t begin = bytes.find("  <client");
    const std::string end = "</client>\n";
    bytes.erase(begin, bytes.find(end) + end.size() - begin);
}

/// Code of a kernel that stands for two of different files.
void one_kernel_for_two_files(EvidenceFiles& files) {
    const std::string improve = "<kernel name=\"improve\" after=\"observe\" partition=\"control\" ";
    text(description, improve + "file=\"control.sm_87.sass\" kernel=\"improve\"",
         improve + "file=\"control.sm_87.sass\" kernel=\"observe\"")(files);
    kernels_with([](BundleInputs& inputs) { inputs.kernels.resize(1); })(files);
    text(description, improve + "file=\"control.sm_87.sass\"",
         improve + "file=\"other.sass\"")(files);
}

struct Kinder {
    const char* name;
    Edit edit;
    const char* message;
};
/// Each leads to a smaller latency, or to a verdict that does not hold.
const std::vector<Kinder> kinder{
    {"BudgetLowered", text(description, "rate=\"60GB/s\"", "rate=\"1GB/s\""), "traffic of others"},
    {"BurstRemoved", text(description, "burst=\"128kB\"", "burst=\"0B\""), "traffic of others"},
    {"CoRunnerDropped", drop_the_client, "stage 'in'"},
    {"CoRunnerShorter", text(description, "at-most=\"60us\"", "at-most=\"1us\""), "stage 'in'"},
    {"JitterRemoved", text(description, " jitter=\"20us\"", ""), "may arrive 20000 ns"},
    {"TrafficLowered", text(description, "l2-traffic=\"400kB\"", "l2-traffic=\"4kB\""),
     "traffic of others"},
    {"BandwidthRaised", text(description, "bandwidth=\"400GB/s\"", "bandwidth=\"900GB/s\""),
     "traffic of others"},
    {"InterferenceExcluded", text(description, "l2-lines=\"kept\"", "memory-interference=\"none\""),
     "does not state the traffic of"},
    {"JobsRarer", text(description, "period=\"1ms\"", "period=\"5ms\""), "traffic of others"},
    {"ClockNarrowed", text(description, "1200..1300MHz", "1299..1300MHz"), "the clock"},
    {"StageShorter", text(description, "at-most=\"50us\"", "at-most=\"20us\""), "its own time"},
    {"DeadlineLater", text(description, "deadline=\"900us\"", "deadline=\"950us\""),
     "deadline of 'loop'"},
    {"LaunchCheaper", text(description, "launch-at-most=\"15us\"", "launch-at-most=\"1us\""),
     "its own time"},
};

std::vector<Tampering> forgeries() {
    const Honest base = Honest::Pipeline;
    std::vector<Tampering> rows{
        {"KernelOfASmallerLaunch", base,
         kernels_with([](BundleInputs& inputs) { inputs.kernels[1].launch = "1x32"; }), 1,
         "the launch of K2"},
        {"KernelUnderAnotherPolicy", base,
         kernels_with([](BundleInputs& inputs) { inputs.kernels[1].policy = "lrr"; }), 1,
         "the policy of K2"},
        {"KernelOnMoreSms", base,
         kernels_with([](BundleInputs& inputs) { inputs.kernels[1].multiprocessors = 16; }), 1,
         "the number of SMs of K2"},
        {"KernelsOnAFasterMachine", base, kernels_with([](BundleInputs& inputs) {
             for (auto& kernel : inputs.kernels)
                 replace_all(kernel.architecture, slow, fast);
         }),
         1, "the machine of K1"},
        {"KernelWithFactsThatNobodyStates", base, kernels_with([](BundleInputs& inputs) {
             inputs.kernels[1].flow_facts = "<flow-facts kernel=\"improve\" digest=\"" +
                                            assembly::digest_of(inputs.kernels[1].listing) + "\"/>";
         }),
         1, "the presence of flow facts of K2"},
        {"KernelsExchanged", base, kernels_with([](BundleInputs& inputs) {
             std::swap(inputs.kernels[0], inputs.kernels[1]);
         }),
         1, "the name of K1"},
        {"KernelOfTwoFiles", base, one_kernel_for_two_files, 1, "its code is K2"},
        {"PartitionOfOtherSize", base,
         all({text(description, "multiprocessors=\"4\"", "multiprocessors=\"8\""), tests::remake,
              another_version}),
         1, "the number of SMs of K1"},
        {"KindOfTheVerdictRaised", base, tests::set("claims.json", "/kind", "proved-bound"), 1,
         "is of kind"},
        {"KindOfTheVerdictRemoved", base, tests::cut("claims.json", "/kind"), 3, "kind"},
    };
    for (const Kinder& each : kinder)
        rows.push_back({each.name, base, claims_for(each.edit), 1, each.message});
    return rows;
}
WARPBOUND_ATTACKS(ForgedPipelines, forgeries());

std::string report_id_of(const EvidenceFiles& files) {
    const std::string said = tests::verify_files(files).out;
    const std::size_t at = said.find("report id ") + std::string{"report id "}.size();
    return said.substr(at, std::string{"sha256:"}.size() + 64);
}

/// Made again as a whole for kinder inputs, a bundle is honest: about what it states.
TEST(PipelineOfOtherInputs, StatesThemAndHasAnotherReportId) {
    const EvidenceFiles& honest = tests::honest(Honest::Pipeline);
    const std::string report_id = report_id_of(honest);
    ASSERT_EQ(tests::verify_files(honest, {"--report-id", report_id}).exit_code, 0);
    for (const Kinder& each : kinder) {
        EvidenceFiles files = honest;
        each.edit(files);
        tests::remake(files);
        EXPECT_NE(files.at(description).bytes, honest.at(description).bytes) << each.name;
        const auto verify = tests::verify_files(files, {"--report-id", report_id});
        EXPECT_EQ(verify.exit_code, 5) << each.name << verify.out;
        EXPECT_THAT(verify.out, testing::HasSubstr("report id")) << each.name;
    }
}

/// The machine of the bundle and of its kernels is a faster one of the same name.
TEST(PipelineOnAnotherMachine, SaysThatItsDescriptionIsNotTheShippedOne) {
    EvidenceFiles files = tests::honest(Honest::Pipeline);
    replace_all(files.at("model/ampere-orin.xml").bytes, slow, fast);
    kernels_with([](BundleInputs& inputs) {
        for (auto& kernel : inputs.kernels)
            replace_all(kernel.architecture, slow, fast);
    })(files);
    tests::seal(files);
    const auto verify = tests::verify_files(files);
    EXPECT_THAT(verify.out, testing::ContainsRegex("schema +passed .*machine ampere-orin .+"));
    EXPECT_EQ(tests::verify_files(tests::honest(Honest::Pipeline)).out.find("machine ampere-orin "),
              std::string::npos);
}

} // namespace
} // namespace warpbound
