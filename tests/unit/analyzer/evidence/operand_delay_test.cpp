// What misses of constant operands add to an upper bound (docs/theory, S42 and S43).

#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

struct OperandCaches {
    std::int64_t sets = 1;
    std::int64_t ways = 2;
    std::int64_t more_ways = 0; ///< That each cache may have.
    bool are_warm = false;
};

/// On a machine whose loads from constant memory take as long as additions.
std::unique_ptr<Analyzed> with_timed_loads(const std::string& body) {
    auto all = analyzed(body);
    auto& classes = all->architecture.classes;
    classes[assembly::OpcodeClass::LoadConstant] = classes.at(assembly::OpcodeClass::FloatAdd);
    return all;
}

std::unique_ptr<Analyzed> with_operand_caches(const std::string& body, const OperandCaches& caches,
                                              models::Launch launch, const char* policy) {
    auto all = with_timed_loads(body);
    models::ValueGroup group;
    group.name = "constant";
    const auto give = [&](const char* name, std::int64_t lo, std::int64_t hi) {
        models::SourcedValue value;
        value.name = name;
        value.interval = models::Interval{lo, std::nullopt, hi};
        group.values.push_back(value);
    };
    give("sets", caches.sets, caches.sets);
    give("ways", caches.ways, caches.ways + caches.more_ways);
    give("line", 64, 64);
    give("miss", 30, 200);
    give("hold", 1, 8);
    if (caches.are_warm) give("warm", 1, 1);
    all->architecture.memories.push_back(group);
    all->request.launch = launch;
    all->request.policy = models::read_policy(policy).value();
    return all;
}

/// The upper bound beyond that of the same launch without caches of constants.
std::int64_t operand_cost(const std::string& body, const OperandCaches& caches,
                          models::Launch launch = {1, 32}) {
    const auto missing = with_operand_caches(body, caches, launch, "gto");
    auto perfect = with_timed_loads(body);
    perfect->request.launch = launch;
    perfect->request.policy = models::read_policy("gto").value();
    return (envelope(*missing).upper.proved - envelope(*perfect).upper.proved).count();
}

const std::string operands_of_two_lines =
    "FADD R1, R2, c[0x0][0x0]; FADD R1, R2, c[0x0][0x20]; "
    "FADD R1, R2, c[0x0][0x40]; FADD R1, R2, c[0x0][0x0]; EXIT;";
/// The third line is one of the same set where there is one set.
const std::string operands_of_three_lines =
    "FADD R1, R2, c[0x0][0x0]; FADD R1, R2, c[0x2][0x0]; "
    "FADD R1, R2, c[0x0][0x40]; FADD R1, R2, c[0x0][0x0]; EXIT;";

TEST(OperandDelay, CountsEachPersistentLineOnce) {
    EXPECT_EQ(operand_cost(operands_of_two_lines, {}), 2 * 200);
    // A warp on each of two schedulers, or two warps on one: the line misses once on each.
    EXPECT_EQ(operand_cost(operands_of_two_lines, {}, {1, 64}), 2 * 200);
    EXPECT_EQ(operand_cost(operands_of_two_lines, {}, {1, 128}), 2 * 200);
}

TEST(OperandDelay, CountsOnTheFewestWays) {
    EXPECT_EQ(operand_cost(operands_of_two_lines, {.more_ways = 10}),
              operand_cost(operands_of_two_lines, {}));
    EXPECT_EQ(operand_cost(operands_of_two_lines, {.ways = 1, .more_ways = 10}),
              operand_cost(operands_of_two_lines, {.ways = 1}));
}

// Four open look-ups of one warp.
TEST(OperandDelay, CountsEachLookUpOfALineThatMayBeReplaced) {
    EXPECT_EQ(operand_cost(operands_of_two_lines, {.ways = 1}), 4 * 200);
    EXPECT_EQ(operand_cost(operands_of_three_lines, {}), 4 * 200);
    // In two sets the third line alone is persistent.
    EXPECT_EQ(operand_cost(operands_of_three_lines, {.sets = 2, .ways = 1}), 200 + 3 * 200);
}

// Of eight warps on two schedulers three others hold that of the critical path.
TEST(OperandDelay, CountsHoldsOfOtherWarpsOfTheScheduler) {
    EXPECT_EQ(operand_cost(operands_of_three_lines, {}, {1, 256}), 4 * 200 + 3 * 4 * 8);
}

TEST(OperandDelay, CountsNoMissOfAPersistentLineInOperandCachesThatAreWarm) {
    EXPECT_EQ(operand_cost(operands_of_two_lines, {.are_warm = true}), 0);
    EXPECT_EQ(operand_cost(operands_of_three_lines, {.are_warm = true}), 4 * 200);
}

TEST(OperandDelay, IsNotThatOfLoads) {
    EXPECT_EQ(operand_cost("LDC R1, c[0x0][0x0]; EXIT;", {}), 0);
}

TEST(OperandDelay, RefusesAnAddressInARegister) {
    const auto all = with_operand_caches("FADD R1, R2, c[0x0][R3+0x40]; EXIT;", {}, {1, 32}, "gto");
    const auto analysis = all->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(to_string(analysis.error()), HasSubstr("--assume memories/constant=none"));
}

TEST(OperandDelay, IsBoundedUnderOtherPoliciesWhereNoLineMisses) {
    const auto refusal = [&](const std::string& body, const OperandCaches& caches,
                             const char* policy) {
        const auto analysis = with_operand_caches(body, caches, {1, 128}, policy)->run();
        return analysis ? std::string{} : to_string(analysis.error());
    };
    EXPECT_THAT(refusal(operands_of_two_lines, {}, "srr"),
                HasSubstr("--assume memories/constant=none"));
    EXPECT_EQ(refusal(operands_of_two_lines, {.are_warm = true}, "srr"), "");
    EXPECT_EQ(refusal(operands_of_two_lines, {}, "two-level:active=1"), "");
    EXPECT_THAT(refusal(operands_of_three_lines, {}, "two-level:active=1"),
                HasSubstr("memories/constant"));
    EXPECT_EQ(refusal("MOV R1, R2; EXIT;", {}, "srr"), "");
}

} // namespace
} // namespace warpbound::analyzer
