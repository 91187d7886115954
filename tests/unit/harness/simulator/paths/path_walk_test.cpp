// Which paths a run follows, and which flow facts are refused.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using enum assembly::EdgeKind;
using models::IssueControl;
using testing::ElementsAre;
using testing::HasSubstr;

const models::Architecture& machine() {
    static const models::Architecture described = small_machine(IssueControl::Interlocked);
    return described;
}

/// Blocks that warp 0 visits.
std::vector<std::size_t> path_of(const TestProgram& program, std::uint64_t seed,
                                 Draw draw = Draw::Uniform) {
    std::vector<std::size_t> blocks;
    const auto result = run(program, machine(), {1, 32}, {.seed = seed, .draw = draw, .path = {}});
    for (const Event& event : result.events)
        if (const auto* issued = std::get_if<Issued>(&event);
            issued && issued->instruction == program.graph.blocks[issued->block].first)
            blocks.push_back(issued->block);
    return blocks;
}

std::int64_t count(const std::vector<std::size_t>& path, std::size_t block) {
    return std::count(path.begin(), path.end(), block);
}

/// 0 -> 1 (header) -> 2 -> 1 | 3, and 1 -> 3.
TestProgram one_loop(std::int64_t min, std::int64_t max) {
    auto program = program_of({{add(1, 0, 0)}, {guarded(branch())}, {guarded(branch())}, {exit()}},
                              {{0, 1, FallThrough},
                               {1, 2, FallThrough},
                               {1, 3, Taken},
                               {2, 3, FallThrough},
                               {2, 1, Taken}});
    add_loop(program, 1, {1, 2}, min, max);
    return program;
}

/// 0 (outer header) -> 1 (inner header, self loop) -> 2 -> 0 | 3. The entry is a loop header.
TestProgram nested(std::int64_t outer, std::int64_t inner) {
    auto program = program_of({{add(1, 0, 0)}, {guarded(branch())}, {guarded(branch())}, {exit()}},
                              {{0, 1, FallThrough},
                               {1, 2, FallThrough},
                               {1, 1, Taken},
                               {2, 3, FallThrough},
                               {2, 0, Taken}});
    add_loop(program, 0, {0, 1, 2}, 1, outer);
    add_loop(program, 1, {1}, 1, inner);
    return program;
}

/// Two diamonds: 0 -> 1|2 -> 3 -> 4|5 -> 6.
TestProgram two_diamonds() {
    return program_of({{guarded(branch())},
                       {branch()},
                       {add(1, 0, 0)},
                       {guarded(branch())},
                       {branch()},
                       {add(1, 0, 0)},
                       {exit()}},
                      {{0, 1, FallThrough},
                       {0, 2, Taken},
                       {1, 3, Taken},
                       {2, 3, FallThrough},
                       {3, 4, FallThrough},
                       {3, 5, Taken},
                       {4, 6, Taken},
                       {5, 6, FallThrough}});
}

std::int64_t address(const TestProgram& program, std::size_t block) {
    return program.graph.blocks[block].address;
}

TEST(Path, IteratesALoopBetweenMinAndMaxTimes) {
    const auto program = one_loop(2, 5);
    std::set<std::int64_t> counts;
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        counts.insert(count(path_of(program, seed), 1));
    EXPECT_THAT(counts, ElementsAre(2, 3, 4, 5));
    EXPECT_EQ(count(path_of(program, 1, Draw::AllLow), 1), 2);
    EXPECT_EQ(count(path_of(program, 1, Draw::AllHigh), 1), 5);
}

TEST(Path, DrawsInnerLoopsAnewPerEntry) {
    const auto program = nested(4, 3);
    std::map<std::int64_t, std::set<std::int64_t>> inner;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto path = path_of(program, seed);
        inner[count(path, 0)].insert(count(path, 1));
    }
    ASSERT_EQ(inner.size(), 4U);
    for (const auto& [outer, counts] : inner) {
        EXPECT_GE(*counts.begin(), outer);
        EXPECT_LE(*counts.rbegin(), outer * 3);
    }
    EXPECT_EQ(inner[1].size(), 3U);
    EXPECT_EQ(count(path_of(program, 1, Draw::AllHigh), 1), 12);
}

TEST(Path, NeverEntersWhatIsExcluded) {
    auto program = two_diamonds();
    program.facts.nevers.push_back({address(program, 2), {}});
    program.facts.exclusives.push_back({address(program, 1), address(program, 4), {}});
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        EXPECT_THAT(path_of(program, seed), ElementsAre(0, 1, 3, 5, 6));
}

