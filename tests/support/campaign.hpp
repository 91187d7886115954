#pragma once
/// \file
/// Shared by long property tests: number of cases, first seed, machines, and threads.

#include "models/architecture/architecture.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpbound::tests {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs `one(random)` on seeds from WARPBOUND_PROPERTY_SEED (or a fixed one) on, until the first
/// failure, whose seed is printed.
template <typename Case> void for_seeds(int cases, Case one) {
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 20261121);
    for (int index = 0; index < cases && !testing::Test::HasFailure(); ++index) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(index);
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomSource random_source{seed};
        one(random_source);
    }
}

struct DescribedMachine {
    models::Architecture architecture;
    int sm = 20;
};

/// One machine with hardware interlocks, three with encoded issue control; without instruction
/// caches, read ports and caches of constants, which have campaigns of their own.
inline std::vector<DescribedMachine> described_machines() {
    std::vector<DescribedMachine> machines;
    for (const auto& [name, sm] : {std::pair{"fermi-gtx470", 20}, std::pair{"maxwell-gtx970", 52},
                                   std::pair{"turing-t4", 75}, std::pair{"hopper-h200", 90}}) {
        auto architecture = models::load_architecture(name);
        EXPECT_TRUE(architecture) << to_string(architecture.error());
        architecture.value().fetch = {};
        architecture.value().register_file = {};
        std::erase_if(architecture.value().memories,
                      [](const models::ValueGroup& memory) { return memory.name == "constant"; });
        machines.push_back({std::move(architecture).value(), sm});
    }
    return machines;
}

/// Checks WARPBOUND_PROPERTY_CASES cases (`otherwise` without it) from WARPBOUND_PROPERTY_SEED on,
/// on all cores: `check(seed, machine)` returns a verdict with a text `failure`, `keep(verdict)` is
/// called under a lock. Ends after the first failure. Returns the number of cases.
template <class Check, class Keep>
std::uint64_t run_campaign(Check check, Keep keep, std::uint64_t otherwise = 600) {
    const std::uint64_t cases = from_environment("WARPBOUND_PROPERTY_CASES", otherwise);
    const std::uint64_t first = from_environment("WARPBOUND_PROPERTY_SEED", 20261121);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    const auto machines = described_machines();
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    std::vector<std::string> failures;
    const auto work = [&] {
        for (std::uint64_t index = next++; index < cases; index = next++) {
            const auto verdict = check(first + index, machines[index % machines.size()]);
            const std::lock_guard lock{mutex};
            keep(verdict);
            if (verdict.failure.empty()) continue;
            failures.push_back(verdict.failure);
            next = cases;
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    for (auto& thread : threads)
        thread.join();
    for (const auto& failure : failures)
        ADD_FAILURE() << failure;
    return cases;
}

/// What a case shows, by name.
using CaseCounts = std::map<std::string, std::uint64_t>;

struct CountedVerdict {
    std::string failure;
    CaseCounts counts{};
};

struct CountedCases {
    std::uint64_t cases = 0;
    CaseCounts counts{}; ///< Of all of them; recorded as properties of the test.
};

/// The same, where `check` returns a `CountedVerdict`.
template <class Check>
CountedCases run_counted_campaign(Check check, std::uint64_t otherwise = 600) {
    CountedCases all;
    const auto keep = [&](const CountedVerdict& verdict) {
        for (const auto& [what, count] : verdict.counts)
            all.counts[what] += count;
    };
    all.cases = run_campaign(check, keep, otherwise);
    for (const auto& [what, count] : all.counts)
        testing::Test::RecordProperty(what, std::to_string(count));
    return all;
}

} // namespace warpbound::tests
