/// \file
/// Attacks on bundles about pipelines: numbers, description, machine, kernels, assumptions.

#include "assembly/support/source_text.hpp"
#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::Close;
using tests::cut;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

constexpr const char* claims = "claims.json";
constexpr const char* description = "inputs/pipelines.xml";
const std::string loop = "/pipelines/0";
const std::string improve = loop + "/stages/3";

/// Every end and the latency are shorter by so much: they still fit together.
auto shorter_by(std::int64_t nanoseconds) {
    return json(claims, [=](Json& file) {
        auto& pipeline = file["pipelines"][0];
        for (auto& stage : pipeline["stages"])
            for (const char* key : {"latest", "end"})
                if (stage[key].get<std::int64_t>() > 300'000)
                    stage[key] = stage[key].get<std::int64_t>() - nanoseconds;
        pipeline["upper"] = pipeline["upper"].get<std::int64_t>() - nanoseconds;
    });
}

/// The first assumption about a stage is said to speak of this one of the same pipeline.
auto about_stage(const std::string& name) {
    return json(claims, [=](Json& file) {
        for (auto& assumption : file["assumptions"]) {
            if (!assumption.contains("stages")) continue;
            assumption["stages"][0]["stage"] = name;
            return;
        }
    });
}

/// The bundle of kernels of another machine's author: the first kernel is claimed to be faster, and
/// everything that names the bundle is in line with it.
void make_kernels_faster(EvidenceFiles& files) {
    Json inner = Json::parse(files.at("kernels/claims.json").bytes);
    for (auto& claim : inner["claims"])
        if (claim.value("side", "") == "upper") claim["value"] = 20'000;
    files.at("kernels/claims.json").bytes = inner.dump();
}

/// The lower bounds of the kernels rest on data that other stages do not load meanwhile.
void let_kernels_run_alone(EvidenceFiles& files) {
    const std::string folder = "kernels/";
    EvidenceFiles inner;
    for (const auto& [path, file] : files)
        if (path.starts_with(folder)) inner[path.substr(folder.size())] = file;
    json("claims.json", [](Json& of_kernels) {
        for (Json& claim : of_kernels["claims"])
            if (claim.value("side", "") == "lower")
                claim["proof"]["loaded-data"] = {
                    {"bytes", 32}, {"units", 0}, {"sets", Json::array()}};
    })(inner);
    tests::seal(inner);
    for (const auto& [path, file] : inner)
        files.at(folder + path).bytes = file.bytes;
    set(claims, "/kernels/sha256", assembly::digest_of(inner.at("manifest.json").bytes))(files);
}

const std::vector<Tampering> of_pipelines{
    {"LatencyLowered", Honest::Pipeline, set(claims, loop + "/upper", 1), 1, "latency of 'loop'"},
    {"LatencyAndEndsLowered", Honest::Pipeline, shorter_by(1000), 1, "stage '"},
    {"LowerBoundRaised", Honest::Pipeline, set(claims, loop + "/lower", 300'000), 1,
     "latency of 'loop'"},
    {"ResponseLowered", Honest::Pipeline, set(claims, improve + "/response", 200'000), 1,
     "traffic of others"},
    {"ResponseNegative", Honest::Pipeline, set(claims, improve + "/response", -1), 3, "2^57"},
    {"ResponseBeyondTheRange", Honest::Pipeline,
     set(claims, improve + "/response", std::uint64_t{18446744073709551615U}), 3, "whole number"},
    {"ResponseAFraction", Honest::Pipeline, set(claims, improve + "/response", 0.5), 3, "0.5"},
    {"OwnTimeLowered", Honest::Pipeline, set(claims, improve + "/own-time/upper", 1000), 1,
     "own time"},
    {"CyclesLowered", Honest::Pipeline, set(claims, improve + "/cycles/upper", 1000), 1,
     "as its bundle claims"},
    {"BasisStated", Honest::Pipeline, set(claims, improve + "/basis", "stated"), 1, "its time is"},
    {"InterferenceRemoved", Honest::Pipeline, set(claims, improve + "/interference", Json::array()),
     1, "traffic of others"},
    {"DelayLowered", Honest::Pipeline, set(claims, improve + "/interference/0/delay", 0), 1,
     "traffic of others"},
    {"StageRemoved", Honest::Pipeline, cut(claims, improve), 3, "stages"},
    {"PipelineRemoved", Honest::Pipeline, set(claims, "/pipelines", Json::array()), 3, "pipelines"},
    {"BusyPeriodRemoved", Honest::Pipeline, cut(claims, loop + "/stages/1/busy-period"), 1,
     "no busy period"},
    {"BusyPeriodShort", Honest::Pipeline, set(claims, loop + "/stages/1/busy-period", 10), 1,
     "busy period"},
    {"AssumptionRemoved", Honest::Pipeline,
     json(claims, [](Json& file) { file["assumptions"].erase(file["assumptions"].size() - 1); }), 1,
     "claims.json"},
    {"AssumptionReworded", Honest::Pipeline,
     set(claims, "/assumptions/0/text", "Nothing is assumed."), 1, "claims.json"},
    {"AssumptionOfAnotherStage", Honest::Pipeline, about_stage("improve"), 1, "claims.json"},
    {"AssumptionOfNoStage", Honest::Pipeline, about_stage("nothing"), 3, "not described"},
    {"AssumptionsRemoved", Honest::Pipeline, set(claims, "/assumptions", Json::array()), 3,
     "no assumptions"},
    {"KindRaised", Honest::Pipeline, set(claims, loop + "/kind", "proved-bound"), 1,
     "proved-bound"},
    {"VerdictOfTheBundle", Honest::Pipeline, set(claims, "/verdict", "proved"), 1, "verdict"},
    {"DeadlineRaised", Honest::Pipeline, set(claims, loop + "/deadline", 9'000'000), 1,
     "deadline of 'loop'"},
    {"ClockRaised", Honest::Pipeline, set(claims, "/clock/lo", 1'250'000'000), 1, "clock"},
    {"DerivedTrafficLowered", Honest::Pipeline, set(claims, loop + "/stages/2/traffic/l2", 100'000),
     1, "may move"},
    {"DerivedTrafficRemoved", Honest::Pipeline, cut(claims, loop + "/stages/2/traffic"), 1,
     "re-analysis"},
    {"TrafficOfACopyDerived", Honest::Pipeline,
     set(claims, loop + "/stages/1/traffic", Json{{"l2", 0}}), 1, "does not follow from code"},
    {"DescribedTrafficLowered", Honest::Pipeline, text(description, "400kB", "300kB"), 1,
     "re-analysis"},
    {"DescribedBudgetRaised", Honest::Pipeline, text(description, "rate=\"60GB/s", "rate=\"90GB/s"),
     1, "traffic of others"},
    {"DescribedDistanceLowered", Honest::Pipeline,
     text(description, "period=\"1ms\"", "period=\"500us\""), 1, "loop"},
    {"DescribedSms", Honest::Pipeline,
     text(description, "multiprocessors=\"4\"", "multiprocessors=\"2\""), 1, "number of SMs"},
    {"DescribedLaunch", Honest::Pipeline, text(description, "launch=\"1x64\"", "launch=\"9x64\""),
     1, "launch"},
    {"DescribedKernel", Honest::Pipeline,
     text(description, "kernel=\"improve\"", "kernel=\"observe\""), 1, "name"},
    {"DescriptionOfAnotherMachine", Honest::Pipeline, text(description, "ampere-orin", "turing-t4"),
     1, "turing-t4"},
    {"DescriptionEmpty", Honest::Pipeline, put(description, ""), 3, description},
    {"DescriptionRemoved", Honest::Pipeline, drop(description), 3, description},
    {"MachineFaster", Honest::Pipeline,
     text("model/ampere-orin.xml", "lo=\"150\" typical=\"250\" hi=\"600\"",
          "lo=\"150\" typical=\"250\" hi=\"300\""),
     1, "the machine of K1"},
    {"KernelsFaster", Honest::Pipeline, make_kernels_faster, 5, "kernels"},
    {"KernelsThatRunAlone", Honest::Pipeline, let_kernels_run_alone, 1, "runs alone"},
    {"KernelsRemoved", Honest::Pipeline,
     [](EvidenceFiles& files) {
         std::erase_if(files,
                       [](const auto& file) { return file.first.rfind("kernels/", 0) == 0; });
     },
     3, "bundle of kernels"},
    {"KernelListingEdited", Honest::Pipeline,
     text("kernels/inputs/K1/listing.sass", "FFMA", "FADD"), 1, "another listing"},
    {"FileNotSealed", Honest::Pipeline, text(description, "900us", "901us"), 5, description,
     Close::Not},
    {"SignedByTheAttacker", Honest::Pipeline, set(claims, loop + "/upper", 1), 1,
     "latency of 'loop'", Close::Sign},
    {"AnotherReportId",
     Honest::Pipeline,
     text(description, "900us", "950us"),
     5,
     "report id",
     Close::Remake,
     {"--report-id", "sha256:0000000000000000000000000000000000000000000000000000000000000000"}},
    {"FormatOfKernels", Honest::Pipeline,
     text("manifest.json", "warpbound-pipeline-evidence/1", "warpbound-evidence/4"), 3,
     "claims.json", Close::Not},
};

WARPBOUND_ATTACKS(TamperedPipelines, of_pipelines);

} // namespace
} // namespace warpbound