TEST(Path, SatisfiesLinearFacts) {
    auto program = two_diamonds();
    models::LinearFact equal_counts; // Block 1 as often as the edge 3 -> 4.
    equal_counts.terms = {{1, std::nullopt, address(program, 1)},
                          {-1, address(program, 3), address(program, 4)}};
    equal_counts.relation = models::Relation::Equal;
    program.facts.constraints.push_back(equal_counts);
    std::set<std::vector<std::size_t>> seen;
    for (const Draw draw : all_draws)
        for (std::uint64_t seed = 1; seed <= 50; ++seed)
            seen.insert(path_of(program, seed, draw));
    EXPECT_THAT(seen, ElementsAre(std::vector<std::size_t>{0, 1, 3, 4, 6},
                                  std::vector<std::size_t>{0, 2, 3, 5, 6}));
}

TEST(Path, OfATriangularLoopSatisfiesItsSum) {
    auto program = nested(8, 8);
    models::LinearFact sum;
    sum.terms = {{1, std::nullopt, address(program, 1)}};
    sum.constant = 12;
    program.facts.constraints.push_back(sum);
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        EXPECT_LE(count(path_of(program, seed), 1), 12);
}

TEST(Path, ThatIsNotFoundIsAFailure) {
    auto program = two_diamonds();
    models::LinearFact impossible;
    impossible.terms = {{1, std::nullopt, address(program, 0)}};
    impossible.constant = 0;
    program.facts.constraints.push_back(impossible);
    const auto prepared = Machine::prepare(machine(), program.kernel());
    ASSERT_TRUE(prepared);
    const auto result = prepared.value()->run({});
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().what, HasSubstr("no path found that satisfies"));
}

TEST(Path, MayEndAtAGuardedExitInALoopOnlyWhenTheLoopIsDone) {
    auto program = program_of({{guarded(exit())}, {guarded(branch())}, {exit()}},
                              {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 0, Taken}}, {0});
    add_loop(program, 0, {0, 1}, 3, 3);
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        EXPECT_EQ(count(path_of(program, seed), 0), 3);
}

TEST(Path, GivenByTheCallerIsFollowed) {
    const auto program = two_diamonds();
    const RunOptions options{.seed = 1, .draw = Draw::Uniform, .path = {0, 2, 3, 4, 6}};
    EXPECT_EQ(run(program, machine(), {1, 64}, options).issues(1).size(), 5U);
    const auto prepared = Machine::prepare(machine(), program.kernel());
    ASSERT_TRUE(prepared);
    const auto refusal_of = [&](std::vector<std::size_t> path) {
        const auto result = prepared.value()->run({.seed = 1, .draw = {}, .path = std::move(path)});
        return result ? std::string{} : result.error().what;
    };
    EXPECT_THAT(refusal_of({0, 3, 4, 6}), HasSubstr("no edge leads from block 0 to block 3"));
    EXPECT_THAT(refusal_of({0, 1, 3}), HasSubstr("does not exit"));
    EXPECT_THAT(refusal_of({1, 3, 4, 6}), HasSubstr("starts at block 0"));
    EXPECT_THAT(refusal_of({0, 9}), HasSubstr("no block 9"));
}

TEST(FlowFacts, RefuseALoopWithoutBound) {
    EXPECT_THAT(refusal(one_loop(0, 0), machine()),
                testing::AllOf(HasSubstr("loop at 0x0008 has no bound"),
                               HasSubstr("<loop header=\"0x0008\" min=\"..\" max=\"..\"/>")));
}

TEST(FlowFacts, RefuseWhatTheFunctionDoesNotHave) {
    auto program = two_diamonds();
    program.facts.loops.push_back({0x18, 1, 2, {}});
    EXPECT_THAT(refusal(program, machine()), HasSubstr("no loop has its header at 0x0018"));
    program = two_diamonds();
    program.facts.nevers.push_back({0x100, {}});
    EXPECT_THAT(refusal(program, machine()), HasSubstr("no reachable block begins at 0x0100"));
    program = one_loop(0, 4);
    program.facts.loops[0].max = 0;
    EXPECT_THAT(refusal(program, machine()), HasSubstr("at least once"));
}

TEST(FlowFacts, RefuseContradictions) {
    auto program = two_diamonds();
    program.facts.nevers = {{address(program, 4), {}}, {address(program, 5), {}}};
    EXPECT_THAT(refusal(program, machine()), HasSubstr("no path from the entry to an EXIT"));
}

TEST(Run, OfTenMillionInstructionsNeedsNoListOfThem) {
    const auto program = nested(1000, 1000);
    const auto prepared = Machine::prepare(machine(), program.kernel());
    ASSERT_TRUE(prepared);
    const auto result = prepared.value()->run({.seed = 1, .draw = Draw::AllHigh, .path = {}});
    ASSERT_TRUE(result);
    // 10^6 inner iterations of 12 cycles, the last one of each entry 10.
    EXPECT_GT(result.value().execution_time.count(), 11'000'000);
}

} // namespace
} // namespace warpbound::harness::simulator::test
