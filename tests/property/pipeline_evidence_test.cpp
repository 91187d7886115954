/// \file
/// What the verifier accepts of a random system is never below what the analyzer finds: its claims
/// pass, and changed ones pass only where no latency is smaller.

#include "analyzer/pipeline/latency.hpp"
#include "certification/pipeline/evidence/pipeline_claims.hpp"
#include "certification/verify/pipeline/latency_inequalities.hpp"
#include "certification/verify/pipeline/own_times.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_pipelines.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using certification::Json;
namespace check = certification::verify;

/// Empty: accepted.
std::string refusal_of(const models::PipelineSystem& system, const Json& claims) {
    try {
        const auto claimed = check::read_claimed_pipelines(claims, system);
        models::PipelineSystem described = system;
        check::check_own_times(described, claimed, {});
        check::check_latencies({described, claimed});
        return {};
    } catch (const check::Finding& finding) {
        return finding.what();
    }
}

bool is_smaller_somewhere(const Json& claims, const analyzer::SystemLatency& latency) {
    for (std::size_t p = 0; p < latency.pipelines.size(); ++p)
        if (claims["pipelines"][p]["upper"].get<std::int64_t>() < *latency.pipelines[p].upper)
            return true;
    return false;
}

/// Changes one to three numbers, mostly to smaller ones and often those of latencies and ends, too,
/// so that the claims still fit together.
Json changed(const Json& honest, std::mt19937_64& random) {
    std::vector<Json::json_pointer> numbers;
    const Json flat = honest.flatten();
    for (const auto& [pointer, value] : flat.items())
        if (value.is_number()) numbers.emplace_back(pointer);
    Json claims = honest;
    for (std::uint64_t left = 1 + random() % 3; left > 0; --left) {
        Json& value = claims[numbers[random() % numbers.size()]];
        const auto old = value.get<std::int64_t>();
        const auto step = static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 50 : 3));
        value = random() % 4 == 0 ? old + step : std::max<std::int64_t>(0, old - step);
    }
    // The latency of the changed ends, and the verdicts: a forger keeps these in line.
    for (auto& pipeline : claims["pipelines"]) {
        std::int64_t upper = 0;
        for (const auto& stage : pipeline["stages"])
            upper = std::max(upper, stage["end"].get<std::int64_t>());
        if (random() % 8 != 0) pipeline["upper"] = upper;
    }
    return claims;
}

TEST(PipelineEvidence, AcceptsNoLatencyBelowTheLeastFixedPoint) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 500);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261127);
    std::uint64_t bounded = 0;
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const auto system = tests::random_pipelines(seed, {.edges = seed % 2 == 0});
        const auto latency = analyzer::bound_latency(system);
        if (!latency.refusal.empty()) continue;
        ++bounded;
        const Json honest{{"pipelines", certification::pipeline_claims(system, latency)},
                          {"kind", certification::kind_of_claims(system)},
                          {"verdict", certification::verdict_on_all(system, latency)}};
        ASSERT_EQ(refusal_of(system, honest), "") << "seed " << seed << honest.dump(1);
        std::mt19937_64 random{seed};
        for (int i = 0; i < 30; ++i) {
            const Json claims = changed(honest, random);
            if (claims == honest) continue;
            const bool passes = refusal_of(system, claims).empty();
            ++(passes ? accepted : refused);
            ASSERT_FALSE(passes && is_smaller_somewhere(claims, latency))
                << "seed " << seed << Json::diff(honest, claims).dump(1) << honest.dump();
        }
    }
    testing::Test::RecordProperty("bounded_systems", std::to_string(bounded));
    testing::Test::RecordProperty("changes_accepted", std::to_string(accepted));
    testing::Test::RecordProperty("changes_refused", std::to_string(refused));
    EXPECT_GE(bounded * 10, cases * 3);
    EXPECT_GT(refused, accepted);
}

} // namespace
} // namespace warpbound
