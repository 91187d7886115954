// The checker of event logs accepts what the simulator does, also with loops, many warps and blocks
// on the described machines, and finds every error planted in a log.

#include "assembly/isa/reader.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"
#include "tests/unit/harness/trace/planted_errors.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::tests {
namespace {

using namespace harness;
using namespace harness::simulator;
using namespace harness::simulator::test;
using testing::IsEmpty;

TEST(EventChecker, AcceptsRandomKernelsWithLoopsOnDescribedMachines) {
    const std::vector<std::pair<std::string, int>> machines{
        {"fermi-gtx470", 20}, {"maxwell-gtx970", 52}, {"turing-t4", 75}, {"hopper-h200", 90}};
    int ran = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        const auto& [name, sm] = machines[seed % machines.size()];
        auto machine = models::load_architecture(name);
        ASSERT_TRUE(machine) << to_string(machine.error());
        if (seed % 2 == 0) {
            // Blocks wait for others to end; not every description states the replacement time.
            set(machine.value().limits, "max-blocks", 2);
            set(machine.value().blocks, "start", Values{5, 9});
            set(machine.value().blocks, "replacement", Values{20, 40});
        }
        const RandomKernel made =
            random_kernel(seed, {.sm = sm, .statements = 8, .depth = 2, .max_iterations = 4});
        const auto loaded = read(made);
        ASSERT_TRUE(loaded) << to_string(loaded.error());
        const Kernel kernel{loaded.value()->function,
                            &loaded.value()->graph,
                            &loaded.value()->facts,
                            {1 + static_cast<std::int64_t>(seed % 5),
                             32 * (1 + static_cast<std::int64_t>(seed % 7))}};
        const auto policy = policy_of(seed);
        const auto prepared = Machine::prepare(machine.value(), kernel, policy);
        ASSERT_TRUE(prepared) << to_string(prepared.error()) << "\n" << made.text;
        RecordedRun record;
        const auto observed =
            prepared.value()->run({seed, all_draws[seed % 4], {}},
                                  [&](const Event& event) { record.events.push_back(event); });
        if (!observed) continue; // No path satisfies the made-up facts.
        ++ran;
        record.execution_time = observed.value().execution_time.count();
        EXPECT_THAT(violations(kernel, machine.value(), policy, record), IsEmpty())
            << "seed " << seed << " on " << name << " under " << to_string(policy) << "\n"
            << made.text;
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(ran, 700);
}

std::vector<Plant> plants() {
    const auto early = [](Stall stall) {
        return [stall](Log& log) {
            return Log::hasten(log.any<Issued>(
                [&](const Issued& issued) { return delayed_only_by(issued, stall); }));
        };
    };
    return {
        {"issues before its gap is over", "C4", early(Stall::Gap)},
        {"issues before its barrier opens", "C9", early(Stall::Barrier)},
        {"reads a register before it is ready", "C5", early(Stall::Register)},
        {"issues before its scoreboards are clear", "C6", early(Stall::Scoreboard)},
        {"books a port twice", "C7", early(Stall::Port)},
        {"enters a full write buffer", "C8", early(Stall::WriteBuffer)},
        {"claims another register time", "C5",
         [](Log& log) {
             auto* issued =
                 log.any<Issued>([](const Issued& i) { return i.stalls[Stall::Register] > 0; });
             if (issued != nullptr) --issued->stalls[Stall::Register];
             return issued != nullptr;
         }},
        {"leaves its port early", "C12",
         [](Log& log) {
             auto* issued = log.any<Issued>(
                 [](const Issued& i) { return i.executed && i.port_until > i.cycle; });
             if (issued != nullptr) issued->port_until = issued->cycle - 1;
             return issued != nullptr;
         }},
        {"takes more passes than its access has", "C12",
         [](Log& log) {
             auto* issued = log.any<Issued>([](const Issued& i) { return i.executed; });
             if (issued != nullptr) issued->passes += 40;
             return issued != nullptr;
         }},
        {"swaps two instructions of a warp", "",
         [](Log& log) {
             auto* issued = log.any<Issued>();
             auto* next = log.neighbour(*issued, 1);
             if (next == nullptr || next->instruction == issued->instruction) return false;
             std::swap(issued->instruction, next->instruction);
             std::swap(issued->block, next->block);
             return true;
         }},
        {"leaves an issue out", "", [](Log& log) { return log.remove(log.any<Issued>()); }},
        {"issues twice", "",
         [](Log& log) {
             const Issued issued = *log.any<Issued>();
             log.events.emplace_back(issued);
             return true;
         }},
        {"never completes", "C13", [](Log& log) { return log.remove(log.any<Completed>()); }},
        {"completes twice", "C13",
         [](Log& log) {
             const auto* completed = log.any<Completed>();
             if (completed == nullptr) return false;
             const Completed again = *completed;
             log.events.emplace_back(again);
             return true;
         }},
        {"completes before it issues", "causal",
         [](Log& log) {
             auto* completed = log.any<Completed>();
             if (completed == nullptr) return false;
             completed->cycle -= 10'000;
             return true;
         }},
        {"completes another instruction", "causal",
         [](Log& log) {
             auto* completed = log.any<Completed>();
             if (completed != nullptr) ++completed->instruction;
             return completed != nullptr;
         }},
        {"reads its sources late", "C14",
         [](Log& log) {
             auto* read = log.any<SourcesRead>();
             if (read != nullptr) read->cycle += 10'000;
             return read != nullptr;
         }},
        {"never drains", "C15", [](Log& log) { return log.remove(log.any<Drained>()); }},
        {"drains before it enters", "causal",
         [](Log& log) {
             auto* drained = log.any<Drained>();
             if (drained == nullptr) return false;
             drained->cycle -= 10'000;
             return true;
         }},
        {"drains a store that was not issued", "",
         [](Log& log) {
             log.events.emplace_back(Drained{.cycle = 10'000, .warp = 0});
             return true;
         }},
        {"switches an unguarded instruction off", "",
         [](Log& log) {
             auto* issued =
                 log.any<Issued>([&](const Issued& i) { return i.executed && !log.code(i).guard; });
             if (issued != nullptr) issued->executed = false;
             return issued != nullptr;
         }},
        {"executes under @!PT", "C10",
         [](Log& log) {
             auto* issued = log.any<Issued>([&](const Issued& i) {
                 return !i.executed && log.code(i).guard && log.code(i).guard->never();
             });
             if (issued != nullptr) issued->executed = true;
             return issued != nullptr;
         }},
        {"ends before its last issue", "C2",
         [](Log& log) {
             --log.any<WarpEnded>()->cycle;
             return true;
         }},
        {"never ends", "C2", [](Log& log) { return log.remove(log.any<WarpEnded>()); }},
        {"starts in another scheduler", "C1",
         [](Log& log) {
             // A block of one warp might have another block slot.
             if (log.test.launch.threads <= 32) return false;
             ++log.any<WarpStarted>()->scheduler;
             return true;
         }},
        {"issues for a warp that is not there", "order",
         [](Log& log) {
             log.any<Issued>()->warp = 1 << 20;
             return true;
         }},
        {"chooses two warps in one slot", "slot",
         [](Log& log) {
             std::map<int, int> scheduler;
             for (const Event& event : log.events)
                 if (const auto* started = std::get_if<WarpStarted>(&event))
                     scheduler[started->warp] = started->scheduler;
             // Ready by its own conditions: its scheduler chose another warp in the previous cycle.
             Issued* issued = log.any<Issued>([&](const Issued& i) {
                 return i.stalls[Stall::Port] < i.cycle && !delayed_only_by(i, Stall::Gap) &&
                        !delayed_only_by(i, Stall::Register) &&
                        !delayed_only_by(i, Stall::Scoreboard) &&
                        !delayed_only_by(i, Stall::Barrier) &&
                        !delayed_only_by(i, Stall::WriteBuffer) && i.cycle > i.since &&
                        std::any_of(log.events.begin(), log.events.end(), [&](const Event& event) {
                            const auto* other = std::get_if<Issued>(&event);
                            return other != nullptr && other->cycle == i.cycle - 1 &&
                                   other->warp != i.warp &&
                                   scheduler[other->warp] == scheduler[i.warp];
                        });
             });
             return Log::hasten(issued);
         }},
    };
}

TEST(EventChecker, FindsEveryPlantedError) {
    expect_found(plants(), random_case);
}

TEST(EventChecker, FindsAWrongExecutionTime) {
    const Case test = random_case(1);
    const auto result = run(test.program, test.machine, test.launch);
    const std::int64_t time = result.observation.execution_time.count();
    const auto found =
        violations(test.program.kernel(test.launch), test.machine, {}, {result.events, time + 1});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found.front(), testing::StartsWith("C2"));
}

// The log of one policy violates the rules of another, if the issue orders differ.
TEST(EventChecker, FindsAnotherPolicy) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Case test = random_case(seed);
        const auto lrr = policy_of(0);
        const auto gto = policy_of(1);
        const auto result =
            run(test.program, test.machine, test.launch, {seed, Draw::Uniform, {}}, lrr);
        const RecordedRun record{result.events, result.observation.execution_time.count()};
        if (!violations(test.program.kernel(test.launch), test.machine, gto, record).empty())
            ++found;
    }
    EXPECT_GT(found, 60);
}

