#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Every access has so many transactions.
std::unique_ptr<Analyzed> accesses(const std::string& body, std::int64_t transactions) {
    auto context = analyzed(body);
    for (const auto& [path, number] : {std::pair{"memories/l1/latency", std::int64_t{40}},
                                       {"memories/l2/latency", 200},
                                       {"memories/l2/atomic", 4},
                                       {"classes/atomic-global/initiation", 1},
                                       {"classes/atomic-global/latency", 200},
                                       {"classes/memory-fence/latency", 10},
                                       {"classes/memory-fence/initiation", 1},
                                       {"classes/atomic-global/pass-cost", 1}})
        EXPECT_TRUE(models::override_value(context->architecture, path, number)) << path;
    context->request.launch = {2, 64};
    for (const auto& instruction : context->request.function->instructions) {
        if (!instruction.effects.memory) continue;
        models::MemoryFact fact;
        fact.at = instruction.address;
        fact.transactions = models::CountRange{1, transactions};
        context->facts.memory.push_back(fact);
    }
    return context;
}

TEST(SharedTraffic, IsThatOfAllWarpsWithALineForEachTransaction) {
    const auto context = accesses("LD.E R4, [R2]; ST.E [R2], R4; EXIT;", 3);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    // 4 warps, 2 accesses, 3 lines of 128 bytes: moved once, filled once, and one evicted.
    EXPECT_THAT(bytes.value(), ElementsAre(4 * 2 * 3 * 128 * 3, 4 * 2 * 3 * 128 * 2));
}

TEST(SharedTraffic, OfAnAtomicMovesItsLineTwice) {
    const auto context = accesses("RED.E.ADD [R2], R4; EXIT;", 1);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_THAT(bytes.value(), ElementsAre(4 * 128 * 4, 4 * 128 * 2));
}

TEST(SharedTraffic, OfWideLocalMemoryHasALineForEachWordOfALane) {
    const auto context = accesses("STL.128 [R2], R4; EXIT;", 1);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_EQ(bytes.value()[1], 4 * 4 * 128 * 2);
}

TEST(SharedTraffic, IsNoneOfSharedMemory) {
    const auto context = accesses("LDS R4, [R2]; STS [R2], R4; EXIT;", 2);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_THAT(bytes.value(), ElementsAre(0, 0));
}

TEST(SharedTraffic, CountsWhatAHintFetchesToo) {
    const auto context = accesses("LD.E.LTC256B R4, [R2]; EXIT;", 1);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_EQ(bytes.value()[1], 4 * 2 * 128 * 2);
}

TEST(SharedTraffic, OfAPrefetchIsNotKnown) {
    EXPECT_TRUE(bound_traffic(accesses("CCTL.IVALL; EXIT;", 1)->request));
    const auto prefetch = bound_traffic(accesses("CCTL.E.PF2 [R2]; EXIT;", 1)->request);
    ASSERT_FALSE(prefetch);
    EXPECT_THAT(prefetch.error().what, HasSubstr("cache operation"));
}

TEST(SharedTraffic, CountsTheWorseSideOfABranch) {
    const auto context =
        accesses("@P0 BRA 0x18; LD.E R4, [R2]; EXIT; LD.E R4, [R2]; LD.E R5, [R2]; "
                 "EXIT;",
                 1);
    models::UniformFact fact;
    fact.at = context->request.function->instructions.front().address;
    context->facts.uniforms.push_back(fact);
    const auto bytes = bound_traffic(context->request);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    EXPECT_EQ(bytes.value()[1], 4 * 2 * 128 * 2);
}

TEST(SharedTraffic, OfTexturesIsNotKnown) {
    const auto context = analyzed("TEX R4, R2, 0, 0, 2D; EXIT;");
    ASSERT_TRUE(models::override_value(context->architecture, "classes/texture/latency", 400));
    const auto bytes = bound_traffic(context->request);
    ASSERT_FALSE(bytes);
    EXPECT_THAT(bytes.error().what, HasSubstr("texture"));
}

} // namespace
} // namespace warpbound::analyzer
