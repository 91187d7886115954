/// \file
/// Bundles of random kernels and launches verify: the check's own control flow, paths, scripts and
/// sums agree with those of the analysis; scripts are tight where their witness meets the bound.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/flow/pair_states.hpp"
#include "certification/verify/memory/shared_bytes.hpp"
#include "certification/verify/solver/farkas.hpp"
#include "certification/verify/solver/script.hpp"
#include "certification/verify/solver/solver.hpp"
#include "certification/verify/structure.hpp"
#include "tests/property/evidence_inputs.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace warpbound {
namespace {

namespace check = certification::verify;
using tests::Drawn;
using tests::input_of;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// One cycle below a bound that a path meets, the solver finds counts, and addition refutes
/// nothing. Without further facts it refutes the script of the bound itself.
void expect_tight_scripts(const certification::Bundle& bundle, std::uint64_t seed) {
    const check::Evidence evidence = check::read_evidence(tests::plain(bundle.files));
    const check::KernelCase& kernel = *evidence.kernels.front();
    const check::SideFlows flows = check::check_flows(kernel);
    const auto is_refuted = [&](const check::Certificate& certificate) {
        const check::ControlFlow& flow = flows.of(certificate);
        return check::is_refuted_by(check::script_of(kernel, flow, certificate),
                                    check::distance_multipliers(flow, certificate));
    };
    for (const check::Certificate& stated : kernel.certificates) {
        check::Certificate certificate = check::with_states(kernel.facts, flows.of(stated), stated);
        const bool is_structural = !certificate.all_facts;
        EXPECT_TRUE(!is_structural || is_refuted(certificate))
            << certificate.id << ", seed " << seed;
        if (certificate.witness.empty() || certificate.witness_cost != certificate.bound) continue;
        certificate.bound += certificate.upper ? -1 : 1;
        EXPECT_EQ(check::ask_z3(
                      check::text_of(check::script_of(kernel, flows.of(certificate), certificate)),
                      std::chrono::minutes{1}),
                  check::Answer::Sat)
            << certificate.id << ", seed " << seed;
        EXPECT_FALSE(is_refuted(certificate)) << certificate.id << ", seed " << seed;
    }
}

/// The check's own bytes at the shared memories are not above what the analysis finds.
void expect_traffic_follows(const certification::Bundle& bundle,
                            const certification::KernelInput& input, std::uint64_t seed) {
    const auto loaded = certification::load(input, "K1");
    ASSERT_TRUE(loaded);
    const auto found = analyzer::bound_traffic(certification::request_of(*loaded.value(), 1));
    const check::Evidence evidence = check::read_evidence(tests::plain(bundle.files));
    try {
        const auto shown = check::most_shared_bytes(*evidence.kernels.front());
        ASSERT_TRUE(found) << to_string(found.error()) << ", seed " << seed;
        for (std::size_t memory = 0; memory < shown.size(); ++memory)
            EXPECT_LE(shown.at(memory), found.value().at(memory)) << "seed " << seed;
    } catch (const check::Finding& finding) {
        EXPECT_FALSE(found) << finding.what() << ", seed " << seed;
    }
}

/// How many bundles have a term of each certificate in their upper bound.
void count_certificates(const certification::Bundle& bundle, std::map<std::string, int>& counts) {
    const check::Evidence evidence = check::read_evidence(tests::plain(bundle.files));
    for (const check::ClaimRow& claim : evidence.kernels.front()->claims)
        for (const check::Term& term : claim.terms)
            if (claim.upper)
                ++counts[term.certificate.substr(
                    0, std::min(term.certificate.find("-of-"), term.certificate.find("-beyond-")))];
}

TEST(EvidenceProperty, OfRandomKernelsVerifies) {
    const std::uint64_t cases = from_environment("WARPBOUND_PROPERTY_CASES", 40);
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 1);
    std::uint64_t refused = 0;
    std::uint64_t not_run = 0;
    std::map<std::string, int> certificates;
    int slotted_on_several = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed));
        try {
            // Bounds of bundles are held against runs like those of `analyze`.
            tests::add_runs(inputs.kernels.front(), 10, harness::Draw::Adversarial);
        } catch (const std::runtime_error&) {
            ++not_run;
        }
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) {
            ++refused; // made-up facts may contradict each other
            if (inputs.kernels.front().flow_facts->find("<exclusive") == std::string::npos &&
                inputs.kernels.front().flow_facts->find("<constraint") == std::string::npos &&
                bundle.error().what.find("follow from the code") == std::string::npos)
                ADD_FAILURE() << to_string(bundle.error()) << ", seed " << seed << "\n"
                              << inputs.kernels.front().listing;
            continue;
        }
        check::Options options;
        options.rebuild = tests::rebuild;
        options.tool_version = "1";
        const auto steps = check::verify(tests::plain(bundle.value().files), options);
        for (const auto& step : steps)
            EXPECT_TRUE(step.verdict == check::Verdict::Holds ||
                        step.verdict == check::Verdict::NotApplicable)
                << step.step << ": " << step.detail << ", seed " << seed;
        expect_tight_scripts(bundle.value(), seed);
        expect_traffic_follows(bundle.value(), inputs.kernels.front(), seed);
        count_certificates(bundle.value(), certificates);
        for (const auto& term :
             bundle.value().reports.front().claim("execution-time", analyzer::Side::Upper)->terms)
            if (term.text == "slots of the warp in which the write buffer is full")
                ++certificates["execution-time-upper-write-buffer"]; // Has no certificate.
        const certification::KernelInput& input = inputs.kernels.front();
        if (input.policy.rfind("variable-rate", 0) == 0 && input.multiprocessors > 1)
            ++slotted_on_several;
    }
    RecordProperty("slotted_on_several_multiprocessors", slotted_on_several);
    EXPECT_GT(slotted_on_several * 20, static_cast<int>(cases) - 20);
    EXPECT_LT(refused * 4, cases + 4);
    EXPECT_LT(not_run * 4, cases + 4);
    const auto met = [&](const char* kind) {
        const int bounds = certificates[std::string{"execution-time-upper-"} + kind];
        RecordProperty(std::string{"bounds_with_"} + kind, bounds);
        return bounds;
    };
    // What waits in memory counts by addresses, without certificates: tests of caches say more.
    for (const char* kind : {"stall", "demand-own-scheduler", "demand-other-schedulers", "drain"})
        EXPECT_GT(met(kind) * 10, static_cast<int>(cases)) << kind;
    for (const char* kind :
         {"barrier-interval", "in-any-warp-slot", "issue-slots", "ports-1",
          "ports-in-any-warp-slot", "rotations", "stalls", "within-active-set", "write-buffer"})
        EXPECT_GT(met(kind) * 100, static_cast<int>(cases) - 100) << kind;
}

