#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/prediction/representative.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/formulas/prediction/timed_steps.hpp"
#include "models/formulas/voudouris_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;
using testing::Contains;
using testing::HasSubstr;

Architecture fermi() {
    return load_architecture("fermi-gtx470").value();
}

ProfileStep step(OpcodeClass opcode_class, std::vector<std::int64_t> distances = {}) {
    ProfileStep one;
    one.opcode_class = opcode_class;
    one.distances = std::move(distances);
    if (is_memory_access(opcode_class)) one.bytes_per_lane = 4;
    return one;
}

NamedProfile profile_of(Steps steps) {
    NamedProfile profile;
    profile.name = "test";
    profile.steps = std::move(steps);
    profile.counts = counts_of(profile.steps);
    return profile;
}

/// Two additions and EXIT; the second addition waits for the first.
NamedProfile additions() {
    return profile_of(
        {step(OpcodeClass::FloatAdd), step(OpcodeClass::FloatAdd, {1}), step(OpcodeClass::Exit)});
}

Setting setting_of(Architecture architecture, Launch launch = {}) {
    return {.architecture = std::move(architecture), .launch = launch};
}

TEST(ValuePath, FindsAndReplacesAValue) {
    Architecture machine = fermi();
    EXPECT_EQ(find_value(machine, "memories/dram/latency")->interval->lo, 350);
    EXPECT_EQ(find_value(machine, "classes/float-add/latency")->interval->lo, 18);
    EXPECT_EQ(find_value(machine, "classes/flux/latency"), nullptr);
    ASSERT_TRUE(override_value(machine, "memories/dram/latency", 123).has_value());
    EXPECT_EQ(*find_value(machine, "memories/dram/latency")->interval, (Interval{123, 123, 123}));
    EXPECT_EQ(find_value(machine, "memories/dram/latency")->grade, Grade::Assumed);
    EXPECT_TRUE(machine.digest.empty());
    // Absent from the description, but one that it may have.
    ASSERT_EQ(find_value(machine, "memories/dram/line"), nullptr);
    ASSERT_TRUE(override_value(machine, "memories/dram/line", 128).has_value());
    EXPECT_EQ(find_value(machine, "memories/dram/line")->unit, "bytes");
}

TEST(ValuePath, RefusesWhatNoDescriptionHas) {
    Architecture machine = fermi();
    const std::pair<const char*, const char*> refusals[] = {
        {"latency", "names no value"},
        {"memories/latency", "names no value"},
        {"geometry/x/core-clock", "names no value"},
        {"memories/l4/latency", "'l4'"},
        {"memories/dram/colour", "'colour'"},
        {"classes/flux/latency", "'flux'"},
        {"planets/mars", "'planets'"},
    };
    for (const auto& [path, what] : refusals) {
        const auto refused = override_value(machine, path, 1);
        ASSERT_FALSE(refused.has_value()) << path;
        EXPECT_THAT(refused.error().what, HasSubstr(what));
    }
    EXPECT_THAT(override_value(machine, "schedulers/count", 0).error().what,
                HasSubstr("expected 1 to"));
}

TEST(Stated, RefusesOtherNamesAndValues) {
    Stated stated;
    EXPECT_TRUE(stated.set("l1-miss-rate", 0.5).has_value());
    EXPECT_THAT(stated.set("l1-miss-rate", 1.5).error().what, HasSubstr("from 0 to 1"));
    EXPECT_THAT(stated.set("miss-registers", 1.5).error().what, HasSubstr("whole number"));
    EXPECT_THAT(stated.set("colour", 1).error().what, HasSubstr("bsp-lambda"));
    EXPECT_EQ(stated.find("l1-miss-rate"), 0.5);
    EXPECT_EQ(stated.find("miss-registers"), std::nullopt);
}

TEST(Inputs, NameWhatIsMissing) {
    const Architecture machine = fermi();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    EXPECT_EQ(inputs.described("memories/dram/latency"), 370); // Typical.
    EXPECT_EQ(inputs.described("memories/l1/latency"), std::nullopt);
    EXPECT_EQ(inputs.stated("bsp-lambda"), std::nullopt);
    ASSERT_EQ(inputs.missing().size(), 2U);
    EXPECT_THAT(inputs.missing()[0], HasSubstr("memories/l1/latency"));
    EXPECT_THAT(inputs.missing()[1], HasSubstr("bsp-lambda"));
    EXPECT_EQ(inputs.used().size(), 1U);
}

