#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

/// Three atomics of a warp on Fermi, which takes 4 cycles for each transaction at a slice of the L2
/// and holds the port of the SM for `initiation`.
std::unique_ptr<Analyzed> atomics(std::int64_t initiation) {
    auto context = analyzed("RED.E.ADD [R2], R4; RED.E.ADD [R2], R4; RED.E.ADD [R2], R4; EXIT;");
    for (const auto& [path, number] : {std::pair{"memories/l2/atomic", std::int64_t{4}},
                                       {"classes/atomic-global/initiation", initiation},
                                       {"classes/atomic-global/latency", 200},
                                       {"classes/atomic-global/pass-cost", 1},
                                       {"blocks/replacement", 0},
                                       {"blocks/start", 0}})
        EXPECT_TRUE(models::override_value(context->architecture, path, number)) << path;
    for (models::Unit& unit : context->architecture.units)
        unit.scope = models::UnitScope::Core;
    for (const auto& instruction : context->request.function->instructions) {
        if (instruction.mnemonic != "RED") continue;
        models::MemoryFact fact;
        fact.at = instruction.address;
        fact.transactions = models::CountRange{2, 2};
        context->facts.memory.push_back(fact);
    }
    return context;
}

/// The term for services at a slice; null: there is none.
const BoundTerm* services(const Envelope& envelope) {
    const auto& terms = envelope.upper.terms;
    const auto found = std::ranges::find_if(terms, [](const BoundTerm& term) {
        return term.certificate == "execution-time-upper-atomics";
    });
    return found == terms.end() ? nullptr : &*found;
}

TEST(AtomicDelay, CountsAllAtomicsOfTheLaunchOnceAtOneSlice) {
    auto context = atomics(1);
    context->request.launch = {8, 64};
    context->request.multiprocessors = 4;
    const Envelope bounds = envelope(*context);
    ASSERT_NE(services(bounds), nullptr);
    EXPECT_EQ(services(bounds)->count, 16);         // Warps of all multiprocessors.
    EXPECT_EQ(services(bounds)->cycles, 3 * 2 * 4); // Atomics, transactions, cycles.
}

TEST(AtomicDelay, IsNoneWhereOnePortKeepsAtomicsApart) {
    auto context = atomics(4);
    context->request.launch = {1, 64};
    EXPECT_EQ(services(envelope(*context)), nullptr);
    context->request.launch = {2, 64};
    context->request.multiprocessors = 2;
    EXPECT_NE(services(envelope(*context)), nullptr);
    auto close = atomics(3);
    close->request.launch = {1, 64};
    EXPECT_NE(services(envelope(*close)), nullptr);
}

TEST(AtomicDelay, NeedsTheTimeAtTheL2) {
    auto context = atomics(1);
    auto& values =
        std::ranges::find(context->architecture.memories, "l2", &models::ValueGroup::name)->values;
    std::erase_if(values, [](const auto& value) { return value.name == "atomic"; });
    const auto analysis = context->run();
    ASSERT_FALSE(analysis);
    EXPECT_NE(analysis.error().what.find("memories/l2/atomic"), std::string::npos)
        << analysis.error().what;
}

} // namespace
} // namespace warpbound::analyzer