/// Which bound a bundle claims: that of `analyze`, that of its upper side, or one that may be
/// looser.
enum class Claimed { BoundOfAnalyze, UpperBoundOfAnalyze, WithEvidence };

/// Where schedulers have one warp slot each, the launch is one of any policy.
bool is_of_any_policy(const certification::Report& report) {
    const auto& terms = report.claim("execution-time", analyzer::Side::Upper)->terms;
    return std::any_of(terms.begin(), terms.end(), [](const auto& term) {
        return term.certificate == "execution-time-upper-stall";
    });
}

/// Sums of random launches against `verify` and simulated runs. `texts`: terms that some of them
/// have.
void check_sums(Drawn drawn, const std::vector<const char*>& texts,
                Claimed claimed = Claimed::WithEvidence) {
    const std::uint64_t cases = from_environment("WARPBOUND_PROPERTY_CASES", 100);
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 1);
    std::uint64_t bundles = 0;
    std::uint64_t not_run = 0;
    std::map<std::string, int> terms;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed, drawn));
        try {
            tests::add_runs(inputs.kernels.front(), 10, harness::Draw::Adversarial);
        } catch (const std::runtime_error&) {
            ++not_run; // made-up facts may contradict each other
            continue;
        }
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue;
        ++bundles;
        const certification::Report& report = bundle.value().reports.front();
        if (claimed == Claimed::BoundOfAnalyze && !is_of_any_policy(report)) {
            EXPECT_FALSE(report.without_evidence) << "seed " << seed;
        }
        if (claimed == Claimed::UpperBoundOfAnalyze && report.without_evidence) {
            EXPECT_EQ(report.without_evidence->upper().count(),
                      report.claim("execution-time", analyzer::Side::Upper)->value)
                << "seed " << seed;
        }
        for (const auto& seen : report.observations)
            EXPECT_EQ(seen.outside_bounds, 0) << "seed " << seed;
        const check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
        const auto structure = check::check_structure(evidence);
        EXPECT_EQ(structure.verdict, check::Verdict::Holds)
            << structure.detail << ", seed " << seed;
        for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower})
            for (const auto& term : report.claim("execution-time", side)->terms)
                ++terms[term.text];
    }
    EXPECT_LT(not_run * 4, cases + 4);
    EXPECT_GT(bundles * 4, cases * 3 - 4);
    std::string counts;
    for (const auto& [text, count] : terms)
        counts += std::to_string(count) + " x " + text + "; ";
    testing::Test::RecordProperty("bundles", std::to_string(bundles));
    testing::Test::RecordProperty("terms", counts);
    for (const char* text : texts)
        EXPECT_GT(terms[text] * 100, static_cast<int>(cases) - 100) << text;
}

