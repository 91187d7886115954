/// \file
/// Claims of random launches need each of their terms, and sums of their own machine.

#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "tests/property/evidence_inputs.hpp"
#include "tests/support/evidence.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpbound {
namespace {

namespace check = certification::verify;
using tests::Drawn;
using tests::input_of;

// Without one of its terms a claim is no sum that the launch requires, whatever it adds up to.
TEST(EvidenceProperty, OfInstructionFetchNeedsEachTerm) {
    int planted = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed, Drawn::Fetch));
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue;
        check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
        for (check::ClaimRow& claim : evidence.kernels.front()->claims) {
            if (!claim.upper || claim.quantity != "execution-time") continue;
            const check::ClaimRow whole = claim;
            for (std::size_t i = 0; i < whole.terms.size(); ++i) {
                const std::int64_t cycles = whole.terms[i].count * whole.terms[i].cycles;
                if (!whole.terms[i].certificate.empty() || cycles == 0) continue;
                claim.terms.erase(claim.terms.begin() + static_cast<std::ptrdiff_t>(i));
                claim.value -= cycles;
                EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
                    << "seed " << seed << ", term " << i;
                claim = whole;
                ++planted;
            }
        }
    }
    EXPECT_GT(planted, 20);
}

// Sums for a machine whose reads or lines delay more are not those of the bundle.
TEST(EvidenceProperty, BehindTheFrontEndNeedsItsDemand) {
    int planted = 0;
    std::map<std::string, int> found;
    for (std::uint64_t seed = 1; seed <= 48; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(
            input_of(seed, seed % 2 == 0 ? Drawn::FrontEndInSlots : Drawn::FrontEndInTurns));
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue;
        ++planted;
        const auto count = [&](const std::string& what, auto change) {
            check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
            change(evidence.kernels.front()->architecture);
            if (check::check_structure(evidence).verdict == check::Verdict::Failed) ++found[what];
        };
        const std::string order = seed % 2 == 0 ? "slots" : "turns";
        count("banks in " + order, [](models::Architecture& machine) {
            for (auto& value : machine.register_file.values)
                if (value.name == "banks") value.interval = models::Interval{3, 3, 3};
        });
        count("lines in " + order, [](models::Architecture& machine) {
            for (auto& value : machine.fetch.values)
                if (value.name == "l0-miss" || value.name == "l1-miss") value.interval->hi += 40;
        });
    }
    EXPECT_GT(planted, 24);
    for (const char* order : {"slots", "turns"}) {
        EXPECT_GT(found[std::string{"banks in "} + order], 3);
        EXPECT_GT(found[std::string{"lines in "} + order], 6);
    }
}

// Sums of a slower queue, and of a policy that holds warps back, are not those of the bundle.
TEST(EvidenceProperty, OfMemoryQueuesNeedsTheirDemand) {
    int planted = 0;
    int refused = 0;
    int in_other_order = 0;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed, Drawn::MemoryQueue));
        if (inputs.kernels.front().launch.substr(0, 5) == "1x32,") continue;
        if (inputs.kernels.front().launch == "1x32") continue;
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue;
        const auto verdict_of = [&](const auto& change) {
            check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
            change(*evidence.kernels.front());
            return check::check_structure(evidence).verdict;
        };
        ++planted;
        const auto in_turns = verdict_of(
            [](check::KernelCase& kernel) { kernel.policy = models::read_policy("srr").value(); });
        if (in_turns != check::Verdict::Holds) ++in_other_order;
        const auto spaced = verdict_of([](check::KernelCase& kernel) {
            for (auto& value : kernel.architecture.memory_queue.values)
                if (value.name == "interval") value.interval->hi += 40;
        });
        if (spaced == check::Verdict::Failed) ++refused;
        const auto slower = verdict_of([](check::KernelCase& kernel) {
            for (auto& [opcode_class, timing] : kernel.architecture.classes)
                for (auto& value : timing.values.values)
                    if (value.name == "entry") value.interval->hi += 40;
        });
        if (slower == check::Verdict::Failed) ++found;
    }
    EXPECT_GT(planted, 6);
    EXPECT_GT(refused * 2, planted);
    EXPECT_GT(in_other_order * 2, planted); // One warp on each scheduler is in turn at any time.
    // Where no warps share a queue and no barrier is passed, the entry is in the path of a warp.
    EXPECT_GT(found * 2, planted);
}

// Under policies that hold warps back the places, the entries and the path count in each sum.
TEST(EvidenceProperty, OfMemoryQueuesBehindWhichWarpsAreHeldBackNeedsTheirDemand) {
    std::map<std::string, int> planted;
    std::map<std::string, std::map<std::string, int>> found;
    for (std::uint64_t seed = 1; seed <= 72; ++seed) {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input_of(seed, Drawn::HeldBackQueue));
        const std::string policy = inputs.kernels.front().policy.substr(0, 3);
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) continue;
        ++planted[policy];
        const auto count = [&](const std::string& what, auto change) {
            check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
            change(evidence.kernels.front()->architecture);
            if (check::check_structure(evidence).verdict == check::Verdict::Failed)
                ++found[policy][what];
        };
        const auto raise = [](models::ValueGroup& group, const char* name, std::int64_t more) {
            for (auto& value : group.values)
                if (value.name == name) value.interval->hi += more;
        };
        count("interval",
              [&](models::Architecture& machine) { raise(machine.memory_queue, "interval", 40); });
        count("entry", [&](models::Architecture& machine) {
            for (auto& [opcode_class, timing] : machine.classes)
                raise(timing.values, "entry", 80);
        });
        count("path", [&](models::Architecture& machine) {
            raise(machine.memory_queue, "path-interval", 50);
        });
    }
    for (const char* policy : {"srr", "two", "var"}) {
        EXPECT_GT(planted[policy], 10) << policy;
        for (const char* what : {"interval", "entry", "path"})
            EXPECT_GT(found[policy][what] * 2, planted[policy]) << policy << ", " << what;
    }
}

} // namespace
} // namespace warpbound
