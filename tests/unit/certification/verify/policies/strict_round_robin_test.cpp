/// \file
/// Bundles of launches whose bound rests on the turns of `lrr` or `srr`.

#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

TEST(LaunchEvidence, OfLooseRoundRobinRestsOnItsOwnCertificatesAndOnThePolicy) {
    for (const char* launch :
         {"turns of one wave", "turns of several waves on several multiprocessors"}) {
        const Bundle bundle = bundle_named(launch);
        EXPECT_THAT(certificates_of_upper_bound(bundle),
                    testing::IsSupersetOf({testing::StartsWith("stall-round-robin-of-"),
                                           testing::StartsWith("drain-round-robin-of-")}));
        EXPECT_EQ(bundle.files.count("analysis/K1/execution-time-upper-stall.json"), 0);
        EXPECT_THAT(bundle.reports.front().assumptions,
                    testing::Contains(testing::Field(
                        &analyzer::Assumption::text,
                        std::string{"Warp schedulers choose in loose round robin."})));
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [](Json& json) { json["policy"] = "gto"; });
        EXPECT_EQ(structure_of(files), Verdict::Failed);
    }
}

/// Somebody forgets the turns that follow, in the table, and brings the sum in line.
TEST(LaunchEvidence, WithATurnLeftOutFails) {
    const Bundle bundle = bundle_named("turns of one wave");
    EvidenceFiles files = bundle.files;
    std::int64_t less = 0;
    edit(files, "analysis/K1/execution-time-upper-drain-round-robin-of-8.json", [&](Json& json) {
        for (Json& edge : json["edges"])
            if (edge[2].get<std::int64_t>() > 0) edge[2] = less = edge[2].get<std::int64_t>() - 1;
        for (Json& node : json["nodes"])
            if (node[1].is_number() && node[1].get<std::int64_t>() > 0)
                node[1] = less = node[1].get<std::int64_t>() - 1;
    });
    ASSERT_GT(less, 0);
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(LaunchEvidence, OfStrictTurnsSumsRoundsOrTheTimesOfWarps) {
    const auto has = [](const char* launch, std::vector<const char*> starts) {
        const auto certificates = certificates_of_upper_bound(bundle_named(launch));
        for (const char* start : starts)
            EXPECT_THAT(certificates, testing::Contains(testing::StartsWith(start))) << launch;
    };
    has("strict turns of several waves of lone warps",
        {"rotations-of-", "stalls-beyond-", "demand-other-schedulers", "drain"});
    has("strict turns of blocks that meet, one wave",
        {"in-isolation", "issue-slots", "residual-occupancy-any-scheduler", "drain"});
    // No result is waited for beyond the slots of 32 warps.
    has("strict turns that take the same time", {"rotations-of-32", "drain"});
    const Bundle bundle = bundle_named("strict turns of several waves of lone warps");
    EXPECT_FALSE(bundle.reports.front().without_evidence);
}

/// Somebody forgets a wait, a slot or a port of one instruction in a table, and brings the bound in
/// line.
TEST(LaunchEvidence, OfStrictTurnsWithACostLoweredFails) {
    int lowered = 0;
    for (const char* launch :
         {"strict turns of several waves of lone warps",
          "strict turns of blocks that meet, one wave", "strict turns that take the same time"}) {
        const Bundle bundle = bundle_named(launch);
        for (const auto& [path, file] : bundle.files) {
            if (path.rfind(certificates_of_kernel, 0) != 0 ||
                path.find(".json") == std::string::npos ||
                path.find("in-isolation") != std::string::npos)
                continue; // Only re-analysis finds the time of one warp again.
            EvidenceFiles files = bundle.files;
            if (!lower_costs(files, path)) continue;
            ++lowered;
            EXPECT_EQ(structure_of(files), Verdict::Failed) << path;
        }
    }
    EXPECT_GE(lowered, 6);
}

TEST(LaunchEvidence, OfStrictTurnsOnAnotherNumberOfWarpsFails) {
    for (const char* launch :
         {"strict turns of several waves of lone warps", "strict turns that take the same time"})
        for (const char* other : {"41x128", "64x128"}) {
            EvidenceFiles files = bundle_named(launch).files;
            edit(files, "inputs/K1/launch.json", [&](Json& json) { json["launch"] = other; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << other;
        }
}

TEST(LaunchEvidence, OfStrictTurnsUnderAnotherPolicyFails) {
    for (const char* launch :
         {"strict turns of one wave on several multiprocessors",
          "strict turns of blocks that meet, one wave", "strict turns that take the same time"})
        for (const char* policy : {"lrr", "gto", "variable-rate:fast=0,every=2"}) {
            EvidenceFiles files = bundle_named(launch).files;
            edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
        }
}

// At a barrier and from block to block the chain leaves the path that such facts speak of.
TEST(LaunchEvidence, OfStrictTurnsUnderFactsAboutWholePathsFails) {
    EvidenceFiles files = bundle_named("strict turns of blocks that meet, one wave").files;
    edit(files, certificates_of_kernel + "in-isolation.json",
         [](Json& json) { json["facts"] = "all"; });
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

/// Two warps of each scheduler, with one path.
Bundle bundle_of_one_path() {
    KernelInput input;
    input.kernel = "line";
    input.listing = "!Kernel line\nMOV R1, R2;\nMOV R3, R1;\nEXIT;\n!EndKernel\n";
    input.architecture =
        models::write_architecture(models::load_architecture("fermi-gtx470").value());
    input.launch = "1x128";
    input.policy = "srr";
    input.multiprocessors = 1;
    BundleInputs made;
    made.tool_version = "1.2.3";
    made.kernels.push_back(std::move(input));
    return build_bundle(made).value();
}

TEST(LaunchEvidence, OfTheOnlyScheduleIsSteppedAgain) {
    const Bundle bundle = bundle_of_one_path();
    EXPECT_FALSE(bundle.reports.front().without_evidence);
    EXPECT_THAT(certificates_of_upper_bound(bundle), testing::IsEmpty());
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
    EXPECT_EQ(structure_of(with_claim_moved(bundle.files, "upper", -1)), Verdict::Failed);
    EXPECT_EQ(structure_of(with_claim_moved(bundle.files, "lower", 1)), Verdict::Failed);
    for (const char* other : {"1x192", "2x128", "1x64"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["launch"] = other; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << other;
    }
    for (const char* policy : {"lrr", "gto", "variable-rate:fast=0,every=2"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
    }
}

/// Releases of a scoreboard that DEPBAR counts, a guarded instruction, and a loop.
constexpr const char* counted_releases = R"(!Arch sm_75
!Kernel counted
  @P0 BRA L0 ?WAIT5_END_GROUP;
  MOV R9, R8 ?WAIT6_END_GROUP;
L0:
  MUFU.COS R1, R10 &wr=0x0 ?WAIT1_END_GROUP;
  MUFU.COS R2, R11 &wr=0x0 ?WAIT1_END_GROUP;
  MUFU.COS R3, R12 &wr=0x0 &rd=0x1 ?WAIT2_END_GROUP;
  DEPBAR.LE SB0, 0x1 ?WAIT4_END_GROUP;
  @P1 MUFU.COS R5, R1 &req={0,1} &wr=0x2 ?WAIT2_END_GROUP;
  FADD R6, R5, R4 &req={2} ?WAIT4_END_GROUP;
L1:
  MUFU.COS R7, R6 &wr=0x4 ?WAIT2_END_GROUP;
  DEPBAR.LE SB4, 0x2 ?WAIT4_END_GROUP;
  @P2 BRA L1 ?WAIT5_END_GROUP;
  EXIT ?WAIT5_END_GROUP;
!EndKernel
)";

TEST(LaunchEvidence, OfStrictTurnsFindsWhatIsOutstandingAgain) {
    models::FlowFacts facts;
    facts.kernel = "counted";
    facts.program_digest = assembly::digest_of(counted_releases);
    facts.loops.push_back({0x80, 1, 5, {}});
    models::Architecture machine = models::load_architecture("turing-t4").value();
    machine.fetch = {};
    machine.register_file = {};
    KernelInput input;
    input.kernel = facts.kernel;
    input.listing = counted_releases;
    input.flow_facts = models::write_flow_facts(facts);
    input.architecture = models::write_architecture(machine);
    input.policy = "srr";
    input.multiprocessors = 1;
    for (const char* launch : {"1x256", "1x288", "3x96", "40x64"}) {
        input.launch = launch;
        BundleInputs made;
        made.tool_version = "1.2.3";
        made.kernels.push_back(input);
        const auto bundle = build_bundle(made);
        ASSERT_TRUE(bundle) << to_string(bundle.error());
        EXPECT_FALSE(bundle.value().reports.front().without_evidence) << launch;
        const auto structure = structure_step(bundle.value().files);
        EXPECT_EQ(structure.verdict, Verdict::Holds) << structure.detail;
    }
}

// Rotations of another length are no evidence of shorter ones.
TEST(LaunchEvidence, OfStrictTurnsWithRotationsOfAnotherLengthFails) {
    const Bundle bundle = bundle_named("strict turns of several waves of lone warps");
    EvidenceFiles files = bundle.files;
    int renamed = 0;
    for (const auto& [path, file] : bundle.files) {
        const auto at = path.find("rotations-of-");
        if (at == std::string::npos) continue;
        files.erase(path);
        files[path.substr(0, at) + "rotations-of-1" + path.substr(path.rfind('.'))] = file;
        ++renamed;
    }
    ASSERT_GT(renamed, 0);
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

TEST(LaunchEvidence, OfOneWarpPerSchedulerIsThatOfAnyWorkConservingPolicy) {
    const Bundle strict = bundle_of({"one warp per scheduler", "1x128", "srr", 1});
    const Bundle greedy = bundle_of({"one warp per scheduler", "1x128", "gto", 1});
    EXPECT_THAT(certificates_of_upper_bound(strict), testing::Contains("stall"));
    EXPECT_EQ(certificates_of_upper_bound(strict), certificates_of_upper_bound(greedy));
    EXPECT_FALSE(strict.reports.front().without_evidence);
    EXPECT_EQ(structure_of(strict.files), Verdict::Holds);
    // With a second warp on each scheduler it would have to wait for turns.
    EvidenceFiles files = strict.files;
    edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "1x256"; });
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

/// Tables of fewer warps are no evidence of more, also where their sums are all 0.
TEST(LaunchEvidence, OfTurnsOfFewerWarpsFails) {
    EvidenceFiles files = bundle_named("turns of one wave").files;
    edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "1x544"; });
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

} // namespace
} // namespace warpbound::certification