TEST(EvidenceProperty, OfStrictTurnsAddsUpAndHoldsRuns) {
    check_sums(Drawn::StrictRoundRobin,
               {"one warp in isolation, in each block of the critical path",
                "rotations, one for each instruction of a warp, with a turn of every other warp "
                "and its stall",
                "longer stalls of rotations by a warp, and its port occupancy beyond issue slots",
                "port occupancy of a warp beyond its issue slots",
                "stalls of another warp at its turn",
                "stall of the critical path after a barrier or at the start of a block",
                "stall by warps of another block after a barrier",
                "stall by warps of another block that starts",
                "stall of a rotation by a block that starts",
                "all warps of a scheduler, in strict round robin"},
               Claimed::BoundOfAnalyze);
}

TEST(EvidenceProperty, OfInstructionFetchAddsUpAndHoldsRuns) {
    check_sums(Drawn::Fetch, {"instruction fetch: misses of a scheduler's L0, one after the other",
                              "instruction fetch: misses of the L1, one after the other",
                              "instruction fetch: requests that the L1 instruction cache serves "
                              "before",
                              "instruction fetch: the first line of a block on the critical path"});
}

TEST(EvidenceProperty, OfConstantOperandsAddsUpAndHoldsRuns) {
    check_sums(Drawn::Operands,
               {"constant operands: the first use of a line by a scheduler",
                "constant operands: look-ups of a block on the critical path, of lines that may "
                "have been replaced",
                "constant operands: look-ups of another warp that hold its scheduler"});
}

const std::vector<const char*> waits_at_caches{
    "services at the L1, links, slices and DRAM for the loads of a warp, and the arrival of their "
    "lines",
    "services at links, slices and DRAM for the stores of a warp, and the cycle of each drain",
    "full MSHRs: round trips of the loads of a warp, while as many accesses as fill the entries "
    "are outstanding",
    "full link: transits of the transactions of a warp, while as many as fill the link are in "
    "transit",
    "refreshes of a DRAM channel",
    "refreshes, one before each transfer of a warp",
    "drains of the stores of a warp"};

TEST(EvidenceProperty, OfCachesInSlotsAddsUpAndHoldsRuns) {
    auto texts = waits_at_caches;
    texts.insert(
        texts.end(),
        {"path of a warp in its time slots", "wait for a slot after a barrier",
         "slots of the critical path in which a port is occupied",
         "slots of the warp in which another warp occupies a port",
         "waits for the loads of a warp that end between slots",
         "waits for the write buffer that end between slots, one for each store of a warp"});
    check_sums(Drawn::CachesInSlots, texts, Claimed::BoundOfAnalyze);
}

TEST(EvidenceProperty, OfCachesInStrictTurnsAddsUpAndHoldsRuns) {
    auto texts = waits_at_caches;
    texts.insert(texts.end(), {"one warp in isolation, in each block of the critical path",
                               "issue slots of another warp of the scheduler, one before each turn",
                               "stalls of another warp at its turn",
                               "port occupancy of a warp beyond its issue slots",
                               "replacement and start of a block",
                               "issue slots that run when the critical path changes to a warp"});
    check_sums(Drawn::CachesInTurns, texts, Claimed::BoundOfAnalyze);
}

