/// \file
/// What waits for the memory system cost warps that are chosen in slots, or in strict turns
/// (docs/theory, S29 and S29a).

#include "analyzer/evidence/path_certificates.hpp"
#include "tests/unit/analyzer/analyzed.hpp"
#include "tests/unit/harness/simulator/machines.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

using harness::simulator::test::set;
using harness::simulator::test::set_memory;

/// What evidence has of the accesses: where lanes may diverge, nothing by addresses (S59).
enum class Evidence { ByAddresses, ByNumbers };

/// Two loads and a store of each warp, a line of its own each, on one scheduler whose slots take 4
/// cycles. The load queue holds 4 loads, the write buffer 8 stores.
std::unique_ptr<Analyzed> accesses(std::int64_t warps, const char* policy,
                                   Evidence evidence = Evidence::ByAddresses) {
    const bool diverges = evidence == Evidence::ByNumbers;
    models::FlowFacts facts;
    if (diverges) facts.divergents.push_back({32, {}});
    for (const std::int64_t at : {0, 8, 24}) {
        models::MemoryFact memory;
        memory.at = at;
        memory.pattern.emplace();
        memory.pattern->base = static_cast<std::uint64_t>(at) * 4096;
        memory.pattern->thread_stride = 4;
        memory.pattern->warp_stride = 128;
        facts.memory.push_back(memory);
    }
    std::string code = "LD R4, [R2]; LD R5, [R2]; IADD R6, R4, R5; ST [R2], R6; ";
    code += diverges ? "@P0 BRA N; N: EXIT;" : "EXIT;";
    auto made = analyzed(code, std::move(facts));
    made->architecture =
        harness::simulator::test::cached_machine(models::IssueControl::Interlocked);
    set(made->architecture.schedulers, "count", 1);
    set(made->architecture.schedulers, "issue-slot", 4);
    set(made->architecture.write_buffer, "entries", 8);
    set(made->architecture.write_buffer, "drain", 10);
    made->request.launch = {1, 32 * warps};
    made->request.policy = models::read_policy(policy).value();
    return made;
}

constexpr const char* in_two_places = "variable-rate:fast=0,every=2";

SideResult upper(const Analyzed& made) {
    const auto analysis = made.run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    return analysis ? analysis.value().execution_time.upper : SideResult{};
}

/// Of the term that begins so.
BoundTerm term(const SideResult& side, const std::string& text) {
    const auto found = std::ranges::find_if(
        side.terms, [&](const BoundTerm& each) { return each.text.starts_with(text); });
    return found == side.terms.end() ? BoundTerm{} : *found;
}

// The load is never executed, but makes it a launch with accesses through the caches: each store is
// in the buffer in the cycle of its drain as well (C26).
TEST(Caches, OfAccessesThatTheCodeExcludesCountTheCycleOfEachDrain) {
    models::FlowFacts facts;
    models::MemoryFact memory;
    memory.at = 0x28;
    memory.pattern.emplace();
    memory.pattern->thread_stride = 4;
    facts.memory.push_back(memory);
    auto made = analyzed("ISETP.EQ.U32.AND P0, PT, RZ, 0x5, PT; @P0 BRA N; "
                         "ST [R3], R5; ST [R3], R5; EXIT; N: LD R10, [R2]; EXIT;",
                         std::move(facts));
    made->architecture =
        harness::simulator::test::cached_machine(models::IssueControl::Interlocked);
    auto& classes = made->architecture.classes;
    classes[assembly::OpcodeClass::IntegerCompare] = classes.at(assembly::OpcodeClass::IntegerAdd);
    made->request.follow_branches = true;
    const SideResult with_excluded = upper(*made);
    EXPECT_EQ(with_excluded.proved.count(), sum_of(with_excluded.terms).count());
    ASSERT_FALSE(with_excluded.terms.empty());
    EXPECT_EQ(with_excluded.terms.back().cycles, 2);
    made->facts.nevers.push_back({0x28, {}});
    EXPECT_EQ(upper(*made).proved.count(), with_excluded.proved.count() - 2);
}

// Two warps take turns in slots of 4 cycles: a point every 8. A warp waits for two loads.
TEST(CachesUnderTimeDivision, AWaitThatEndsBetweenSlotsCostsTheRestOfTheRound) {
    const SideResult side = upper(*accesses(2, in_two_places));
    const BoundTerm between = term(side, "waits for the memory system or the write buffer");
    EXPECT_EQ(between.count, 2);
    EXPECT_EQ(between.cycles, 7);
    const BoundTerm drains = term(side, "drains of the stores of a warp");
    EXPECT_EQ(drains.count, 2);
    EXPECT_EQ(drains.cycles, 10);
    EXPECT_EQ(term(side, "slots of the warp in which the write buffer is full").cycles, 0);
    EXPECT_EQ(sum_of(side.terms), side.proved);
}

