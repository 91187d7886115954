/// \file
/// lower bound <= every simulated time <= upper bound, from the host's first call to the end of the
/// last copy, over random launches with random copies before and behind them.

#include "analyzer/analyze.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warpbound {
namespace {

using harness::simulator::test::RandomAccesses;

class Case {
public:
    explicit Case(std::uint64_t seed)
        : seed_{seed}, random_source_{seed}, made_{
                                                 harness::simulator::test::random_accesses(seed)} {}

    /// Text of a failure, empty when all times lie inside.
    std::string check() {
        harness::simulator::test::set(made_.machine.geometry, "multiprocessors", 1);
        put("geometry/core-clock", interval(500'000, 2'000'000));
        for (const std::string direction : {"host-to-device", "device-to-host"}) {
            put("transfers/" + direction + "-start", interval(0, 900));
            put("transfers/" + direction + "-bandwidth", interval(500'000, 9'000'000));
        }
        if (seed_ % 3 != 0) put("transfers/call", interval(0, seed_ % 3 == 1 ? 100 : 5000));
        put("transfers/engines", {1, std::nullopt, 1});
        put("blocks/launch", interval(0, 2000));
        analyzer::HostTimeline stream;
        harness::Workload workload;
        workload.kernels.push_back(
            {&made_.program.function, &made_.program.graph, &made_.program.facts, made_.launch});
        add_copies(models::HostOperationKind::CopyToDevice, stream.before, workload);
        workload.operations.push_back({});
        add_copies(models::HostOperationKind::CopyToHost, stream.after, workload);
        analyzer::Request request;
        request.function = &made_.program.function;
        request.graph = &made_.program.graph;
        request.architecture = &made_.machine;
        request.facts = &made_.program.facts;
        request.launch = made_.launch;
        request.host = stream;
        const auto analysis = analyzer::analyze(request);
        if (!analysis) return "not analyzed: " + to_string(analysis.error()) + about();
        const auto bounds = analysis.value().end_to_end->bounds();
        const auto machine =
            harness::simulator::WorkloadMachine::prepare(made_.machine, workload, request.policy);
        if (!machine) return "not simulated: " + to_string(machine.error()) + about();
        std::uint64_t run = seed_ * 7919;
        for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes,
                                harness::Draw::AllLow, harness::Draw::AllHigh}) {
            const auto seen = machine.value()->run({++run, draw, {}});
            if (!seen) return "run refused: " + to_string(seen.error()) + about();
            if (!bounds.contains(models::Cycles{seen.value().makespan}))
                return "simulated " + std::to_string(seen.value().makespan) + " outside [" +
                       std::to_string(bounds.lower().count()) + ", " +
                       std::to_string(bounds.upper().count()) + "]" + about();
        }
        return {};
    }

private:
    [[nodiscard]] std::string about() const { return ", seed " + std::to_string(seed_); }

    std::int64_t number(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random_source_() %
                                              static_cast<std::uint64_t>(hi - lo + 1));
    }
    models::Interval interval(std::int64_t lo, std::int64_t hi) {
        const std::int64_t a = number(lo, hi);
        const std::int64_t b = number(lo, hi);
        return {std::min(a, b), std::nullopt, std::max(a, b)};
    }

    void put(const std::string& path, models::Interval value) {
        tests::put_value(made_.machine, path, value);
    }

    void add_copies(models::HostOperationKind kind, std::vector<models::HostOperation>& copies,
                    harness::Workload& workload) {
        for (std::int64_t left = number(0, 2); left > 0; --left) {
            models::HostOperation copy;
            copy.kind = kind;
            copy.bytes = number(1, 20'000);
            copies.push_back(copy);
            workload.operations.push_back(copy);
        }
    }

    std::uint64_t seed_;
    std::mt19937_64 random_source_;
    RandomAccesses made_;
};

TEST(EndToEnd, NoSimulatedTimeOfARandomCourseLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 200);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    RecordProperty("first_seed", std::to_string(first));
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const std::string failure = Case{seed}.check();
        ASSERT_TRUE(failure.empty()) << failure;
    }
}

} // namespace
} // namespace warpbound
