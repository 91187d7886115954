// The checker of event logs finds errors that are planted in fetches, reads of registers and queues
// of the pipeline.

#include "tests/unit/harness/trace/planted_errors.hpp"

#include <map>
#include <set>

namespace warpbound::tests {
namespace {

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

TEST(EventChecker, FindsEveryErrorPlantedInWritePorts) {
    const auto waiting = [](Log& log) {
        return log.any<Completed>([](const Completed& done) { return done.waited > 0; });
    };
    const std::vector<Plant> plants{
        {"written while the port is taken", "C108",
         [&](Log& log) {
             auto* done = waiting(log);
             if (done == nullptr) return false;
             --done->cycle;
             --done->waited;
             return true;
         }},
        {"written a cycle too late", "C108",
         [&](Log& log) {
             auto* done = waiting(log);
             if (done == nullptr) return false;
             ++done->cycle;
             ++done->waited;
             return true;
         }},
        {"a result of fixed latency waits", "C108",
         [](Log& log) {
             auto* granted = log.any<ReadsGranted>([&](const ReadsGranted& candidate) {
                 return same_issue<Completed>(log, candidate) != nullptr;
             });
             if (granted == nullptr) return false;
             auto* done = same_issue<Completed>(log, *granted);
             ++done->cycle;
             ++done->waited;
             return true;
         }},
    };
    expect_found(plants, random_writes_case);
}

TEST(EventChecker, FindsEveryErrorPlantedInReadsOfVariableLatency) {
    const auto waiting = [](Log& log) {
        return log.any<QueuedRead>([](const QueuedRead& read) { return read.waited > 0; });
    };
    const std::vector<Plant> plants{
        {"read while the port is taken", "C111",
         [&](Log& log) {
             auto* read = waiting(log);
             if (read == nullptr) return false;
             --read->cycle;
             --read->waited;
             return true;
         }},
        {"read a cycle too late", "C111",
         [](Log& log) {
             auto* read = log.any<QueuedRead>();
             if (read == nullptr) return false;
             ++read->cycle;
             ++read->waited;
             return true;
         }},
        {"a read is missing", "C111", [](Log& log) { return log.remove(log.any<QueuedRead>()); }},
    };
    expect_found(plants, random_queued_reads_case);
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

} // namespace
} // namespace warpbound::tests
