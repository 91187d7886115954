// The checker of event logs accepts what the simulator does, also with loops, many warps and blocks
// on the described machines, and finds every error planted in a log.

#include "assembly/isa/reader.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

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

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_{seed} {}
    std::size_t operator()(std::size_t sides) { return engine_() % sides; }

private:
    std::mt19937_64 engine_;
};

/// A log and how to change it.
struct Log {
    const Case& test;
    std::vector<Event> events;
    Dice dice;

    /// A random event of a type that satisfies a condition; none if there is none.
    template <typename Kind> Kind* any(const std::function<bool(const Kind&)>& holds = {}) {
        std::vector<Kind*> found;
        for (Event& event : events)
            if (auto* what = std::get_if<Kind>(&event); what && (!holds || holds(*what)))
                found.push_back(what);
        return found.empty() ? nullptr : found[dice(found.size())];
    }
    template <typename Kind> bool remove(const Kind* what) {
        if (what == nullptr) return false;
        events.erase(std::find_if(events.begin(), events.end(), [&](const Event& event) {
            return std::get_if<Kind>(&event) == what;
        }));
        return true;
    }
    /// The issue of the same warp before or after this one.
    Issued* neighbour(const Issued& issued, std::int64_t distance) {
        for (Event& event : events)
            if (auto* other = std::get_if<Issued>(&event);
                other && other->warp == issued.warp && other->number == issued.number + distance)
                return other;
        return nullptr;
    }
    /// Moves an issue one cycle earlier, with its port occupancy.
    static bool hasten(Issued* issued) {
        if (issued == nullptr) return false;
        --issued->cycle;
        --issued->port_until;
        return true;
    }
    [[nodiscard]] const assembly::Instruction& code(const Issued& issued) const {
        return test.program.function.instructions[issued.instruction];
    }
};

struct Plant {
    std::string name;
    std::string rule;                ///< Prefix of an expected violation; empty: any.
    std::function<bool(Log&)> plant; ///< Returns false if the log has no suitable event.
};

