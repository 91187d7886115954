// Bounds behind memory queues (C71 to C74, S37, S38, S78), with the values of an RTX A6000 (H25
// Table 1).

#include "analyzer/evidence/path_certificates.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

namespace warpbound::analyzer {
namespace {

/// Independent loads that hit the L1, which takes 32 cycles; each takes `passes` transactions.
std::unique_ptr<Analyzed> loads(int count, std::int64_t passes = 1) {
    std::string body;
    models::FlowFacts facts;
    facts.kernel = "k";
    for (int i = 0; i < count; ++i) {
        body += "LDG.E R" + std::to_string(4 + i) + ", [R2] ?trans1;\n";
        models::MemoryFact fact;
        fact.at = 16 * i;
        fact.level = models::MemoryLevel::L1;
        fact.transactions = models::CountRange{passes, passes};
        facts.memory.push_back(fact);
    }
    auto context = analyzed(body + "EXIT ?trans1;", std::move(facts), "ampere-rtxa6000", 86);
    models::Architecture& machine = context->architecture;
    tests::put_value(machine, "memory-queue/places", {5, 5, 5});
    tests::put_value(machine, "memory-queue/interval", {4, 4, 4});
    tests::put_value(machine, "memory-queue/path-interval", {2, 2, 2});
    tests::put_value(machine, "classes/load-global/entry", {11, 11, 11});
    tests::put_value(machine, "memories/l1/latency", {32, 32, 32});
    tests::put_value(machine, "memories/l1/latency-regular-32", {32, 32, 32});
    tests::put_value(machine, "memories/l1/lines-per-pass", {1, 1, 1});
    tests::put_value(machine, "classes/load-global/initiation", {1, 1, 1});
    tests::put_value(machine, "classes/load-global/pass-cost", {1, 1, 1});
    return context;
}

// H25 Table 1: the first load is handed over 11 cycles after its issue, each other one 4 cycles
// after the one before. The last of them ends 32 - 11 cycles later.
TEST(MemoryQueueBounds, OfLoadsInARowAreMet) {
    for (const int count : {1, 2, 5, 6, 7, 8, 20}) {
        const auto bounds = envelope(*loads(count)).bounds();
        EXPECT_EQ(bounds.lower().count(), 32 + 4 * (count - 1)) << count;
        EXPECT_EQ(bounds.upper().count(), 32 + 4 * (count - 1)) << count;
    }
}

// Eight transactions occupy the path for 8 cycles, and the last of them comes 7 cycles later.
TEST(MemoryQueueBounds, CountAllTransactionsOfTheLoadsBefore) {
    const auto bounds = envelope(*loads(6, 8)).bounds();
    EXPECT_EQ(bounds.lower().count(), 32 + 7 + 8 * 5);
    EXPECT_EQ(bounds.upper().count(), 32 + 7 + 8 * 5);
}

/// Of one warp, on its own scheduler and on the others.
struct DemandOfWarp {
    std::int64_t own = 0;
    std::int64_t others = 0;
};
DemandOfWarp demand_of_eight_warps(Analyzed& context) {
    context.request.launch = {1, 256};
    context.request.policy = models::read_policy("gto").value();
    const auto analysis = context.run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    DemandOfWarp demand;
    if (!analysis) return demand;
    for (const BoundTerm& term : analysis.value().execution_time.upper.terms) {
        if (term.certificate == "execution-time-upper-demand-own-scheduler")
            demand.own = term.cycles;
        if (term.certificate == "execution-time-upper-demand-other-schedulers")
            demand.others = term.cycles;
    }
    return demand;
}

// Eight warps on four schedulers: each load of the other warp costs 4 cycles on the own scheduler,
// those of the six others 2 on the path.
TEST(MemoryQueueBounds, OfSeveralWarpsChargeTheQueueOfTheScheduler) {
    const auto [own, others] = demand_of_eight_warps(*loads(10));
    EXPECT_EQ(own, 10 * 4 + 1);
    EXPECT_EQ(others, 10 * 2);
}

// S38: five places take 20 cycles to hand over, as long as the longest entry.
TEST(MemoryQueueBounds, ChargeOthersForNoDifferenceOfEntries) {
    const auto context = loads(10);
    tests::put_value(context->architecture, "classes/load-global/entry", {9, 9, 20});
    EXPECT_EQ(demand_of_eight_warps(*context).own, 10 * 4 + 1);
    tests::put_value(context->architecture, "memory-queue/places", {4, 4, 4});
    EXPECT_EQ(demand_of_eight_warps(*context).own, 10 * (4 + 20 - 4 * 4) + 1);
}

/// The term of the upper bound with this text; none: cycles 0.
BoundTerm term_of_eight_warps(Analyzed& context, const std::string& text) {
    context.request.launch = {1, 256};
    CertificateStore certificates;
    context.request.certificates = &certificates;
    const auto analysis = context.run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    if (analysis)
        for (const BoundTerm& term : analysis.value().execution_time.upper.terms)
            if (term.text == text) return term;
    return {};
}

// S78: each load raises the backlog by 4, for both warps of the scheduler; EXIT holds nothing.
TEST(MemoryQueueBounds, InStrictTurnsCountTheBacklog) {
    const auto context = loads(10);
    context->request.policy = models::read_policy("srr").value();
    const BoundTerm term =
        term_of_eight_warps(*context, "stalls of rotations by a warp, and its port occupancy "
                                      "beyond issue slots");
    const BoundTerm others = term_of_eight_warps(
        *context, "demand of a warp on other schedulers: ports of the multiprocessor");
    EXPECT_EQ(others.count * others.cycles, 6 * 10 * 2);
    if (term.cycles > 0) {
        EXPECT_EQ(term.count, 2);
        EXPECT_EQ(term.cycles, 10 * 4);
        return;
    }
    const BoundTerm ports =
        term_of_eight_warps(*context, "port occupancy of a warp beyond its issue slots");
    EXPECT_EQ(ports.count, 2);
    EXPECT_EQ(ports.cycles, 10 * 4);
}

// S78: Q = 11 + 3 x 2 + 4 x (4 + 3 x 2) = 57. With a slot every 2 cycles that is 29 boundaries, in
// each of which five loads are in the queue: 58 / 5, rounded up, for each load.
TEST(MemoryQueueBounds, InTimeSlotsCountBoundariesInTheStay) {
    const auto context = loads(10);
    context->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
    const BoundTerm term = term_of_eight_warps(
        *context, "slots of the warp in which the memory queue of its scheduler is full");
    EXPECT_EQ(term.count, 2);
    EXPECT_EQ(term.cycles, 10 * 12);
    // Two loads of each warp have a place each.
    const auto few = loads(2);
    few->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
    EXPECT_EQ(term_of_eight_warps(
                  *few, "slots of the warp in which the memory queue of its scheduler is full")
                  .cycles,
              0);
}

// S78: within the active set a warp waits for the sources of a store by itself, and for no port.
TEST(MemoryQueueBounds, WithinAnActiveSetHoldNoPort) {
    const auto context = loads(10);
    context->request.policy = models::read_policy("two-level:active=1").value();
    EXPECT_EQ(term_of_eight_warps(
                  *context, "residual port occupancy of the critical path's own warp, for which "
                            "warps in the active set wait")
                  .cycles,
              0);
    EXPECT_EQ(demand_of_eight_warps(*loads(10)).own, 10 * 4 + 1);
}

} // namespace
} // namespace warpbound::analyzer