TEST(EvidenceProperty, OfReadPortsAddsUpAndHoldsRuns) {
    check_sums(Drawn::ReadPorts, {"demand of a warp on its own scheduler: issue slots and ports",
                                  "reads of a warp from bank 0 of the register file"});
}

TEST(EvidenceProperty, OfSlotsBehindTheFrontEndAddsUpAndHoldsRuns) {
    check_sums(Drawn::FrontEndInSlots,
               {"slots of the warp in which another warp occupies a port",
                "slots in which register reads of a warp hold the stages in front of the units",
                "slots that may be blocked again after the start of the last block",
                "slots of the warp in which the write buffer is full",
                "slots of the critical path in which a port is occupied",
                "instruction fetch: misses of a scheduler's L0, one after the other",
                "instruction fetch: the first line of a block on the critical path"},
               Claimed::UpperBoundOfAnalyze);
}

TEST(EvidenceProperty, OfStrictTurnsBehindTheFrontEndAddsUpAndHoldsRuns) {
    check_sums(Drawn::FrontEndInTurns,
               {"port occupancy of a warp beyond its issue slots",
                "longer stalls of rotations by a warp, and its port occupancy beyond issue slots",
                "replacement and start of a block",
                "instruction fetch: misses of a scheduler's L0, one after the other",
                "instruction fetch: the first line of a block on the critical path"},
               Claimed::BoundOfAnalyze);
}

TEST(EvidenceProperty, OfMemoryQueuesAddsUpAndHoldsRuns) {
    check_sums(Drawn::MemoryQueue,
               {"demand of a warp on its own scheduler: issue slots and ports",
                "an instruction that issued before the critical path changed to another warp"});
}

TEST(EvidenceProperty, OfManyWavesAddsUpAndHoldsRuns) {
    check_sums(Drawn::ManyWaves,
               {"delays of a part of the chain of blocks that covers a multiprocessor, beyond its "
                "own demand",
                "demand of a warp on its own scheduler: issue slots and ports",
                "replacement and start of a block"});
}

TEST(EvidenceProperty, OfMemoryQueuesUnderPoliciesThatHoldWarpsBackAddsUpAndHoldsRuns) {
    check_sums(Drawn::HeldBackQueue,
               {"slots of the warp in which the write buffer is full",
                "slots of the warp in which the memory queue of its scheduler is full",
                "slots that a memory queue may block again after the start of the last block",
                "port occupancy of a warp beyond its issue slots",
                "an instruction that issued before the critical path changed to another block",
                "stalls of a warp within the active set, as many warps at a time as it holds"});
}

TEST(EvidenceProperty, OfMemoryQueuesAtBarriersAddsUpAndHoldsRuns) {
    check_sums(Drawn::QueueAtBarriers,
               {"slots of the warp in which the memory queue of its scheduler is full",
                "slots that a memory queue may block by what it holds when a barrier opens"});
}

/// That the script needs each region: without one, counts beyond the bound turn where no path
/// enters.
void expect_needed_regions(const check::KernelCase& kernel, const check::Certificate& certificate,
                           std::uint64_t seed) {
    const check::SideFlows flows = check::check_flows(kernel);
    for (std::size_t region = 0; region < certificate.regions.size(); ++region) {
        check::Certificate without =
            check::with_states(kernel.facts, flows.of(certificate), certificate);
        without.regions.erase(without.regions.begin() + static_cast<std::ptrdiff_t>(region));
        EXPECT_NE(
            check::ask_z3(check::text_of(check::script_of(kernel, flows.of(certificate), without)),
                          std::chrono::minutes{1}),
            check::Answer::Unsat)
            << certificate.id << ", region " << region << ", seed " << seed;
    }
}

std::int64_t upper_of_analyze(const certification::KernelInput& input) {
    const auto loaded = certification::load(input, "K1");
    return analyzer::analyze(certification::request_of(*loaded.value(), 1))
        .value()
        .execution_time.upper.proved.count();
}

