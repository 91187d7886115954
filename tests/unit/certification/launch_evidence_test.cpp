/// \file
/// Bundles of launches whose bound is a sum of many terms: each number of the sum is recomputed.

#include "models/architecture/value_path.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

struct Launched {
    const char* name;
    const char* launch;
    const char* policy;
    std::int64_t multiprocessors;
    /// Of a DRAM behind small caches, through which the accesses then go.
    std::optional<std::int64_t> refresh_interval{};
    bool meets = false;    ///< Warps of a block meet at barriers.
    bool branches = false; ///< Another kernel, whose paths differ in what they need.
};

/// A path with much work for the others, and one that takes long by itself: the bound by turns is
/// the smaller one.
void take_branching_kernel(KernelInput& input, models::Architecture& machine) {
    input.kernel = "branching";
    input.listing = "!Kernel branching\n@P0 BRA L;\n";
    for (int work = 0; work < 200; ++work)
        input.listing += "FADD R" + std::to_string(10 + work % 40) + ", R2, R3;\n";
    input.listing += "ST [R8], R4;\nEXIT;\nL:\n";
    for (int step = 0; step < 100; ++step)
        input.listing += "FADD R1, R1, R1;\n";
    input.listing += "EXIT;\n!EndKernel\n";
    models::FlowFacts facts;
    facts.kernel = input.kernel;
    facts.program_digest = assembly::digest_of(input.listing);
    auto& store = facts.memory.emplace_back();
    store.at = 201 * 8;
    store.transactions = {1, 1};
    input.flow_facts = models::write_flow_facts(facts);
    machine = models::load_architecture("fermi-gtx470").value();
    tests::set_value(machine.write_buffer, "entries", {4, 4, 4});
}

/// Warps load and store rows of lines behind each other.
void lead_through_caches(KernelInput& input, models::Architecture& machine,
                         std::int64_t refresh_interval) {
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    std::erase_if(machine.memories, [](const auto& memory) { return memory.name == "constant"; });
    for (const auto& [path, value] : std::vector<std::pair<const char*, std::int64_t>>{
             {"memories/l1/mshr-entries", 6},
             {"memories/interconnect/queue", 2},
             {"memories/dram/refresh-duration", 200},
             {"memories/dram/refresh-interval", refresh_interval}})
        ASSERT_TRUE(models::override_value(machine, path, value)) << path;
    auto facts = models::read_flow_facts({"flow-facts.xml", *input.flow_facts}).value();
    for (auto& fact : facts.memory) {
        fact.transactions.reset();
        auto& pattern = fact.pattern.emplace();
        pattern.thread_stride = 16;
        pattern.warp_stride = 512;
        pattern.iteration_stride = 8192;
    }
    input.flow_facts = models::write_flow_facts(facts);
}

/// saxpy's loop, or a convolution with barriers, on a T4 whose blocks follow each other at a
/// made-up cost.
Bundle bundle_of(const Launched& launched) {
    BundleInputs made;
    made.tool_version = "1.2.3";
    KernelInput input =
        launched.meets
            ? tests::example_kernel("convolution/sm_75.sass", "convolution_rows",
                                    "convolution/sm_75.rows.flow-facts.xml", "turing-t4",
                                    launched.launch, 0)
            : tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml",
                                    "turing-t4", launched.launch, 0);
    auto architecture = models::read_architecture({"turing-t4", input.architecture}).value();
    if (launched.branches) take_branching_kernel(input, architecture);
    tests::set_value(architecture.blocks, "replacement", {3, 5, 9});
    tests::set_value(architecture.blocks, "start", {5, 5, 20});
    if (launched.refresh_interval)
        lead_through_caches(input, architecture, *launched.refresh_interval);
    input.architecture = models::write_architecture(architecture);
    input.policy = launched.policy;
    input.multiprocessors = launched.multiprocessors;
    made.kernels.push_back(std::move(input));
    return build_bundle(made).value();
}

constexpr const char* cached_in_slots = "slots and accesses through caches, several waves";
constexpr const char* cached_in_turns = "strict turns and accesses through caches, several waves";

