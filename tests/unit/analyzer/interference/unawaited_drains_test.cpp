// Stores that drain while a block slot is refilled (docs/theory, S82).

#include "analyzer/interference/interference.hpp"
#include "analyzer/interference/unawaited_drains.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace warpbound::analyzer {
namespace {

TEST(UnawaitedDrains, AreThoseOfStoresThatDoNotFillTheBuffer) {
    const UnawaitedDrains seven{7, 33, 3};
    EXPECT_EQ(seven.in_refill(1000), 7 * 33);
    // Six stores of 36, of which each holds its port for 3.
    EXPECT_EQ(seven.in_refill(6 * 36), 6 * 33);
    EXPECT_EQ(seven.in_refill(10), 0);
    EXPECT_EQ(UnawaitedDrains{}.in_refill(1000), 0);
}

/// Stores of one transaction in 100 blocks of eight warps, four at a time.
std::unique_ptr<Analyzed> launch_of(const std::string& body) {
    auto context = analyzed(body, {}, "turing-t4", 75);
    models::Architecture& machine = context->architecture;
    for (const char* value : {"blocks/replacement", "blocks/start"})
        tests::put_value(machine, value, {0, 100, 100});
    tests::put_value(machine, "classes/store-global/initiation", {2, 2, 2});
    tests::put_value(machine, "write-buffer/entries", {8, 8, 8});
    tests::put_value(machine, "write-buffer/drain", {1, 5, 10});
    tests::put_value(machine, "write-buffer/sector-drain", {0, 0, 0});
    context->facts.kernel = "k";
    models::MemoryFact fact;
    fact.transactions = models::CountRange{1, 1};
    context->facts.memory.push_back(fact);
    context->request.launch = {100, 256};
    context->request.policy = models::read_policy("gto").value();
    return context;
}

/// What a refill counts with, in the sum that is claimed or in another one; none: whole.
std::optional<std::int64_t> refill_of(const Analyzed& context) {
    const Envelope bounds = envelope(context);
    std::optional<std::int64_t> cycles;
    const auto look_at = [&](const BoundExpression& sum) {
        for (const BoundTerm& term : sum.terms)
            if (term.text == refill_beyond_drains) cycles = term.cycles;
    };
    look_at(bounds.upper.bound);
    std::for_each(bounds.upper.bound.parts.begin(), bounds.upper.bound.parts.end(), look_at);
    return cycles;
}

constexpr const char* one_store = "STG.E [R2], R4 ?trans1; EXIT ?trans1;";

TEST(UnawaitedDrains, ShortenRefills) {
    EXPECT_EQ(refill_of(*launch_of(one_store)), 200 - 7 * (10 - 2));
}

TEST(UnawaitedDrains, AreFewerThanTheBufferHasEntries) {
    const auto context = launch_of(one_store);
    tests::put_value(context->architecture, "write-buffer/entries", {3, 3, 3});
    EXPECT_EQ(refill_of(*context), 200 - 2 * (10 - 2));
    tests::put_value(context->architecture, "write-buffer/entries", {1, 1, 1});
    EXPECT_EQ(refill_of(*context), std::nullopt);
}

// A port that is held longer than the store drains counts by itself.
TEST(UnawaitedDrains, LoseThePortOnlyWhereItCountsWithTheDrain) {
    const auto context = launch_of(one_store);
    tests::put_value(context->architecture, "classes/store-global/initiation", {11, 11, 11});
    EXPECT_EQ(refill_of(*context), 200 - 7 * 10);
}

TEST(UnawaitedDrains, DoNotCountWhereStoresWaitElsewhere) {
    const auto in_set = launch_of(one_store);
    in_set->request.policy = models::read_policy("two-level:active=2").value();
    EXPECT_EQ(refill_of(*in_set), std::nullopt);
    EXPECT_EQ(refill_of(*launch_of("MOV R1, R2 ?trans1; EXIT ?trans1;")), std::nullopt);
}

} // namespace
} // namespace warpbound::analyzer
