// Ports and drains of stores (C94, C95, S52).

#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <map>

namespace warpbound::analyzer {
namespace {

/// A store of `transactions`, in two blocks of eight warps on four schedulers.
std::unique_ptr<Analyzed> store(std::int64_t transactions, std::int64_t drain) {
    models::FlowFacts facts;
    facts.kernel = "k";
    models::MemoryFact fact;
    fact.transactions = models::CountRange{transactions, transactions};
    facts.memory.push_back(fact);
    auto context =
        analyzed("STG.E [R2], R4 ?trans1;\nEXIT ?trans1;", std::move(facts), "turing-t4", 75);
    models::Architecture& machine = context->architecture;
    tests::put_value(machine, "classes/store-global/initiation", {2, 2, 2});
    tests::put_value(machine, "write-buffer/drain", {drain, drain, drain});
    context->request.launch = {2, 256};
    context->request.policy = models::read_policy("gto").value();
    return context;
}

std::map<std::string, std::int64_t> terms_of(const Analyzed& context) {
    std::map<std::string, std::int64_t> terms;
    const Envelope bounds = envelope(context);
    for (const BoundTerm& term : bounds.upper.terms)
        terms[term.certificate] = term.cycles;
    return terms;
}

constexpr const char* own = "execution-time-upper-demand-own-scheduler";
constexpr const char* others = "execution-time-upper-demand-other-schedulers";
constexpr const char* drains = "execution-time-upper-drain";

TEST(StorePorts, CountWithTheDrainThatIsNoShorter) {
    const auto terms = terms_of(*store(8, 2));
    EXPECT_EQ(terms.at(own), 2); // Two issue slots.
    EXPECT_EQ(terms.count(others) == 0 ? 0 : terms.at(others), 0);
    EXPECT_EQ(terms.at(drains), 16);
}

TEST(StorePorts, CountApartWhereADrainMayBeShorter) {
    const auto terms = terms_of(*store(8, 1));
    EXPECT_EQ(terms.at(own), 17);
    EXPECT_EQ(terms.at(others), 16);
    EXPECT_EQ(terms.at(drains), 8);
}

TEST(StorePorts, CountApartInAnActiveSetAndOnPortsOfASchedulerOnly) {
    const auto in_set = store(8, 2);
    in_set->request.policy = models::read_policy("two-level:active=24").value();
    EXPECT_EQ(terms_of(*in_set).at(own), 17);
    const auto apart = store(8, 2);
    for (models::Unit& unit : apart->architecture.units)
        unit.scope = models::UnitScope::Partition;
    EXPECT_EQ(terms_of(*apart).at(own), 17);
}

// Four sectors of a line, but no more than there are lanes.
TEST(SectorDrains, AreThoseOfTheSectorsThatLanesCanTouch) {
    for (const auto& [transactions, cycles] :
         std::map<std::int64_t, std::int64_t>{{1, 36}, {2, 72}, {8, 288}, {32, 288}}) {
        const auto context = store(transactions, 2);
        tests::put_value(context->architecture, "memories/l1/line", {128, 128, 128});
        tests::put_value(context->architecture, "memories/l1/sector", {32, 32, 32});
        tests::put_value(context->architecture, "write-buffer/sector-drain", {0, 0, 9});
        EXPECT_EQ(terms_of(*context).at(drains), cycles) << transactions;
    }
}

TEST(SectorDrains, DoNotShortenThatOfTransactions) {
    const auto context = store(32, 20);
    tests::put_value(context->architecture, "memories/l1/line", {128, 128, 128});
    tests::put_value(context->architecture, "memories/l1/sector", {32, 32, 32});
    tests::put_value(context->architecture, "write-buffer/sector-drain", {1, 1, 9});
    EXPECT_EQ(terms_of(*context).at(drains), 640);
}

TEST(SectorDrains, NeedTheSizesOfLineAndSector) {
    const auto context = store(1, 2);
    context->architecture.memories.clear();
    tests::put_value(context->architecture, "write-buffer/sector-drain", {0, 0, 9});
    const auto analysis = context->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(to_string(analysis.error()), testing::HasSubstr("memories/l1"));
}

// A line each cycle, but no instruction in less than its initiation.
TEST(LineIntervals, ReplaceTheInitiationOfFurtherLines) {
    for (const auto& [transactions, cycles] :
         std::map<std::int64_t, std::int64_t>{{1, 2}, {2, 2}, {8, 8}}) {
        const auto context = store(transactions, 1);
        tests::put_value(context->architecture, "classes/store-global/initiation", {2, 2, 2});
        tests::put_value(context->architecture, "classes/store-global/line-interval", {1, 1, 1});
        context->request.policy = models::read_policy("two-level:active=24").value();
        EXPECT_EQ(terms_of(*context).at(others), cycles) << transactions;
    }
}

} // namespace
} // namespace warpbound::analyzer