/// The number of logs of one policy that are found to violate another.
int found_of_other(const models::WarpPolicy& ran, const models::WarpPolicy& claimed) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Case test = random_case(seed);
        const auto result =
            run(test.program, test.machine, test.launch, {seed, Draw::Uniform, {}}, ran);
        const RecordedRun record{result.events, result.observation.execution_time.count()};
        EXPECT_THAT(violations(test.program.kernel(test.launch), test.machine, ran, record),
                    testing::IsEmpty())
            << "seed " << seed;
        const auto said =
            violations(test.program.kernel(test.launch), test.machine, claimed, record);
        found += said.empty() ? 0 : 1;
        for (const std::string& words : said)
            EXPECT_THAT(words, testing::StartsWith("C19"));
    }
    return found;
}

TEST(EventChecker, FindsASetOfMoreActiveWarps) {
    const auto one = models::read_policy("two-level:active=1").value();
    const auto two = models::read_policy("two-level:active=2").value();
    EXPECT_GT(found_of_other(two, one), 60);
    EXPECT_GT(found_of_other(policy_of(0), one), 60);
    EXPECT_GT(found_of_other(policy_of(0), two), 20);
}

TEST(EventChecker, FindsTheOldestInPlaceOfTheYoungest) {
    const auto youngest = models::read_policy("gty").value();
    for (const char* other : {"gto", "oldest", "lrr"})
        EXPECT_GT(found_of_other(models::read_policy(other).value(), youngest), 60) << other;
    EXPECT_GT(found_of_other(youngest, models::read_policy("gto").value()), 60);
}

TEST(EventChecker, FindsAnotherOrderInTheActiveSet) {
    const auto wide = models::read_policy("two-level:active=8").value();
    EXPECT_GT(found_of_other(models::read_policy("gto").value(), wide), 20);
    EXPECT_GT(found_of_other(models::read_policy("srr").value(), wide), 20); // Leaves cycles idle.
}

} // namespace
} // namespace warpbound::tests
