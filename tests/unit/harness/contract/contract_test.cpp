// The table of rules follows the page; simulated machines hold every rule that is tested; a machine
// with another value than described violates the rules that the value is of.
#include "assembly/support/source_text.hpp"
#include "harness/contract/judge.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warpbound::harness::contract {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsSupersetOf;

models::Architecture described(const std::string& name) {
    return models::load_architecture(name).value();
}

/// The series that a machine gives for the benchmarks of the suite that it runs.
std::vector<RecordedSeries> runs_on(const models::Architecture& machine, Draw draw,
                                    const std::set<std::string>& only = {}) {
    const auto device = simulated_device(machine, models::read_policy("lrr").value());
    Protocol protocol;
    protocol.repetitions = least_runs;
    protocol.warm_up = 0;
    protocol.draw = draw;
    std::vector<RecordedSeries> all;
    for (const auto& suite : suites()) {
        if (suite.name != "contract") continue;
        for (const auto& name : suite.benchmarks) {
            if (!only.empty() && only.count(name) == 0) continue;
            const auto points = points_of(name, machine);
            if (!points) continue;
            for (const auto& point : points.value()) {
                const auto series = measure_point(*device, point, protocol, nullptr);
                if (series)
                    all.push_back(
                        {series_key(point, device->identity(), protocol), series.value().samples});
            }
        }
    }
    return all;
}

std::vector<TestedContractRule> judged(std::vector<RecordedSeries> runs,
                                       const models::Architecture& architecture,
                                       const hypotheses::Recording* recording = nullptr) {
    const auto series = ContractSeries::of(std::move(runs), architecture);
    EXPECT_TRUE(series) << to_string(series.error());
    return test_contract(architecture, series.value(), recording);
}

std::vector<std::string> with(Verdict verdict, const std::vector<TestedContractRule>& all) {
    std::vector<std::string> ids;
    for (const auto& one : all)
        if (one.verdict == verdict) ids.emplace_back(one.rule->id);
    return ids;
}

const TestedContractRule& of(const std::vector<TestedContractRule>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(),
                         [id](const auto& one) { return one.rule->id == id; });
}

TEST(ContractRules, AreThoseOfThePageInItsOrder) {
    const auto page = assembly::read_source(CONTRACT_PAGE);
    ASSERT_TRUE(page);
    std::vector<std::string> headings;
    std::string_view rest = page.value().text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with("### C") && line.find(": ") != std::string_view::npos)
            headings.emplace_back(line.substr(4));
    }
    std::vector<std::string> table;
    for (const auto& rule : contract_rules())
        table.push_back(fmt::format("{}: {}", rule.id, rule.title));
    EXPECT_THAT(table, ElementsAreArray(headings));
}

// Exactly one of: an experiment, rules of scheduling, a reason.
TEST(ContractRules, AreTestedOrSayWhyNot) {
    for (const auto& rule : contract_rules()) {
        const auto experiments = contract_experiments();
        const bool has_experiment =
            std::any_of(experiments.begin(), experiments.end(),
                        [&](const auto& experiment) { return tests(experiment, rule.id); });
        EXPECT_EQ(1,
                  int{has_experiment} + int{!rule.scheduling.empty()} + int{!rule.untested.empty()})
            << rule.id;
        EXPECT_TRUE(hypotheses::read_rules(rule.scheduling)) << rule.id;
    }
    for (const auto& experiment : contract_experiments()) {
        const auto suite = std::find_if(suites().begin(), suites().end(),
                                        [](const Suite& one) { return one.name == "contract"; });
        EXPECT_EQ(
            1, std::count(suite->benchmarks.begin(), suite->benchmarks.end(), experiment.benchmark))
            << experiment.benchmark;
    }
}

// On cards the suite is PTX: every benchmark but the one of predicated-off instructions.
TEST(ContractSuite, IsGeneratedForCards) {
    for (const auto& suite : suites()) {
        if (suite.name != "contract") continue;
        for (const auto& name : suite.benchmarks)
            EXPECT_EQ(name != "switched-off", ptx_points_of(name, {80}).has_value()) << name;
    }
}