TEST(CachesUnderTimeDivision, EveryLoadMayLeaveAQueueInWhichNotAllHaveAPlace) {
    auto made = accesses(2, in_two_places);
    set_memory(made->architecture, "l1", "queue", 3); // Four loads may be under way.
    EXPECT_EQ(term(upper(*made), "waits for the memory system").count, 2 + 4);
}

TEST(CachesUnderTimeDivision, EveryStoreMayLeaveABufferInWhichNotAllFit) {
    auto made = accesses(2, in_two_places);
    set(made->architecture.write_buffer, "entries", 1);
    EXPECT_EQ(term(upper(*made), "waits for the memory system").count, 2 + 2);
}

TEST(CachesUnderTimeDivision, TheLargestDistanceOfAnyPlaceCounts) {
    // Places 1 to 3 have every sixth slot of 4 cycles.
    EXPECT_EQ(term(upper(*accesses(4, in_two_places)), "waits for the memory system").cycles, 23);
}

TEST(CachesUnderTimeDivision, OneWarpHasAllSlots) {
    EXPECT_EQ(upper(*accesses(1, in_two_places)).proved, upper(*accesses(1, "lrr")).proved);
}

/// The upper bound of which evidence is kept.
SideResult certified(Analyzed& made) {
    CertificateStore certificates;
    made.request.certificates = &certificates;
    SideResult side = upper(made);
    made.request.certificates = nullptr;
    for (const BoundTerm& term : side.terms)
        if (!term.certificate.empty()) {
            EXPECT_TRUE(std::ranges::any_of(certificates.certificates,
                                            [&](const PathCertificate& certificate) {
                                                return certificate.id == term.certificate;
                                            }))
                << term.certificate;
        }
    EXPECT_EQ(sum_of(side.terms), side.proved);
    EXPECT_GE(side.proved, upper(made).proved);
    return side;
}

TEST(CachesUnderTimeDivision, InEvidenceWaitsThatEndBetweenSlotsFollowFromNumbers) {
    const SideResult side = certified(*accesses(2, in_two_places, Evidence::ByNumbers));
    ASSERT_TRUE(side.queueing);
    EXPECT_FALSE(side.queueing->addresses);
    const BoundTerm between = term(side, "waits for the memory system or the write buffer");
    EXPECT_EQ(between.count, 2); // The loads of the chain.
    EXPECT_EQ(between.cycles, 7);
    const BoundTerm drains = term(side, "drains of the stores of a warp");
    EXPECT_EQ(drains.count, 2);
    EXPECT_EQ(drains.cycles, 10);
    EXPECT_EQ(term(side, "slots of the warp in which the write buffer is full").cycles, 0);
}

TEST(CachesUnderTimeDivision, InEvidenceEveryLoadAndStoreOfTheLaunchMayLeaveWhatIsFull) {
    auto made = accesses(2, in_two_places, Evidence::ByNumbers);
    set_memory(made->architecture, "l1", "queue", 3);
    set(made->architecture.write_buffer, "entries", 1);
    const SideResult side = certified(*made);
    const BoundTerm between = term(side, "waits for the memory system or the write buffer");
    EXPECT_EQ(between.count, 2 + 4 + 2);
    EXPECT_EQ(between.cycles, 7);
}

TEST(CachesUnderTimeDivision, InEvidenceTheLoadsOfEveryWaveOfTheChainCount) {
    auto made = accesses(2, in_two_places, Evidence::ByNumbers);
    made->request.launch = {3, 64};
    set(made->architecture.limits, "max-blocks", 1);
    set(made->architecture.blocks, "replacement", 5);
    set(made->architecture.blocks, "start", 5);
    set_memory(made->architecture, "l1", "queue", 100);
    EXPECT_EQ(term(certified(*made), "waits for the memory system or the write buffer").count,
              3 * 2);
}

// Every address is known: the terms are those of the bound, times the slots that ports block by
// path bounds.
TEST(CachesUnderTimeDivision, InEvidenceAddressesTellWhatTheLaunchWaitsFor) {
    auto made = accesses(2, in_two_places);
    const SideResult side = certified(*made);
    ASSERT_TRUE(side.queueing);
    EXPECT_EQ(term(side, "path of a warp in its time slots").certificate,
              "execution-time-upper-slot-distance-8");
    const BoundTerm between = term(side, "waits for the memory system or the write buffer");
    EXPECT_EQ(between.count, 2);
    EXPECT_EQ(between.cycles, 7);
    EXPECT_LT(side.proved, certified(*accesses(2, in_two_places, Evidence::ByNumbers)).proved);
}