// In one of the seeds from 520 to 579 copies of a loop that no path enters would turn for the fact:
// the script says of this region that it has to be entered.
TEST(EvidenceProperty, UnderFactsOnCountsClaimsWhatItsScriptsShow) {
    const std::uint64_t cases = from_environment("WARPBOUND_PROPERTY_CASES", 60);
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 520);
    std::size_t regions = 0;
    int bundles = 0;
    int weaker = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed, Drawn::FactsOnCounts));
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue; // made-up facts may contradict each other
        ++bundles;
        check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
        check::KernelCase& kernel = *evidence.kernels.front();
        for (const check::Certificate& certificate : kernel.certificates) {
            EXPECT_EQ(check::ask_z3(certificate.script, std::chrono::minutes{1}),
                      check::Answer::Unsat)
                << certificate.id << ", seed " << seed;
            if (certificate.regions.empty()) continue;
            regions += certificate.regions.size();
            expect_needed_regions(kernel, certificate, seed);
            if (const auto cvc5 = check::find_cvc5()) {
                EXPECT_EQ(check::ask_cvc5(*cvc5, certificate.script, std::chrono::minutes{1}),
                          check::Answer::Unsat)
                    << certificate.id << ", seed " << seed;
            }
        }
        for (const check::ClaimRow& claim : kernel.claims)
            if (claim.upper && claim.quantity == "execution-time" &&
                claim.value != upper_of_analyze(inputs.kernels.front()))
                ++weaker;
        EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Holds)
            << check::check_structure(evidence).detail << ", seed " << seed;
        for (check::Certificate& certificate : kernel.certificates) {
            if (certificate.regions.empty()) continue;
            certificate.regions.front().insert(certificate.regions.front().begin(), 0);
            EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
                << certificate.id << ", seed " << seed;
        }
    }
    RecordProperty("bundles", bundles);
    RecordProperty("regions", static_cast<int>(regions));
    RecordProperty("claims_above_the_bound_of_analyze", weaker);
    EXPECT_LE(weaker * 100, bundles);
    if (first <= 520 && first + cases >= 580) {
        EXPECT_GE(regions, 1U);
    }
}

/// Changes a text in one place: a bit, a piece less, a piece twice, another number.
void damage(std::string& text, std::mt19937_64& random) {
    if (text.empty()) return;
    const std::size_t at = random() % text.size();
    const std::size_t length = 1 + random() % std::min<std::size_t>(40, text.size() - at);
    switch (random() % 4) {
    case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random() % 8));
        break;
    case 1:
        text.erase(at, length);
        break;
    case 2:
        text.insert(at, text.substr(at, length));
        break;
    default: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) return;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
        constexpr std::array numbers{"0", "1", "-1", "7", "9223372036854775807", "1e9"};
        text.replace(digit, end - digit, numbers[random() % numbers.size()]);
    }
    }
}

// One place of one file is damaged and everything else brought in line with it. Either nothing was
// changed, or a step says so; no damage ends the program.
TEST(EvidenceProperty, DamagedInAnyPlaceDoesNotHold) {
    const std::uint64_t cases = from_environment("WARPBOUND_PROPERTY_CASES", 60);
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 1);
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "2x64", 5));
    auto made = certification::build_bundle(inputs);
    ASSERT_TRUE(made) << to_string(made.error());
    check::Options options;
    options.rebuild = tests::rebuild;
    options.tool_version = "1";
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        std::mt19937_64 random{seed};
        certification::EvidenceFiles files = made.value().files;
        auto file = std::next(files.begin(), static_cast<std::ptrdiff_t>(random() % files.size()));
        const std::string path = file->first;
        const std::string before = file->second.bytes;
        damage(file->second.bytes, random);
        if (file->second.bytes == before) continue;
        try {
            tests::seal_again(files);
        } catch (const std::exception&) {
            // What the seal itself is made of cannot be read any more: left as it is.
        }
        const auto steps = check::verify(tests::plain(files), options);
        const bool mended = files.count(path) != 0 && files.at(path).bytes == before;
        EXPECT_EQ(check::overall(steps) == check::Verdict::Holds, mended)
            << path << ", seed " << seed;
    }
}

} // namespace
} // namespace warpbound
