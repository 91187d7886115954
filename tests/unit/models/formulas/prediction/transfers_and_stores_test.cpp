// Results of `predict` other than the models' times: copies, and stores at the write buffer.
#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/store_delays.hpp"
#include "models/formulas/prediction/transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;
using testing::Contains;
using testing::HasSubstr;

TEST(Copies, AreReadAndRefused) {
    const auto copy = parse_copy("device-to-host=4096");
    ASSERT_TRUE(copy.has_value());
    EXPECT_EQ(copy.value().direction, CopyDirection::DeviceToHost);
    EXPECT_EQ(copy.value().bytes, 4096);
    for (const char* text :
         {"", "host-to-device", "host-to-device=0", "host-to-device=-4", "host-to-host=4",
          "host-to-device=x", "host-to-device=1125899906842625"})
        EXPECT_THAT(parse_copy(text).error().what, HasSubstr("is no copy")) << text;
}

// GTX 970: 3969 ns + 10,886,200 bytes at 10,886,200 kB/s, 5157 ns + 10,317,400 bytes at 10,317,400.
TEST(Copies, AddUpOneAfterTheOther) {
    const Architecture machine = load_architecture("maxwell-gtx970").value();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    const std::vector<Copy> copies{{CopyDirection::HostToDevice, 10'886'200},
                                   {CopyDirection::DeviceToHost, 10'317'400}};
    EXPECT_NEAR(copy_time(copies, inputs)->value(), 3.969e-6 + 5.157e-6 + 2e-3, 1e-12);
    // 1,253,000 cycles at 1253 MHz are a millisecond.
    EXPECT_NEAR(end_to_end(Estimate<Cycles>{1'253'000}, copies, inputs)->value(), 3.009126e-3,
                1e-9);
}

TEST(Copies, NeedADescribedLink) {
    const Architecture machine = load_architecture("turing-t4").value();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    EXPECT_FALSE(
        copy_time(std::vector<Copy>{{CopyDirection::HostToDevice, 1}}, inputs).has_value());
    EXPECT_THAT(inputs.missing(), Contains(HasSubstr("transfers/host-to-device-start")));
}

ProfileStep store() {
    ProfileStep step;
    step.opcode_class = OpcodeClass::StoreGlobal;
    step.bytes_per_lane = 4;
    step.passes = CountRange{};
    return step;
}

ProfileStep addition() {
    ProfileStep step;
    step.opcode_class = OpcodeClass::FloatAdd;
    return step;
}

/// Eight entries, an entry drained in 5 to 8 cycles; instructions of a warp 6 cycles distance.
StoreDelays delays_of(Steps steps, std::int64_t warps) {
    NamedProfile profile;
    profile.steps = std::move(steps);
    Setting setting;
    setting.architecture = load_architecture("fermi-gtx470").value();
    setting.warps = warps;
    const auto found = store_delays(Question{profile, setting});
    EXPECT_TRUE(found.has_value());
    EXPECT_TRUE(found->missing.empty() && found->refusal.empty()) << found->refusal;
    return *found;
}

TEST(StoreDelays, AreAbsentWithoutStores) {
    NamedProfile profile;
    profile.steps = {addition()};
    Setting setting;
    setting.architecture = load_architecture("fermi-gtx470").value();
    EXPECT_FALSE(store_delays(Question{profile, setting}).has_value());
}

// Two stores of a warp 12 cycles distance: one warp's leave before the next comes. With two warps a
// store may come every 6 cycles, faster than 8: all four may wait.
TEST(StoreDelays, BoundOneWarpByItsOwnDistance) {
    const Steps steps{store(), addition(), store()};
    const auto one = delays_of(steps, 1);
    EXPECT_EQ(one.guarantee->delay.upper(), 8_cycles);
    EXPECT_EQ(one.guarantee->backlog.upper(), 1);
    const auto two = delays_of(steps, 2);
    EXPECT_EQ(two.guarantee->delay.upper(), 32_cycles);
    EXPECT_EQ(two.guarantee->backlog.upper(), 4);
}

StoreDelays delays_of(const ProfileStep& step, const Launch& launch, const Architecture& machine) {
    NamedProfile profile;
    profile.steps = {step};
    const Setting setting{.architecture = machine, .launch = launch};
    return *store_delays(Question{profile, setting});
}