TEST(Contract, HoldsOnSimulatedMachinesWhateverIsDrawn) {
    const std::vector<std::string> everywhere{"C20", "C30", "C4",  "C7",  "C8",
                                              "C9",  "C12", "C13", "C15", "C22"};
    for (const auto& [name, draw] : {std::pair{"fermi-gtx470", Draw::Uniform},
                                     {"turing-t4", Draw::Extremes},
                                     {"ampere-a100", Draw::Adversarial},
                                     {"ampere-rtx3060", Draw::AllLow},
                                     {"maxwell-gtx970", Draw::AllHigh}}) {
        const auto machine = described(name);
        const auto all = judged(runs_on(machine, draw), machine);
        EXPECT_THAT(with(Verdict::Violated, all), testing::IsEmpty()) << name;
        EXPECT_THAT(with(Verdict::Holds, all), IsSupersetOf(everywhere)) << name;
        const bool interlocks = machine.issue_control == models::IssueControl::Interlocked;
        EXPECT_EQ(interlocks, of(all, "C5").verdict == Verdict::Holds) << name;
        EXPECT_EQ(interlocks, of(all, "C11").verdict == Verdict::Holds) << name;
        EXPECT_EQ(!interlocks, of(all, "C6").verdict == Verdict::Holds) << name;
    }
}

/// A machine that differs from its description, and the rules that its runs violate.
struct Planted {
    std::string machine;
    std::vector<std::pair<std::string, std::int64_t>> values;
    std::set<std::string> benchmarks; ///< Those that are measured.
    std::vector<std::string> violated;
};

TEST(Contract, IsViolatedByPlantedDeviations) {
    const std::vector<Planted> all{
        {"turing-t4", {{"classes/float-add/latency", 2}}, {"contract-chain-add"}, {"C13"}},
        {"turing-t4", {{"classes/float-add/latency", 9}}, {"contract-chain-add"}, {"C13"}},
        {"fermi-gtx470",
         {{"classes/float-add/latency", 19}},
         {"contract-chain-add"},
         {"C5", "C13"}},
        {"fermi-gtx470",
         {{"classes/float-add/latency", 17}},
         {"contract-chain-add"},
         {"C5", "C13"}},
        {"turing-t4",
         {{"classes/special-function/latency", 9}},
         {"contract-chain-cos"},
         {"C6", "C13"}},
        {"turing-t4",
         {{"classes/special-function/latency", 60}},
         {"contract-chain-cos"},
         {"C6", "C13"}},
        {"turing-t4",
         {{"classes/special-function/initiation", 4}},
         {"contract-port-cos"},
         {"C7", "C12"}},
        {"fermi-gtx470", {{"classes/barrier/latency", 8}}, {"contract-barrier"}, {"C9"}},
        {"fermi-gtx470", {{"classes/barrier/latency", 90}}, {"contract-barrier"}, {"C9"}},
        {"fermi-gtx470",
         {{"schedulers/same-warp-interval", 7}},
         {"contract-independent", "switched-off"},
         {"C4", "C11"}},
        {"fermi-gtx470",
         {{"schedulers/same-warp-interval", 5}},
         {"contract-independent", "switched-off"},
         {"C4", "C11"}},
        {"maxwell-gtx970",
         {{"classes/load-shared/pass-cost", 0}, {"classes/load-shared/initiation", 1}},
         {"contract-conflict"},
         {"C13", "C22"}},
        {"maxwell-gtx970",
         {{"classes/load-shared/pass-cost", 6}},
         {"contract-conflict"},
         {"C13", "C22"}},
        {"fermi-gtx470",
         {{"write-buffer/drain", 1}, {"classes/store-global/initiation", 1}},
         {"contract-stores"},
         {"C8", "C15"}},
        {"turing-t4", {{"limits/max-blocks", 8}}, {"resident-warps"}, {"C20", "C30"}},
        {"turing-t4",
         {{"limits/register-granularity", 512}},
         {"contract-registers"},
         {"C20", "C30"}},
        {"turing-t4",
         {{"limits/shared-memory", 32768}},
         {"contract-shared-memory"},
         {"C20", "C30"}},
    };
    for (const auto& planted : all) {
        const auto machine = described(planted.machine);
        auto other = machine;
        for (const auto& [path, number] : planted.values)
            ASSERT_TRUE(models::override_value(other, path, number)) << path;
        const auto tested = judged(runs_on(other, Draw::Uniform, planted.benchmarks), machine);
        EXPECT_THAT(with(Verdict::Violated, tested),
                    testing::UnorderedElementsAreArray(planted.violated))
            << planted.machine << " " << planted.values.front().first << " "
            << planted.values.front().second;
    }
}

/// Runs of a point of ampere-a100 with one time each.
RecordedSeries chase(const std::vector<std::int64_t>& times,
                     RunAnomaly anomaly = RunAnomaly::None) {
    const auto machine = described("ampere-a100");
    const auto device = simulated_device(machine, models::read_policy("lrr").value());
    const auto point = points_of("contract-chase", machine).value().front();
    RecordedSeries series{series_key(point, device->identity(), {}), {}};
    for (const auto time : times)
        series.samples.push_back({static_cast<std::int64_t>(series.samples.size()),
                                  1,
                                  {time},
                                  {series.samples.empty() ? anomaly : RunAnomaly::None, ""}});
    return series;
}

