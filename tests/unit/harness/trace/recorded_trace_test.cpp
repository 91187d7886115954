// Replay of traces of simulated runs: the same events if nothing is random, checked by the
// independent checker in all cases, intact and damaged.

#include "harness/simulator/machine.hpp"
#include "harness/trace/recorded_trace.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/recorded_events.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::harness::trace {
namespace {

using namespace simulator;
using namespace simulator::test;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

using Opened = Result<std::unique_ptr<RecordedTrace>>;

Opened open_text(const std::string& text, const Kernel& kernel,
                 std::size_t kept = RecordedTrace::default_kept_limit) {
    return RecordedTrace::open(TraceBytes{{"run.traceg", text}},
                               {kernel.function, kernel.graph, "listing"}, kept);
}

/// The parts of two runs that are compared.
std::vector<std::string> words_of(const std::vector<Event>& events) {
    std::vector<std::string> words;
    for (const Event& event : events) {
        if (const auto* issued = std::get_if<Issued>(&event))
            words.push_back(fmt::format("{} warp {} issues {} for {:x} of {:x}, {} passes",
                                        issued->cycle, issued->warp, issued->instruction,
                                        issued->executing, issued->lanes, issued->passes));
        if (const auto* completed = std::get_if<Completed>(&event))
            words.push_back(fmt::format("{} warp {} completes {}", completed->cycle,
                                        completed->warp, completed->instruction));
        if (const auto* ended = std::get_if<WarpEnded>(&event))
            words.push_back(fmt::format("{} warp {} ends", ended->cycle, ended->warp));
    }
    return words;
}

struct Replayed {
    std::string refusal; ///< Refusal of the trace or of its run.
    TestRun run;
};

/// Runs the trace and checks the run against it.
Replayed replay(const std::string& text, const Kernel& of, const models::Architecture& machine,
                const RunOptions& options, const models::WarpPolicy& policy = {},
                std::size_t kept = RecordedTrace::default_kept_limit,
                std::int64_t multiprocessors = 1) {
    Replayed replayed;
    const auto opened = open_text(text, of, kept);
    if (!opened) {
        replayed.refusal = to_string(opened.error());
        return replayed;
    }
    const RecordedTrace& trace = *opened.value();
    const Kernel kernel{of.function, of.graph, &trace.facts(), trace.launch(), &trace};
    const auto prepared = Machine::prepare(machine, kernel, policy, multiprocessors);
    if (!prepared) {
        replayed.refusal = to_string(prepared.error());
        return replayed;
    }
    TestRun& run = replayed.run;
    auto observed =
        prepared.value()->run(options, [&](const Event& event) { run.events.push_back(event); });
    if (!observed) {
        replayed.refusal = to_string(observed.error());
        return replayed;
    }
    run.observation = std::move(observed.value());
    const auto read = read_sass_trace({"run.traceg", text});
    EXPECT_TRUE(read);
    EXPECT_THAT(tests::violations(kernel, machine, policy,
                                  {.events = run.events,
                                   .execution_time = run.observation.execution_time.count(),
                                   .multiprocessors = static_cast<int>(multiprocessors),
                                   .trace = &read.value()}),
                IsEmpty());
    return replayed;
}

/// Each access gets an address pattern, and the level that the draw would choose.
void state_addresses(tests::ReadKernel& kernel, Draw draw, std::uint64_t seed) {
    tests::RandomSource random_source{seed};
    kernel.facts.memory.clear();
    for (const auto& instruction : kernel.function->instructions) {
        if (!has_recorded_addresses(instruction)) continue;
        models::MemoryFact fact;
        fact.at = instruction.address;
        fact.level = draw == Draw::AllLow ? models::MemoryLevel::L1 : models::MemoryLevel::Dram;
        fact.pattern.emplace();
        fact.pattern->base = 16 * static_cast<std::uint64_t>(random_source.whole(0, 100));
        fact.pattern->thread_stride = 4 * static_cast<std::uint64_t>(random_source.whole(0, 40));
        fact.pattern->iteration_stride = 128;
        if (random_source.whole(0, 3) == 0) {
            fact.pattern->random = seed;
            fact.pattern->footprint = 4096;
        }
        kernel.facts.memory.push_back(fact);
    }
}

struct Made {
    std::unique_ptr<tests::ReadKernel> read;
    models::Architecture machine;
    Kernel kernel;
    TestRun run; ///< Without events: no path satisfies the made-up facts.
};

/// A random kernel on a described machine, run once.
Made random_run(std::uint64_t seed, Draw draw, const models::WarpPolicy& policy) {
    const bool fermi = seed % 2 == 0;
    Made made;
    made.machine = models::load_architecture(fermi ? "fermi-gtx470" : "turing-t4").value();
    for (auto& level : made.machine.memories) {
        if (level.name == "l1") set(level, "latency", Values{40, 50});
        if (level.name == "l2") set(level, "latency", Values{200, 220});
        if (level.name == "dram") set(level, "latency", Values{400, 600});
    }
    set(made.machine.blocks, "start", 7);
    set(made.machine.blocks, "replacement", 30);
    set(made.machine.limits, "max-blocks", 2);
    const bool barriers = seed % 5 == 0;
    made.read = tests::read(tests::random_kernel(seed, {.sm = fermi ? 20 : 75,
                                                        .statements = 8,
                                                        .depth = 2,
                                                        .max_iterations = 4,
                                                        .divergence = !barriers && seed % 3 == 0,
                                                        .barriers = barriers}))
                    .value();
    state_addresses(*made.read, draw, seed);
    const bool parts = !made.read->facts.divergents.empty();
    // Patterns give all lanes of a warp an address unless lanes may diverge (C21).
    made.kernel = {made.read->function,
                   &made.read->graph,
                   &made.read->facts,
                   {1 + static_cast<std::int64_t>(seed % 4),
                    32 * (1 + static_cast<std::int64_t>(seed % 5)) - (parts ? 11 : 0), 16, 0}};
    const auto prepared = Machine::prepare(made.machine, made.kernel, policy);
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    if (!prepared) return made;
    const auto observed =
        prepared.value()->run({.seed = seed, .draw = draw, .path = {}},
                              [&](const Event& event) { made.run.events.push_back(event); });
    if (!observed) made.run.events.clear();
    return made;
}

TEST(RecordedTrace, ReplaysWithTheSameEventsWhereNothingIsRandom) {
    int ran = 0;
    for (std::uint64_t seed = 1; seed <= 240; ++seed) {
        const Draw draw = seed / 2 % 2 == 0 ? Draw::AllLow : Draw::AllHigh;
        const auto policy = tests::policy_of(seed);
        const Made made = random_run(seed, draw, policy);
        if (made.run.events.empty()) continue;
        ++ran;
        const std::string text = print(tests::trace_of(made.kernel, made.machine, made.run.events));
        const RunOptions options{.seed = seed, .draw = draw, .path = {}};
        const Replayed again = replay(text, made.kernel, made.machine, options, policy);
        EXPECT_EQ(again.refusal, "") << "seed " << seed;
        EXPECT_THAT(words_of(again.run.events), ElementsAreArray(words_of(made.run.events)))
            << "seed " << seed << " under " << to_string(policy) << "\n"
            << text;
        if (testing::Test::HasFailure()) return;
        // Blocks that are read again from the file are equal.
        const Replayed anew = replay(text, made.kernel, made.machine, options, policy, 0);
        EXPECT_EQ(words_of(anew.run.events), words_of(again.run.events)) << "seed " << seed;
        // Other draws and more SMs follow the same trace; `replay` checks them against it.
        for (const Draw other : {Draw::Uniform, Draw::Extremes, Draw::Adversarial})
            EXPECT_EQ(replay(text, made.kernel, made.machine,
                             {.seed = seed, .draw = other, .path = {}}, policy, 0, 2)
                          .refusal,
                      "")
                << "seed " << seed << ", draw " << to_string(other);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(ran, 150);
}

// With patterns for all accesses only latencies are random, and both runs draw the same.
TEST(RecordedTrace, SendsTheSameAddressesThroughTheSameCaches) {
    int ran = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        RandomAccesses made = random_accesses(seed);
        made.launch.shared_memory = std::nullopt;
        const auto& facts = made.program.facts.memory;
        if (!std::all_of(facts.begin(), facts.end(),
                         [](const auto& fact) { return fact.pattern.has_value(); }))
            continue;
        set(made.machine.limits, "shared-memory", 49152);
        set(made.machine.limits, "shared-memory-per-block", 49152);
        set(made.machine.limits, "shared-granularity", 128);
        set(made.machine.limits, "shared-reserved", 0);
        ++ran;
        const Draw draw = all_draws[seed % 5];
        const RunOptions options{.seed = seed, .draw = draw, .path = {}};
        const TestRun first = run(made.program, made.machine, made.launch, options);
        const Kernel kernel = made.program.kernel(made.launch);
        const std::string text = print(tests::trace_of(kernel, made.machine, first.events));
        const Replayed again = replay(text, kernel, made.machine, options);
        EXPECT_EQ(again.refusal, "") << "seed " << seed;
        EXPECT_THAT(words_of(again.run.events), ElementsAreArray(words_of(first.events)))
            << "seed " << seed << ", draw " << to_string(draw);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(ran, 40);
}

// The checker detects a run that deviates from its trace.
TEST(RecordedTrace, IsCheckedAgainstItsRunIssueByIssue) {
    const Made made = random_run(2, Draw::AllHigh, {});
    ASSERT_FALSE(made.run.events.empty());
    const SassTrace whole = tests::trace_of(made.kernel, made.machine, made.run.events);
    const auto found = [&](const SassTrace& trace) {
        return tests::violations(made.kernel, made.machine, {},
                                 {.events = made.run.events,
                                  .execution_time = made.run.observation.execution_time.count(),
                                  .multiprocessors = 1,
                                  .trace = &trace});
    };
    SassTrace changed = whole;
    changed.blocks[0].warps[0].issues[0].address += 8;
    EXPECT_THAT(found(changed), testing::Contains(HasSubstr("C54: ")));
    changed = whole;
    changed.blocks[0].warps[0].issues.back().mask = 1;
    EXPECT_THAT(found(changed), testing::Contains(HasSubstr("C55: ")));
    changed = whole;
    changed.blocks[0].warps[0].issues.pop_back();
    EXPECT_THAT(found(changed), testing::Contains(HasSubstr("C54: a warp issues")));
}

/// Lines that are removed, duplicated or swapped, and changed characters.
std::string damaged(std::string text, tests::RandomSource& random_source) {
    const auto size = static_cast<std::int64_t>(text.size());
    const auto line_at = [&](std::int64_t at) {
        const std::size_t begin = text.rfind('\n', static_cast<std::size_t>(at));
        const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
        const std::size_t end = text.find('\n', first);
        return std::pair{first, end == std::string::npos ? text.size() : end + 1};
    };
    const auto [first, last] = line_at(random_source.whole(0, size - 1));
    const std::string line = text.substr(first, last - first);
    switch (random_source.whole(0, 3)) {
    case 0:
        return text.erase(first, last - first);
    case 1:
        return text.insert(first, line);
    case 2: {
        text.erase(first, last - first);
        const auto to =
            line_at(random_source.whole(0, static_cast<std::int64_t>(text.size()) - 1)).first;
        return text.insert(to, line);
    }
    default:
        constexpr std::string_view characters = "0123456789abcdefRPX .,=\n";
        text[static_cast<std::size_t>(random_source.whole(0, size - 1))] =
            characters[static_cast<std::size_t>(
                random_source.whole(0, static_cast<std::int64_t>(characters.size()) - 1))];
        return text;
    }
}

TEST(RecordedTrace, IsRefusedOrFollowedWhenItIsDamaged) {
    int refused = 0;
    int ran = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Made made = random_run(seed, Draw::AllHigh, {});
        if (made.run.events.empty()) continue;
        const std::string whole =
            print(tests::trace_of(made.kernel, made.machine, made.run.events));
        tests::RandomSource random_source{seed};
        for (int damage = 0; damage < 25; ++damage) {
            std::string text = whole;
            for (std::int64_t times = random_source.whole(1, 3); times > 0; --times)
                text = damaged(text, random_source);
            const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
            const Replayed replayed = replay(text, made.kernel, made.machine, options, {}, 0);
            ++(replayed.refusal.empty() ? ran : refused);
            if (!testing::Test::HasFailure()) continue;
            ADD_FAILURE() << "seed " << seed << ", damage " << damage << "\n" << text;
            return;
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(ran, 20) << "some damage does not matter, as in sources and addresses";
}

} // namespace
} // namespace warpbound::harness::trace