TEST(CachesUnderTimeDivision, InEvidenceOneWarpHasAllSlots) {
    EXPECT_EQ(certified(*accesses(1, in_two_places)).proved, certified(*accesses(1, "lrr")).proved);
}

// Five instructions of each of two warps: a slot of the other one before each turn, in which that
// one may wait for all that a warp alone waits for. What both wait for at caches counts once.
TEST(CachesUnderStrictRoundRobin, WhoWaitsInItsTurnDelaysTheOthersForAsLongAsAWarpAloneTakes) {
    const SideResult side = upper(*accesses(2, "srr"));
    const BoundTerm slots = term(side, "issue slots of another warp of the scheduler");
    EXPECT_EQ(slots.count, 1);
    EXPECT_EQ(slots.cycles, 5 * 4);
    const BoundTerm others = term(side, "stalls of another warp at its turn");
    EXPECT_EQ(others.count, 1);
    EXPECT_EQ(others.cycles, term(side, "one warp in isolation").cycles);
    EXPECT_GT(others.cycles, 0);
    const BoundTerm drains = term(side, "drains of the stores of a warp");
    EXPECT_EQ(drains.count, 2);
    EXPECT_EQ(drains.cycles, 10);
    // Four lines of loads and two of stores; each of the former is served once on both links and at
    // a slice.
    const BoundTerm services = term(side, "services at links and slices for a transaction");
    EXPECT_EQ(services.count, 4);
    EXPECT_EQ(services.cycles, 2 + 2 * 1);
    EXPECT_EQ(term(side, "line accesses of loads, one after another").cycles, 0);
    EXPECT_EQ(sum_of(side.terms), side.proved);
}

TEST(CachesUnderStrictRoundRobin,
     InEvidenceTheTimesOfWarpsAreCertificatesAndWhatAllWaitForNumbers) {
    const SideResult side = certified(*accesses(2, "srr", Evidence::ByNumbers));
    const BoundTerm alone = term(side, "one warp in isolation");
    EXPECT_EQ(alone.certificate, "execution-time-upper-in-isolation");
    EXPECT_EQ(term(side, "stalls of another warp at its turn").cycles, alone.cycles);
    EXPECT_EQ(term(side, "issue slots of another warp of the scheduler").cycles, 6 * 4);
    EXPECT_EQ(term(side, "drains of the stores of a warp").cycles, 10);
    const BoundTerm loads = term(side, "services at links and slices for a transaction");
    EXPECT_EQ(loads.count, 2 * 2);
    EXPECT_EQ(loads.certificate, "");
    EXPECT_EQ(term(side, "services at links, slices and DRAM for the stores of a warp").count, 2);
    EXPECT_TRUE(std::ranges::none_of(side.terms, [](const BoundTerm& each) {
        return each.certificate.find("rotations") != std::string::npos;
    }));
}

TEST(CachesUnderStrictRoundRobin, InEvidenceAddressesGiveTheWholeBound) {
    auto made = accesses(2, "srr");
    const SideResult side = certified(*made);
    ASSERT_TRUE(side.queueing);
    EXPECT_EQ(term(side, "services at links and slices for a transaction").count, 4);
    EXPECT_EQ(side.proved, upper(*made).proved);
}

TEST(CachesUnderStrictRoundRobin, InEvidenceBlocksThatWaitCountEachOfTheirWarps) {
    auto made = accesses(2, "srr", Evidence::ByNumbers);
    made->request.launch = {3, 64};
    set(made->architecture.limits, "max-blocks", 1);
    set(made->architecture.blocks, "replacement", 5);
    set(made->architecture.blocks, "start", 5);
    const SideResult side = certified(*made);
    EXPECT_EQ(term(side, "services at links and slices for a transaction").count, 6 * 2);
    EXPECT_EQ(term(side, "one warp in isolation").count, 3);
}

TEST(CachesUnderStrictRoundRobin, AWarpThatIsAloneOnItsSchedulerIsNeverKeptWaiting) {
    auto made = accesses(2, "srr");
    set(made->architecture.schedulers, "count", 2);
    auto conserving = accesses(2, "lrr");
    set(conserving->architecture.schedulers, "count", 2);
    EXPECT_EQ(upper(*made).proved, upper(*conserving).proved);
}

} // namespace
} // namespace warpbound::analyzer