// 64 loads of at least 30 cycles, less 48 by which clock reads may differ: 1872.
TEST(Contract, CountsEveryRunWithoutAnomaly) {
    const auto machine = described("ampere-a100");
    const auto verdict = [&](const std::vector<RecordedSeries>& runs) {
        return of(judged(runs, machine), "C16").verdict;
    };
    EXPECT_EQ(verdict({chase({1872, 1872, 1872, 1872, 1872})}), Verdict::Holds);
    EXPECT_EQ(verdict({chase({1872, 1872, 1872, 1872, 1871})}), Verdict::Violated);
    EXPECT_EQ(verdict({chase({7, 1872, 1872, 1872, 1872, 1872}, RunAnomaly::Throttled)}),
              Verdict::Holds);
    EXPECT_EQ(verdict({chase({1872, 1872, 1872, 1872})}), Verdict::NotTested);
    EXPECT_EQ(verdict({}), Verdict::NotTested);
    const auto few = judged({chase({7, 1872, 1872, 1872, 1872}, RunAnomaly::Throttled)}, machine);
    EXPECT_THAT(of(few, "C16").missing.front(),
                HasSubstr("4 runs without an anomaly; 5 are needed; first anomaly: throttled"));
}

TEST(Contract, IsNotTestedWithoutAValue) {
    auto machine = described("ampere-a100");
    ASSERT_TRUE(models::set_value(
        machine, "memories/l1/latency",
        {.name = "latency", .unit = "cycles", .interval = {}, .source = "none", .reason = {}}));
    const auto all = judged({chase({1872, 1872, 1872, 1872, 1872})}, machine);
    EXPECT_EQ(of(all, "C16").verdict, Verdict::NotTested);
    EXPECT_THAT(of(all, "C16").missing.front(), HasSubstr("memories/l1/latency is unknown"));
}

TEST(Contract, RefusesForeignSeries) {
    const auto machine = described("ampere-a100");
    auto other = chase({1});
    other.key.device = "simulated:other";
    EXPECT_FALSE(ContractSeries::of({chase({1}), other}, machine));
    auto launched = chase({1});
    launched.key.launch = "1x64";
    EXPECT_FALSE(ContractSeries::of({launched}, machine));
    auto counted = chase({1});
    counted.samples.front().times = {1, 2};
    EXPECT_FALSE(ContractSeries::of({counted}, machine));
    EXPECT_FALSE(ContractSeries::of({chase({1}), chase({1})}, machine));
    auto card = chase({1});
    card.key.device = "cuda:0";
    card.key.device_detail = "Tesla T4, sm_75, CUDA driver 13.0";
    EXPECT_FALSE(ContractSeries::of({card}, machine)); // Another target.
    card.key.device_detail = "A100, sm_80, CUDA driver 13.0";
    EXPECT_FALSE(ContractSeries::of({card}, machine)); // Another kernel.
}

/// Five runs of a point on an AMD card, which all give the number.
RecordedSeries on_amd(const std::string& card, assembly::Target target, const std::string& name,
                      std::int64_t number) {
    const auto points = amd_points_of(name.substr(0, name.find('/')), target);
    for (const auto& point : points.value()) {
        if (point.name != name) continue;
        RecordedSeries series{series_key(point, {"hip:0", card}, {}), {}};
        const auto warps = point.launch.blocks * point.launch.warps_per_block();
        const bool one = point.quantity == Quantity::ResidentBlocks;
        for (std::int64_t run = 0; run < least_runs; ++run)
            series.samples.push_back(
                {run,
                 1,
                 std::vector<std::int64_t>(one ? 1U : static_cast<std::size_t>(warps), number),
                 {RunAnomaly::None, ""}});
        return series;
    }
    ADD_FAILURE() << name;
    return {};
}

const std::string mi210_card = "AMD Instinct MI210, gfx90a, HIP runtime 6.2.41134";
constexpr assembly::Target gfx90a{.gfx = 0x90a};

RecordedSeries on_mi210(const std::string& name, std::int64_t number) {
    return on_amd(mi210_card, gfx90a, name, number);
}