/// Only this stall delayed the issue in the last cycle, so one cycle earlier breaks its rule.
bool delayed_only_by(const Issued& issued, Stall stall) {
    return issued.stalls[stall] == issued.cycle && issued.cycle > issued.since;
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

/// Plants each error in logs of the cases.
void expect_found(const std::vector<Plant>& errors, Case (*made)(std::uint64_t seed)) {
    for (const Plant& plant : errors) {
        int planted = 0;
        for (std::uint64_t seed = 1; seed <= 400 && planted < 60; ++seed) {
            const Case test = made(seed);
            const auto policy = policy_of(seed);
            const auto result = run(test.program, test.machine, test.launch,
                                    {seed, all_draws[seed % 4], {}}, policy);
            Log log{test, result.events, Dice{seed}};
            if (!plant.plant(log)) continue;
            ++planted;
            std::stable_sort(log.events.begin(), log.events.end(),
                             [](const Event& a, const Event& b) {
                                 const auto cycle = [](const auto& what) { return what.cycle; };
                                 return std::visit(cycle, a) < std::visit(cycle, b);
                             });
            const auto found = violations(test.program.kernel(test.launch), test.machine, policy,
                                          {log.events, result.observation.execution_time.count()});
            const bool named = std::any_of(found.begin(), found.end(), [&](const auto& text) {
                return text.rfind(plant.rule, 0) == 0;
            });
            EXPECT_TRUE(named) << plant.name << ", seed " << seed << ": "
                               << testing::PrintToString(found);
        }
        EXPECT_GE(planted, 20) << plant.name;
    }
}

TEST(EventChecker, FindsEveryPlantedError) {
    expect_found(plants(), random_case);
}

/// The event of another type that belongs to the same issue.
template <typename Other, typename Kind> Other* same_issue(Log& log, const Kind& what) {
    return log.any<Other>(
        [&](const Other& other) { return other.warp == what.warp && other.number == what.number; });
}

/// A fetch of which an instruction issued: it was not flushed.
InstructionsFetched* used_fetch(Log& log) {
    return log.any<InstructionsFetched>([&](const InstructionsFetched& fetched) {
        for (const Event& event : log.events)
            if (const auto* issued = std::get_if<Issued>(&event);
                issued && issued->warp == fetched.warp && issued->cycle > fetched.cycle)
                return issued->instruction == fetched.instruction;
        return false;
    });
}

std::vector<Plant> pipeline_plants() {
    return {
        {"a fetch is missing", "C43", [](Log& log) { return log.remove(used_fetch(log)); }},
        {"a fetch of too many", "C43",
         [](Log& log) {
             auto* fetched = log.any<InstructionsFetched>();
             if (fetched != nullptr) fetched->count += 9;
             return fetched != nullptr;
         }},
        {"fetched a cycle too late", "C4",
         [](Log& log) {
             auto* fetched = used_fetch(log);
             if (fetched != nullptr) ++fetched->cycle;
             return fetched != nullptr;
         }},
        {"an operand is not read", "C48",
         [](Log& log) { return log.remove(log.any<OperandRead>()); }},
        {"a bank is read twice", "C48",
         [](Log& log) {
             auto* read = log.any<OperandRead>();
             auto* other = read == nullptr ? nullptr : log.any<OperandRead>([&](const auto& later) {
                 return later.bank == read->bank && later.cycle > read->cycle &&
                        same_issue<Issued>(log, later)->cycle < read->cycle;
             });
             if (other != nullptr) other->cycle = read->cycle;
             return other != nullptr;
         }},
        {"no collector was left", "C47", [](Log& log) { return log.remove(log.any<Collected>()); }},
        {"entered its unit when it left its collector", "C48",
         [](Log& log) {
             auto* entered = log.any<UnitEntered>();
             if (entered != nullptr) entered->cycle = same_issue<Collected>(log, *entered)->cycle;
             return entered != nullptr;
         }},
    };
}

TEST(EventChecker, FindsEveryErrorPlantedInThePipeline) {
    expect_found(pipeline_plants(), random_pipeline_case);
}

TEST(EventChecker, FindsEveryErrorPlantedInReadPorts) {
    const std::vector<Plant> plants{
        {"issues while Control is occupied", "C60",
         [](Log& log) {
             std::map<int, int> scheduler;
             std::set<std::pair<int, std::int64_t>> issues;
             for (const Event& event : log.events)
                 if (const auto* started = std::get_if<WarpStarted>(&event))
                     scheduler[started->warp] = started->scheduler;
                 else if (const auto* issued = std::get_if<Issued>(&event))
                     issues.emplace(scheduler[issued->warp], issued->cycle);
             return Log::hasten(log.any<Issued>([&](const Issued& issued) {
                 return delayed_only_by(issued, Stall::Collector) &&
                        !issues.contains({scheduler[issued.warp], issued.cycle - 1});
             }));
         }},
        {"a grant is missing", "C60", [](Log& log) { return log.remove(log.any<ReadsGranted>()); }},
        {"granted a cycle too early", "C61",
         [](Log& log) {
             auto* granted = log.any<ReadsGranted>();
             if (granted != nullptr) --granted->cycle;
             return granted != nullptr;
         }},
        {"reads more than it names", "C61",
         [](Log& log) {
             auto* granted = log.any<ReadsGranted>();
             if (granted != nullptr) granted->banks.front() += 9;
             return granted != nullptr;
         }},
        {"reads nothing though it executes", "C61",
         [](Log& log) {
             auto* granted = log.any<ReadsGranted>([&](const ReadsGranted& candidate) {
                 const auto* issued = same_issue<Issued>(log, candidate);
                 return candidate.reads && issued != nullptr && issued->executed;
             });
             if (granted != nullptr) granted->reads = false;
             return granted != nullptr;
         }},
    };
    expect_found(plants, random_ports_case);
}

TEST(EventChecker, FindsEveryErrorPlantedInMemoryQueues) {
    const std::vector<Plant> plants{
        {"issues while its queue is full", "C71",
         [](Log& log) {
             std::map<std::pair<int, std::int64_t>, std::int64_t> leaves;
             std::map<int, int> scheduler;
             std::set<std::pair<int, std::int64_t>> issues;
             for (const Event& event : log.events)
                 if (const auto* started = std::get_if<WarpStarted>(&event))
                     scheduler[started->warp] = started->scheduler;
                 else if (const auto* handed = std::get_if<HandedOver>(&event))
                     leaves[{handed->warp, handed->number}] = handed->cycle;
                 else if (const auto* issued = std::get_if<Issued>(&event))
                     issues.emplace(scheduler[issued->warp], issued->cycle);
             return Log::hasten(log.any<Issued>([&](const Issued& issued) {
                 return delayed_only_by(issued, Stall::Port) &&
                        leaves.contains({issued.warp, issued.number}) &&
                        !issues.contains({scheduler[issued.warp], issued.cycle - 1});
             }));
         }},
        {"a hand-over is missing", "C72",
         [](Log& log) { return log.remove(log.any<HandedOver>()); }},
        {"handed over a cycle too early", "C72",
         [](Log& log) {
             auto* handed = log.any<HandedOver>();
             if (handed != nullptr) --handed->cycle;
             return handed != nullptr;
         }},
        {"handed over a cycle too late", "C72",
         [](Log& log) {
             auto* handed = log.any<HandedOver>();
             if (handed != nullptr) ++handed->cycle;
             return handed != nullptr;
         }},
        {"occupies the path for no time", "C72",
         [](Log& log) {
             auto* handed = log.any<HandedOver>();
             if (handed != nullptr) handed->until = handed->cycle;
             return handed != nullptr;
         }},
        {"its entry takes too long", "C72",
         [](Log& log) {
             auto* handed = log.any<HandedOver>();
             if (handed != nullptr) handed->entry += 50;
             return handed != nullptr;
         }},
        {"has its result before the hand-over", "C13",
         [](Log& log) {
             auto* handed = log.any<HandedOver>();
             auto* done = handed == nullptr ? nullptr : same_issue<Completed>(log, *handed);
             if (done == nullptr) return false;
             done->cycle = handed->cycle - 1;
             return true;
         }},
    };
    expect_found(plants, random_queue_case);
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