const std::vector<Launched>& launches() {
    static const std::vector<Launched> list{
        {"one wave on several multiprocessors", "40x128", "lrr", 8},
        {"several waves on several multiprocessors", "40x128", "gto", 2},
        {"slots of one wave", "5x128", "variable-rate:fast=0,every=3", 1},
        {"slots of several waves", "20x128", "variable-rate:fast=1,every=2", 1},
        {"accesses of one warp through caches", "1x32", "lrr", 1, 40'000},
        {"accesses of several waves through caches", "40x128", "gto", 2, 2'000},
        {"slots of blocks that meet, one wave",
         "3x256",
         "variable-rate:fast=0,every=3",
         1,
         {},
         true},
        {"slots of blocks that meet, several waves",
         "9x320",
         "variable-rate:fast=1,every=2",
         1,
         {},
         true},
        {"turns of one wave", "1x512", "lrr", 1, {}, false, true},
        {"turns of several waves on several multiprocessors", "40x128", "lrr", 2, {}, false, true},
        {"strict turns of one wave on several multiprocessors", "40x128", "srr", 8},
        {"strict turns of several waves of lone warps", "100x32", "srr", 2},
        {"strict turns of several waves of branching blocks", "40x128", "srr", 2, {}, false, true},
        {"strict turns of blocks that meet, one wave", "3x256", "srr", 1, {}, true},
        {"strict turns of blocks that meet, several waves", "9x320", "srr", 2, {}, true},
        {"strict turns that take the same time", "1x1024", "srr", 1, {}, false, true},
        {"slots of one wave on several multiprocessors", "40x128", "variable-rate:fast=0,every=3",
         8},
        {"slots of several waves on several multiprocessors", "40x128",
         "variable-rate:fast=1,every=2", 2},
        {"slots of blocks that meet on several multiprocessors",
         "9x320",
         "variable-rate:fast=1,every=2",
         2,
         {},
         true},
        {"slots and accesses through caches, one wave", "5x128", "variable-rate:fast=0,every=3", 1,
         40'000},
        {cached_in_slots, "20x128", "variable-rate:fast=1,every=2", 1, 2'000},
        {"strict turns and accesses through caches, one wave", "8x128", "srr", 2, 40'000},
        {cached_in_turns, "40x128", "srr", 2, 2'000},
    };
    return list;
}

Bundle bundle_named(const char* name) {
    return bundle_of(*std::ranges::find(launches(), std::string_view{name},
                                        [](const Launched& each) { return each.name; }));
}

Verdict structure_of(EvidenceFiles files) {
    tests::seal_again(files);
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    return tests::step_of(verify::verify(tests::plain(files), asked), "structure").verdict;
}

TEST(LaunchEvidence, ThatIsUntouchedHolds) {
    for (const Launched& launched : launches()) {
        const Bundle bundle = bundle_of(launched);
        const auto steps = verify::verify(tests::plain(bundle.files), options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << launched.name << "\n"
                                                          << text_of(steps);
        EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::Holds) << launched.name;
    }
}

/// A change of one term by somebody who brings the claimed value in line.
using TermChange = std::function<void(Json& terms, std::size_t term)>;

TEST(LaunchEvidence, WithAnyNumberOfASumLoweredOrATermLeftOutFails) {
    const auto lower = [](const char* part) -> TermChange {
        return [part](Json& terms, std::size_t term) {
            terms[term][part] = terms[term][part].get<std::int64_t>() - 1;
        };
    };
    const std::vector<std::pair<const char*, TermChange>> changes{
        {"count", lower("count")},
        {"cycles", lower("cycles")},
        {"left out", [](Json& terms, std::size_t term) { terms.erase(term); }}};
    for (const Launched& launched : launches()) {
        const Bundle bundle = bundle_of(launched);
        const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
        std::size_t changed = 0;
        for (std::size_t claim = 0; claim < claims.size(); ++claim)
            for (std::size_t term = 0; term < claims[claim]["proof"]["terms"].size(); ++term)
                for (const auto& [name, change] : changes) {
                    EvidenceFiles files = bundle.files;
                    edit(files, "claims.json", [&, change = change](Json& json) {
                        Json& row = json["claims"][claim];
                        change(row["proof"]["terms"], term);
                        row["value"] = tests::sum_of_terms(row["proof"]["terms"]);
                    });
                    ++changed;
                    EXPECT_EQ(structure_of(files), Verdict::Failed)
                        << launched.name << ", claim " << claim << ", term " << term << ", "
                        << name;
                }
        EXPECT_GE(changed, 12U) << launched.name; // four terms of both bounds at least
    }
}

const std::string lemmas_of_kernel = "analysis/K1/execution-time-upper-";

std::vector<std::string> lemmas_of_upper_bound(const Bundle& bundle) {
    std::vector<std::string> lemmas;
    const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
    for (const auto& term : claims[0]["proof"]["terms"])
        if (const auto lemma = term.value("lemma", std::string{}); !lemma.empty())
            lemmas.push_back(lemma.substr(std::string{"execution-time-upper-"}.size()));
    return lemmas;
}

TEST(LaunchEvidence, OfBlocksThatMeetCountsThePlaceWhereItTakesLongest) {
    for (const std::size_t launch : {6U, 7U})
        EXPECT_THAT(lemmas_of_upper_bound(bundle_of(launches()[launch])),
                    testing::IsSupersetOf({"in-any-place", "ports-in-any-place"}));
}

// At a barrier the chain leaves the path that such facts speak of.
TEST(LaunchEvidence, OfBlocksThatMeetUnderFactsAboutWholePathsFails) {
    EvidenceFiles files = bundle_of(launches()[6]).files;
    edit(files, "analysis/K1/execution-time-upper-in-any-place.json",
         [](Json& json) { json["facts"] = "all"; });
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(LaunchEvidence, OfAccessesThroughCachesSumsWhatTheyWaitFor) {
    EXPECT_THAT(lemmas_of_upper_bound(bundle_of(launches()[5])),
                testing::IsSupersetOf({"loads", "stores", "entries", "link", "refreshes"}));
}

TEST(LaunchEvidence, OfAccessesInSlotsSumsWaitsThatEndBetweenSlots) {
    const auto lemmas = lemmas_of_upper_bound(bundle_named(cached_in_slots));
    EXPECT_THAT(lemmas, testing::IsSupersetOf({"loads", "stores", "entries", "link", "drain",
                                               "loads-between-slots", "stores-between-slots"}));
    EXPECT_THAT(lemmas, testing::Not(testing::Contains("buffer-in-any-place")));
}

TEST(LaunchEvidence, OfAccessesInStrictTurnsSumsTimesOfWarpsAndWhatAllWaitFor) {
    const auto lemmas = lemmas_of_upper_bound(bundle_named(cached_in_turns));
    EXPECT_THAT(lemmas, testing::IsSupersetOf(
                            {"alone", "slots", "loads", "stores", "entries", "link", "drain"}));
    EXPECT_THAT(lemmas, testing::Not(testing::Contains(testing::StartsWith("rounds-of-"))));
}

/// Rounds do not count what loads of several warps wait for at caches.
TEST(LaunchEvidence, OfRoundsInWhichLoadsWaitAtCachesFails) {
    EvidenceFiles files = bundle_named(cached_in_turns).files;
    const Bundle rounds = bundle_of(launches()[11]);
    for (const auto& [path, file] : rounds.files)
        if (path.rfind(lemmas_of_kernel + "rounds-of-", 0) == 0) files[path] = file;
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

TEST(LaunchEvidence, ThatMayBeLooserSaysWhatIsBoundedWithoutIt) {
    for (const Launched& launched : launches()) {
        const std::string_view policy = launched.policy;
        const Bundle bundle = bundle_of(launched);
        const auto& report = bundle.reports.front();
        ASSERT_EQ(report.without_evidence.has_value(),
                  launched.refresh_interval || (policy != "lrr" && policy != "gto"))
            << launched.name;
        if (!report.without_evidence) continue;
        EXPECT_GE(report.claim("execution-time", analyzer::Side::Upper)->value,
                  report.without_evidence->upper().count())
            << launched.name;
        EXPECT_LE(report.claim("execution-time", analyzer::Side::Lower)->value,
                  report.without_evidence->lower().count())
            << launched.name;
    }
}

TEST(LaunchEvidence, OfLooseRoundRobinRestsOnItsOwnLemmasAndOnThePolicy) {
    for (const std::size_t launch : {8U, 9U}) {
        const Bundle bundle = bundle_of(launches()[launch]);
        EXPECT_THAT(lemmas_of_upper_bound(bundle),
                    testing::IsSupersetOf({testing::StartsWith("stall-by-turns-of-"),
                                           testing::StartsWith("drain-by-turns-of-")}));
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
    const Bundle bundle = bundle_of(launches()[8]);
    EvidenceFiles files = bundle.files;
    std::int64_t less = 0;
    edit(files, "analysis/K1/execution-time-upper-drain-by-turns-of-8.json", [&](Json& json) {
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
    const auto has = [](std::size_t launch, std::vector<const char*> starts) {
        const auto lemmas = lemmas_of_upper_bound(bundle_of(launches()[launch]));
        for (const char* start : starts)
            EXPECT_THAT(lemmas, testing::Contains(testing::StartsWith(start)))
                << launches()[launch].name;
    };
    has(11, {"rounds-of-", "waits-beyond-", "other", "drain"});
    has(13, {"alone", "slots", "held-anywhere", "drain"});
    has(15, {"rounds-of-", "waits-beyond-", "drain"});
    const Bundle bundle = bundle_of(launches()[11]);
    EXPECT_TRUE(bundle.reports.front().without_evidence);
}

/// Somebody forgets a wait, a slot or a port of one instruction in a table, and brings the bound in
/// line.
TEST(LaunchEvidence, OfStrictTurnsWithACostLoweredFails) {
    int lowered = 0;
    for (const std::size_t launch : {11U, 13U, 15U}) {
        const Bundle bundle = bundle_of(launches()[launch]);
        for (const auto& [path, file] : bundle.files) {
            if (path.rfind(lemmas_of_kernel, 0) != 0 || path.find(".json") == std::string::npos ||
                path.find("alone") != std::string::npos)
                continue; // Only re-analysis finds the time of one warp again.
            EvidenceFiles files = bundle.files;
            bool has_cost = false;
            edit(files, path, [&](Json& json) {
                for (Json& node : json["nodes"])
                    if (node[1].is_number() && node[1].get<std::int64_t>() > 0) {
                        node[1] = node[1].get<std::int64_t>() - 1;
                        has_cost = true;
                    }
                if (has_cost) json["bound"] = json["bound"].get<std::int64_t>() - 1;
            });
            if (!has_cost) continue;
            ++lowered;
            EXPECT_EQ(structure_of(files), Verdict::Failed) << path;
        }
    }
    EXPECT_GE(lowered, 6);
}

TEST(LaunchEvidence, OfStrictTurnsOnAnotherNumberOfWarpsFails) {
    for (const std::size_t launch : {11U, 15U})
        for (const char* other : {"41x128", "64x128"}) {
            EvidenceFiles files = bundle_of(launches()[launch]).files;
            edit(files, "inputs/K1/launch.json", [&](Json& json) { json["launch"] = other; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << other;
        }
}

TEST(LaunchEvidence, OfStrictTurnsUnderAnotherPolicyFails) {
    for (const std::size_t launch : {10U, 13U, 15U})
        for (const char* policy : {"lrr", "gto", "variable-rate:fast=0,every=2"}) {
            EvidenceFiles files = bundle_of(launches()[launch]).files;
            edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
        }
}

// At a barrier and from block to block the chain leaves the path that such facts speak of.
TEST(LaunchEvidence, OfStrictTurnsUnderFactsAboutWholePathsFails) {
    EvidenceFiles files = bundle_of(launches()[13]).files;
    edit(files, lemmas_of_kernel + "alone.json", [](Json& json) { json["facts"] = "all"; });
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(LaunchEvidence, OfOneWarpPerSchedulerIsThatOfAnyWorkConservingPolicy) {
    const Bundle strict = bundle_of({"one warp per scheduler", "1x128", "srr", 1});
    const Bundle greedy = bundle_of({"one warp per scheduler", "1x128", "gto", 1});
    EXPECT_THAT(lemmas_of_upper_bound(strict), testing::Contains("stall"));
    EXPECT_EQ(lemmas_of_upper_bound(strict), lemmas_of_upper_bound(greedy));
    EXPECT_FALSE(strict.reports.front().without_evidence);
    EXPECT_EQ(structure_of(strict.files), Verdict::Holds);
    // With a second warp on each scheduler it would have to wait for turns.
    EvidenceFiles files = strict.files;
    edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "1x256"; });
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

/// Tables of fewer warps are no evidence of more, also where their sums are all 0.
TEST(LaunchEvidence, OfTurnsOfFewerWarpsFails) {
    EvidenceFiles files = bundle_of(launches()[8]).files;
    edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "1x544"; });
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

/// A second copy of all nodes keeps every way between blocks, so that one can be left out where
/// paths are.
TEST(LaunchEvidence, WithNodesThatNoPathReachesFails) {
    for (const char* lemma : {"same", "stall"}) {
        const std::string path = std::string{"analysis/K1/execution-time-upper-"} + lemma + ".json";
        EvidenceFiles files = bundle_of(launches()[1]).files;
        edit(files, path, [](Json& json) {
            const std::size_t nodes = json["nodes"].size();
            const Json edges = json["edges"];
            for (std::size_t node = 0; node < nodes; ++node)
                json["nodes"].push_back(Json(json["nodes"][node]));
            for (const Json& edge : edges)
                json["edges"].push_back({edge[0].get<std::size_t>() + nodes,
                                         edge[1].get<std::size_t>() + nodes, edge[2]});
        });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << lemma;
    }
}

TEST(LaunchEvidence, OfLanesThatPartFails) {
    EvidenceFiles files = bundle_of(launches()[8]).files;
    std::string& facts = files.at("inputs/K1/flow-facts.xml").bytes;
    const std::size_t end = facts.rfind("</flow-facts>");
    ASSERT_NE(end, std::string::npos);
    facts.insert(end, "  <divergent at=\"0x0000\"/>\n");
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(LaunchEvidence, OfAccessesThroughCachesListsWhatIsTakenOfThem) {
    const Bundle bundle = bundle_of(launches()[5]);
    std::string assumptions;
    for (const auto& assumption : bundle.reports.front().assumptions)
        assumptions += assumption.text + "\n";
    for (const char* taken :
         {"Caches start empty", "DRAM refreshes at any time", "0x0140 with its address pattern",
          "memories/dram/refresh-duration", "memories/l1/mshr-entries"})
        EXPECT_THAT(assumptions, testing::HasSubstr(taken));
}

/// Somebody forgets what a line needs, in all tables, and brings the sum in line.
TEST(LaunchEvidence, WithACostOfAnAccessLoweredFails) {
    const auto fails = [](const Bundle& bundle, const std::string& kind) {
        EvidenceFiles files = bundle.files;
        const std::string path = "analysis/K1/execution-time-upper-" + kind + ".json";
        edit(files, path, [](Json& lemma) {
            for (auto& edge : lemma["edges"])
                if (edge[2] != 0) edge[2] = edge[2].get<std::int64_t>() - 1;
            for (auto& node : lemma["nodes"])
                if (!node[1].is_null() && node[1] != 0) node[1] = node[1].get<std::int64_t>() - 1;
        });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << kind;
    };
    const Bundle bundle = bundle_of(launches()[5]);
    for (const char* kind : {"loads", "stores", "entries", "link", "refreshes"})
        fails(bundle, kind);
    const Bundle in_slots = bundle_named(cached_in_slots);
    for (const char* kind : {"drain", "loads-between-slots", "stores-between-slots"})
        fails(in_slots, kind);
    const Bundle in_turns = bundle_named(cached_in_turns);
    for (const char* kind : {"drain", "slots", "loads", "stores", "entries", "link"})
        fails(in_turns, kind);
}

/// The sum of fewer waits is none under another policy or for more warps.
TEST(LaunchEvidence, OfAccessesInOtherSlotsOrTurnsFails) {
    for (const char* launch : {cached_in_slots, cached_in_turns}) {
        const Bundle bundle = bundle_named(launch);
        for (const auto& [what, other] : std::vector<std::pair<const char*, const char*>>{
                 {"policy", "variable-rate:fast=1,every=3"},
                 {"policy", "gto"},
                 {"launch", "41x128"},
                 {"launch", "60x128"}}) {
            EvidenceFiles files = bundle.files;
            edit(files, "inputs/K1/launch.json",
                 [&, what = what, other = other](Json& json) { json[what] = other; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << launch << ", " << other;
        }
    }
}

/// The lemmas stay, the description that they are held against says another number.
void expect_failed_with(const Bundle& bundle,
                        const std::vector<std::pair<const char*, std::int64_t>>& values) {
    const std::string path = "model/turing-t4.xml";
    const auto machine = models::read_architecture({path, bundle.files.at(path).bytes}).value();
    for (const auto& [value, number] : values) {
        EvidenceFiles files = bundle.files;
        auto other = machine;
        ASSERT_TRUE(models::override_value(other, value, number)) << value;
        files.at(path).bytes = models::write_architecture(other);
        EXPECT_EQ(structure_of(files), Verdict::Failed) << value;
    }
}

TEST(LaunchEvidence, OnAnotherMemorySystemFails) {
    expect_failed_with(bundle_of(launches()[5]), {{"memories/l1/service", 2},
                                                  {"memories/l1/sector", 32},
                                                  {"memories/l1/mshr-entries", 5},
                                                  {"memories/l1/mshr-merges", 2},
                                                  {"memories/l2/latency", 900},
                                                  {"memories/l2/service", 2},
                                                  {"memories/interconnect/latency", 9},
                                                  {"memories/interconnect/service", 5},
                                                  {"memories/interconnect/queue", 1},
                                                  {"memories/dram/row-miss", 999},
                                                  {"memories/dram/refresh-duration", 201},
                                                  {"classes/load-global/pass-cost", 11}});
    // Of slots: where all loads and stores have a place, none leaves it between slots.
    expect_failed_with(bundle_named(cached_in_slots), {{"memories/l1/queue", 1'000'000},
                                                       {"write-buffer/entries", 1'000'000},
                                                       {"write-buffer/drain", 999},
                                                       {"memories/l1/service", 2}});
}

TEST(LaunchEvidence, WithoutTheLemmaOfAPlaceWhoseSumIsSmallerIsIncomplete) {
    EvidenceFiles files = bundle_of(launches()[2]).files;
    const std::string folder = "analysis/K1/";
    const Json claims = Json::parse(files.at("claims.json").bytes)["claims"];
    const auto used = claims[0]["proof"]["terms"][0]["lemma"].get<std::string>();
    std::size_t others = 0;
    for (const auto& [path, file] : bundle_of(launches()[2]).files) {
        if (path.rfind(folder + "execution-time-upper-every-", 0) != 0 ||
            path.rfind(folder + used + ".", 0) == 0)
            continue;
        files.erase(path);
        ++others;
    }
    ASSERT_GE(others, 2U); // a table and its script
    EXPECT_EQ(structure_of(files), Verdict::Incomplete);
}

TEST(LaunchEvidence, UnderAnotherRateFails) {
    const Bundle bundle = bundle_of(launches()[3]);
    for (const char* policy : {"variable-rate:fast=1,every=3", "lrr", "srr"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        const Verdict verdict = structure_of(files);
        EXPECT_TRUE(verdict == Verdict::Failed || verdict == Verdict::Incomplete) << policy;
    }
}

TEST(LaunchEvidence, OnAnotherNumberOfMultiprocessorsFails) {
    const Bundle bundle = bundle_of(launches()[1]);
    // 41 are more than a T4 has.
    for (const std::int64_t multiprocessors : {0, 1, 3, 41}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json",
             [&](Json& json) { json["multiprocessors"] = multiprocessors; });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << multiprocessors;
    }
}

// Five blocks on one multiprocessor take all places of its schedulers, on two at least three of
// them take the fast place and two others; of five each may get one, which takes the fast place.
TEST(LaunchEvidence, OfSlotsHasNoPathOfAPlaceThatMayStayEmpty) {
    const Bundle bundle = bundle_of(launches()[2]);
    for (const auto& [multiprocessors, verdict] :
         {std::pair{2, Verdict::Holds}, std::pair{5, Verdict::Failed}}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json",
             [&, count = multiprocessors](Json& json) { json["multiprocessors"] = count; });
        EXPECT_EQ(structure_of(files), verdict) << multiprocessors;
    }
}

} // namespace
} // namespace warpbound::certification