TEST(Inputs, TakeTheEndOfTheVariant) {
    const Interval interval{.lo = 10, .typical = std::nullopt, .hi = 25};
    EXPECT_EQ(choose(interval, Variant::Best), 10);
    EXPECT_EQ(choose(interval, Variant::Typical), 17.5);
    EXPECT_EQ(choose(interval, Variant::Worst), 25);
    EXPECT_EQ(choose({.lo = 10, .typical = 11, .hi = 25}, Variant::Typical), 11);
}

// 2560 bytes and 26 registers are the kernel's own: a launch may add shared memory, but neither may
// be stated otherwise.
TEST(Residency, RefusesResourcesThatContradictTheKernel) {
    Architecture machine = fermi();
    ASSERT_TRUE(override_value(machine, "geometry/multiprocessors", 1).has_value());
    auto profile = additions();
    profile.registers = 26;
    profile.shared_memory = 2560;
    const auto slots = [&](std::string_view name, double value) -> Result<std::int64_t> {
        Stated stated;
        EXPECT_TRUE(stated.set(name, value).has_value());
        Inputs inputs{machine, stated, Variant::Typical};
        const auto found = residency_of({.blocks = 100, .threads = 64}, profile, inputs);
        if (!found) return found.as_failure();
        return found.value()->slots;
    };
    EXPECT_EQ(slots("hidden-latency", 0).value(), 8);
    EXPECT_EQ(slots("shared-memory", 12288).value(), 4); // 49152 / 12288.
    EXPECT_THAT(slots("shared-memory", 2559).error().what,
                HasSubstr("shared-memory is stated to be 2559; the kernel itself has 2560"));
    EXPECT_THAT(slots("registers", 27).error().what,
                HasSubstr("registers is stated to be 27; the kernel itself has 26"));
}

// 6 blocks of 2 warps on Fermi's 48 warps and 8 blocks: all of them fit one multiprocessor.
TEST(Residency, FillsOneMultiprocessorInWaves) {
    Architecture machine = fermi();
    ASSERT_TRUE(override_value(machine, "geometry/multiprocessors", 2).has_value());
    Stated stated;
    ASSERT_TRUE(stated.set("registers", 16).has_value());
    ASSERT_TRUE(stated.set("shared-memory", 0).has_value());
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = residency_of({.blocks = 41, .threads = 64}, additions(), inputs);
    ASSERT_TRUE(found.has_value() && found.value().has_value());
    EXPECT_EQ(found.value()->multiprocessors, 2);
    EXPECT_EQ(found.value()->blocks, 21); // Of 41 on two.
    EXPECT_EQ(found.value()->slots, 8);
    EXPECT_EQ(found.value()->full_waves, 2);
    EXPECT_EQ(found.value()->rest, 5);
    EXPECT_EQ(found.value()->warps(), 16);
}

TEST(Residency, NeedsTheRegistersOfSeveralBlocks) {
    Architecture machine = fermi();
    ASSERT_TRUE(override_value(machine, "geometry/multiprocessors", 1).has_value());
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = residency_of({.blocks = 2, .threads = 64}, additions(), inputs);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found.value().has_value());
    EXPECT_THAT(inputs.missing(), Contains(HasSubstr("registers")));
    Inputs alone{machine, stated, Variant::Typical};
    EXPECT_TRUE(residency_of({.blocks = 1, .threads = 64}, additions(), alone).value().has_value());
}

TEST(Residency, RefusesMoreWarpsThanThereAre) {
    const Architecture machine = fermi();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    EXPECT_EQ(residency_of_warps(48, inputs).value()->warps(), 48);
    EXPECT_THAT(residency_of_warps(49, inputs).error().what, HasSubstr("1 to 48"));
}

// Fermi: 26 cycles of latency, 26 a further pass, the warp's port taken for 26 a pass.
TEST(TimedSteps, CountPasses) {
    auto load = step(OpcodeClass::LoadShared);
    load.passes = CountRange{3, 3};
    const Architecture machine = fermi();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Best};
    const Steps steps{load};
    const auto timed = timed_steps(steps, {}, inputs);
    ASSERT_EQ(timed.size(), 1U);
    EXPECT_EQ(timed[0].latency, 78_cycles);
    EXPECT_EQ(timed[0].occupancy, 78_cycles);
    EXPECT_EQ(timed[0].gap, 6_cycles);
}