// 32 wavefronts of 64 lanes: 3 blocks of 10, and 32 of one, which need no barrier. A SIMD has 512
// VGPRs of a lane, so 4 wavefronts of 128: 3 blocks of 5 on four SIMDs.
TEST(Contract, CountsWavefrontsOnAmd) {
    const auto machine = described("cdna2-mi210");
    const auto verdict = [&](const std::string& name, std::int64_t blocks) {
        return of(judged({on_mi210(name, blocks)}, machine), "C20").verdict;
    };
    EXPECT_EQ(verdict("resident-warps/warps=1/blocks=66", 32), Verdict::Holds);
    EXPECT_EQ(verdict("resident-warps/warps=1/blocks=66", 16), Verdict::Violated);
    EXPECT_EQ(verdict("resident-warps/warps=10/blocks=66", 3), Verdict::Holds);
    EXPECT_EQ(verdict("resident-warps/warps=10/blocks=66", 1), Verdict::Violated);
    const std::string registers = "contract-registers/registers=128/warps=5/blocks=66";
    EXPECT_EQ(verdict(registers, 3), Verdict::Holds);
    EXPECT_EQ(verdict(registers, 4), Verdict::Violated);
}

// 64 lanes on 32 banks: two groups of lanes, so 2 and 64 passes; 256 x (43 + 63 x 1) less what the
// clock reads differ by are required, at most 256 x (62 x 24 + ..) more.
TEST(Contract, CountsBankConflictsOfAWavefront) {
    const auto machine = described("cdna2-mi210");
    const auto verdict = [&](std::int64_t conflicts) {
        return of(judged({on_mi210("contract-conflict/n=1", 256 * 80),
                          on_mi210("contract-conflict/n=32", conflicts)},
                         machine),
                  "C22")
            .verdict;
    };
    EXPECT_EQ(verdict(256 * (43 + 63)), Verdict::Holds);
    EXPECT_EQ(verdict(256 * (43 + 31)), Verdict::Violated);
    EXPECT_EQ(verdict(256 * (80 + 62 * 24)), Verdict::Holds);
    EXPECT_EQ(verdict(256 * (80 + 62 * 24 + 100)), Verdict::Violated);
}

// The loop over 64 additions of 4 cycles ends with three scalar instructions of 4 to 8 and a
// branch.
TEST(Contract, TimesChainsOnAmd) {
    const auto machine = described("cdna2-mi210");
    const auto verdict = [&](std::int64_t few, std::int64_t many) {
        return of(judged({on_mi210("contract-chain-add/n=8", few),
                          on_mi210("contract-chain-add/n=64", many)},
                         machine),
                  "C13")
            .verdict;
    };
    EXPECT_EQ(verdict(256 * (8 * 4 + 28), 256 * (64 * 4 + 28)), Verdict::Holds);
    EXPECT_EQ(verdict(256 * (8 * 4 + 28), 256 * (64 * 4 + 56)), Verdict::Holds);
    EXPECT_EQ(verdict(256 * (8 * 6 + 28), 256 * (64 * 6 + 28)), Verdict::Violated);
    EXPECT_EQ(verdict(256 * (8 * 4 + 28), 256 * (64 * 3 + 28)), Verdict::Violated);
}

TEST(Contract, NamesWhatHasNoCodeForAmd) {
    const auto all = judged({on_mi210("contract-chain-add/n=8", 9000)}, described("cdna2-mi210"));
    const auto missing = [&](std::string_view id) {
        EXPECT_EQ(of(all, id).verdict, Verdict::NotTested) << id;
        return of(all, id).missing.front();
    };
    EXPECT_THAT(missing("C7"), HasSubstr("blocks of more than 1024 work-items"));
    EXPECT_THAT(missing("C8"), HasSubstr("blocks of more than 1024 work-items"));
    EXPECT_THAT(missing("C11"), HasSubstr("has no form for AMD"));
    EXPECT_THAT(missing("C16"), HasSubstr("was not measured"));
    EXPECT_THAT(missing("C33"), HasSubstr("do not run on hip:<n>"));
    EXPECT_THAT(missing("C99"), HasSubstr("no experiment"));
}

TEST(Contract, RefusesADescriptionOfOtherWavefronts) {
    const auto run = on_amd("AMD Radeon RX 6900 XT, gfx1030, HIP runtime 6.2.41134",
                            {.gfx = 0x1030}, "contract-chain-add/n=8", 9000);
    EXPECT_TRUE(ContractSeries::of({run}, described("rdna2-6900xt")));
    const auto refused = ContractSeries::of({run}, described("rdna2-6900xt-w64"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("wavefronts of 32 lanes"));
}

TEST(Contract, TakesRulesOfSchedulingFromARecording) {
    const auto machine = described("ampere-a100");
    EXPECT_EQ(of(judged({}, machine), "C33").verdict, Verdict::NotTested);
    const hypotheses::Recording none{};
    const auto all = judged({}, machine, &none);
    EXPECT_EQ(of(all, "C33").verdict, Verdict::NotTested);
    EXPECT_THAT(of(all, "C33").missing.front(), HasSubstr("G1 of `hypotheses`"));
}

} // namespace
} // namespace warpbound::harness::contract