// 64 blocks of one warp, 8 at a time: a block that follows another may store at once, so all 64
// stores may wait for each other.
TEST(StoreDelays, CountBlocksThatFollowOthers) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    ASSERT_TRUE(override_value(machine, "geometry/multiprocessors", 1).has_value());
    const auto found = delays_of(
        store(), {.blocks = 64, .threads = 32, .registers = 16, .shared_memory = 0}, machine);
    ASSERT_TRUE(found.guarantee.has_value()) << found.refusal;
    EXPECT_EQ(found.warps, 8);
    EXPECT_EQ(found.guarantee->backlog.upper(), 64);
    EXPECT_EQ(found.guarantee->delay.upper(), Cycles{64 * 8});
}

// At most two lines per lane, whatever the estimate of the pattern's passes.
TEST(StoreDelays, CountTwoPassesForEachLaneOfAPattern) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    ASSERT_TRUE(override_value(machine, "memories/l1/line", 128).has_value());
    ProfileStep unaligned = store();
    unaligned.passes.reset();
    unaligned.level = MemoryLevel::Dram;
    unaligned.pattern = AddressPattern{.base = 126, .thread_stride = 256, .random = {}};
    const auto found = delays_of(unaligned, {.blocks = 1, .threads = 32}, machine);
    ASSERT_TRUE(found.guarantee.has_value()) << found.refusal;
    EXPECT_EQ(found.guarantee->delay.upper(), Cycles{64 * 8});
    EXPECT_LE(found.recurrence->last_drained.value(), 64 * 8);
}

// C26: they wait for the request link to the L2, which the guarantee does not cover.
TEST(StoreDelays, GiveNoGuaranteeThroughTheCaches) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    for (const auto& [path, number] :
         {std::pair{"memories/l1/line", 128}, std::pair{"memories/l1/size", 16384},
          std::pair{"memories/l2/line", 128}, std::pair{"memories/l2/size", 65536}})
        ASSERT_TRUE(override_value(machine, path, number).has_value());
    ProfileStep cached = store();
    cached.passes.reset();
    cached.pattern = AddressPattern{.thread_stride = 4, .random = {}};
    const auto found = delays_of(cached, {.blocks = 1, .threads = 32}, machine);
    EXPECT_FALSE(found.guarantee.has_value());
    EXPECT_TRUE(found.recurrence.has_value());
    EXPECT_THAT(found.refusal, HasSubstr("the request link to the L2"));
}

// C26: with one access through the caches every store is in the buffer a cycle longer.
TEST(StoreDelays, GiveNoGuaranteeWithLoadsThroughTheCaches) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    for (const auto& [path, number] :
         {std::pair{"memories/l1/line", 128}, std::pair{"memories/l1/size", 16384},
          std::pair{"memories/l2/line", 128}, std::pair{"memories/l2/size", 65536}})
        ASSERT_TRUE(override_value(machine, path, number).has_value());
    ProfileStep load{.opcode_class = assembly::OpcodeClass::LoadGlobal, .distances = {}};
    load.passes.reset();
    load.level = MemoryLevel::Any;
    load.pattern = AddressPattern{.thread_stride = 4, .random = {}};
    NamedProfile profile;
    profile.steps = {load, store()};
    Setting setting;
    setting.architecture = machine;
    setting.launch = {.blocks = 1, .threads = 32};
    const auto found = *store_delays(Question{profile, setting});
    EXPECT_FALSE(found.guarantee.has_value());
    EXPECT_THAT(found.refusal, HasSubstr("all are in the buffer longer"));
}

// The guarantee covers what the recurrence finds, at any number of warps and stores.
TEST(StoreDelays, AreNeverLongerByRecurrenceThanGuaranteed) {
    for (std::size_t distance = 0; distance < 4; ++distance)
        for (std::int64_t warps = 1; warps <= 48; warps += 7) {
            Steps steps{store()};
            for (int turn = 0; turn < 5; ++turn) {
                for (std::size_t k = 0; k < distance; ++k)
                    steps.push_back(addition());
                steps.push_back(store());
            }
            const auto found = delays_of(steps, warps);
            EXPECT_EQ(found.stores, 6);
            std::size_t at = 0;
            std::int64_t ready = 0;
            for (const auto& passage : found.recurrence->passages) {
                if (at > 0 && at % static_cast<std::size_t>(warps) == 0)
                    ready += 6 * static_cast<std::int64_t>(distance + 1);
                EXPECT_LE(passage.drained.count() - ready, found.guarantee->delay.upper().count());
                ++at;
            }
        }
}

} // namespace
} // namespace warpbound::models::prediction