TEST(TimedSteps, NeedAStatedLevelOrMissRates) {
    auto load = step(OpcodeClass::LoadGlobal);
    load.passes = CountRange{};
    const Architecture machine = load_architecture("maxwell-gtx970").value();
    load.stall = 1;
    const Steps steps{load};
    Stated stated;
    Inputs without{machine, stated, Variant::Typical};
    EXPECT_TRUE(timed_steps(steps, {}, without).empty());
    EXPECT_THAT(without.missing(), Contains(HasSubstr("l1-miss-rate")));
    ASSERT_TRUE(stated.set("l1-miss-rate", 0.5).has_value());
    ASSERT_TRUE(stated.set("l2-miss-rate", 0.25).has_value());
    Inputs with{machine, stated, Variant::Typical};
    // 82/2 + 207*3/8 + 368/8 = 164.625, rounded up.
    EXPECT_EQ(timed_steps(steps, {}, with).at(0).latency, 165_cycles);
}

TEST(TimedSteps, RefuseOpenPassesInTheTypicalCaseOnly) {
    auto load = step(OpcodeClass::LoadShared);
    load.passes.reset();
    load.address = 0x40;
    const Steps steps{load};
    const Architecture machine = fermi();
    const Stated stated;
    Inputs typical{machine, stated, Variant::Typical};
    EXPECT_TRUE(timed_steps(steps, {}, typical).empty());
    EXPECT_THAT(typical.missing(), Contains(HasSubstr("0x0040")));
    Inputs worst{machine, stated, Variant::Worst};
    EXPECT_EQ(timed_steps(steps, {}, worst).at(0).passes, 32);
}

// Issue at 0, 18 and 24; the last result is ready at 36, EXIT ends one cycle after its issue.
TEST(Prediction, FollowsOneWarpByHand) {
    const auto setting = setting_of(fermi());
    EXPECT_EQ(predict(Model::GpuDiag, additions(), setting, Variant::Typical).time->value(), 36);
    EXPECT_EQ(predict(Model::Volkov, additions(), setting, Variant::Typical).time->value(), 24);
    // 6 + 18 + 6 of Table 7.
    EXPECT_EQ(predict(Model::Voudouris, additions(), setting, Variant::Typical).time->value(), 30);
}

// On Maxwell an independent instruction costs one cycle, less than two of Fermi's issue slots.
TEST(Prediction, TakesVoudourisForOneWarpAsPublished) {
    auto setting = setting_of(load_architecture("maxwell-gtx970").value());
    setting.voudouris = voudouris::parameters_from(setting.architecture);
    NamedProfile counts;
    counts.counts.arithmetic_independent = 10;
    EXPECT_EQ(predict(Model::Voudouris, counts, setting, Variant::Typical).time->value(), 10);
    setting.warps = 8; // Two warps a scheduler, one slot apart, and each waits for the other.
    EXPECT_EQ(predict(Model::Voudouris, counts, setting, Variant::Typical).time->value(), 21);
}

TEST(Prediction, RefusesByName) {
    const auto setting = setting_of(fermi());
    const auto bsp = predict(Model::Bsp, additions(), setting, Variant::Typical);
    EXPECT_TRUE(bsp.refused());
    EXPECT_THAT(bsp.why(), HasSubstr("bsp-lambda"));
    const auto amd = predict(Model::AluFetch, additions(), setting, Variant::Typical);
    EXPECT_THAT(amd.missing, Contains(HasSubstr("simd-engines")));
    const auto described =
        predict(Model::AluFetch, additions(),
                setting_of(load_architecture("terascale-rv770").value()), Variant::Typical);
    EXPECT_THAT(described.missing, Contains(HasSubstr("transactions-per-fetch")));
    EXPECT_THAT(described.missing, testing::Not(Contains(HasSubstr("simd-engines"))));
    NamedProfile counts;
    counts.counts.arithmetic_independent = 3;
    const auto graph = predict(Model::Volkov, counts, setting, Variant::Typical);
    EXPECT_THAT(graph.why(), HasSubstr("executed instructions"));
    const auto atomic = profile_of({step(OpcodeClass::AtomicGlobal)});
    EXPECT_THAT(predict(Model::Voudouris, atomic, setting, Variant::Worst).why(),
                HasSubstr("not in the model"));
}

TEST(Prediction, GivesACpiStackThatSums) {
    auto setting = setting_of(fermi());
    setting.warps = 24;
    auto load = step(OpcodeClass::LoadGlobal);
    load.passes = CountRange{2, 2};
    load.level = MemoryLevel::Dram;
    const auto profile =
        profile_of({load, step(OpcodeClass::FloatAdd, {1}), step(OpcodeClass::Exit)});
    EXPECT_THAT(predict(Model::GpuMech, profile, setting, Variant::Typical).missing,
                Contains(HasSubstr("miss-registers")));
    ASSERT_TRUE(setting.stated.set("miss-registers", 8).has_value());
    ASSERT_TRUE(setting.stated.set("line-bytes", 128).has_value());
    const auto answer = predict(Model::GpuMech, profile, setting, Variant::Typical);
    ASSERT_FALSE(answer.refused()) << answer.why();
    const double sum =
        std::accumulate(answer.stack.begin(), answer.stack.end(), 0.0,
                        [](double total, const auto& category) { return total + category.second; });
    EXPECT_NEAR(sum, answer.cpi->value(), 1e-12);
    EXPECT_NEAR(answer.cpi->value() * 24 * 3, answer.time->value(), 1e-6);
    EXPECT_GT(answer.stack[5].second, 0) << "48 misses wait for 8 registers";
}

// 1 - 0.9 - 0.1 is below 0 in binary numbers; the share of DRAM is added up instead.
TEST(Prediction, TakesSharesThatSumToOneAsTheyAre) {
    auto setting = setting_of(fermi());
    setting.warps = 1;
    auto load = step(OpcodeClass::LoadGlobal);
    load.passes = CountRange{1, 1};
    for (const auto& [name, value] :
         {std::pair{"l1-miss-rate", 0.1}, std::pair{"l2-miss-rate", 0.0},
          std::pair{"miss-registers", 8.0}, std::pair{"line-bytes", 128.0}})
        ASSERT_TRUE(setting.stated.set(name, value).has_value());
    for (const auto& [path, cycles] :
         {std::pair{"memories/l1/latency", 40}, std::pair{"memories/l2/latency", 200}})
        ASSERT_TRUE(override_value(setting.architecture, path, cycles).has_value());
    const auto profile = profile_of({load, step(OpcodeClass::FloatAdd, {1})});
    const auto answer = predict(Model::GpuMech, profile, setting, Variant::Typical);
    EXPECT_FALSE(answer.refused()) << answer.why();
}

// Ten special functions of 6 cycles, one port for the multiprocessor: 12 warps need 720 cycles.
TEST(Prediction, CountsTheBusiestUnitUnlessAskedNotTo) {
    auto setting = setting_of(fermi());
    setting.warps = 12;
    Steps steps{step(OpcodeClass::SpecialFunction)};
    steps.repeat_last(1, 9);
    steps.push_back(step(OpcodeClass::Exit));
    const auto profile = profile_of(steps);
    EXPECT_EQ(predict(Model::GpuMech, profile, setting, Variant::Typical).time->value(), 720);
    setting.counts_units = false;
    EXPECT_LT(predict(Model::GpuMech, profile, setting, Variant::Typical).time->value(), 200);
}

// A warp that leaves at once and three that add 20, 21 and 22 times: the second of those is nearest
// to the middle of the larger cluster.
TEST(Representative, StandsForTheWarpsThatAreMost) {
    const auto adds = [](std::size_t times) {
        Steps steps{step(OpcodeClass::FloatAdd), step(OpcodeClass::FloatAdd, {1})};
        steps.repeat_last(1, times - 2);
        steps.push_back(step(OpcodeClass::Exit));
        return profile_of(steps);
    };
    const std::vector<NamedProfile> warps{profile_of({step(OpcodeClass::Exit)}), adds(20), adds(21),
                                          adds(22)};
    const auto setting = setting_of(fermi());
    const auto found = representative_of(warps, setting, Variant::Typical);
    ASSERT_TRUE(found.has_value()) << to_string(found.error());
    EXPECT_EQ(found.value().warp, 2U);
    EXPECT_EQ(found.value().cluster_size, 3U);
    NamedProfile counts;
    counts.counts.arithmetic_independent = 5;
    EXPECT_THAT(representative_of(std::vector{counts}, setting, Variant::Typical).error().what,
                HasSubstr("the executed instructions one by one"));
    EXPECT_FALSE(representative_of({}, setting, Variant::Typical).has_value());
}

TEST(Prediction, DependsOnItsLaunchOnlyThroughTheBusiestMultiprocessor) {
    const auto small = setting_of(fermi(), {.blocks = 14, .threads = 64});
    const auto one = setting_of(fermi(), {.blocks = 1, .threads = 64});
    for (const auto model : {Model::Voudouris, Model::Volkov, Model::GpuMech, Model::GpuDiag})
        EXPECT_NEAR(predict(model, additions(), small, Variant::Typical).time->value(),
                    predict(model, additions(), one, Variant::Typical).time->value(), 1e-9)
            << to_string(model);
}

} // namespace
} // namespace warpbound::models::prediction
