#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/voudouris_warps.hpp"
#include "models/formulas/write_buffer.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;
using tests::RandomSource;

constexpr int cases = 300;

NamedProfile random_profile(RandomSource& random_source, bool global) {
    constexpr OpcodeClass classes[] = {OpcodeClass::FloatAdd,        OpcodeClass::IntegerAdd,
                                       OpcodeClass::SpecialFunction, OpcodeClass::LoadShared,
                                       OpcodeClass::LoadGlobal,      OpcodeClass::StoreGlobal};
    NamedProfile profile;
    const auto count = random_source.whole(1, 60);
    for (std::int64_t at = 0; at < count; ++at) {
        ProfileStep step;
        step.opcode_class = classes[random_source.whole(0, global ? 5 : 3)];
        if (is_memory_access(step.opcode_class)) {
            const auto passes = random_source.whole(1, 8);
            step.passes = CountRange{passes, passes};
            step.bytes_per_lane = 4;
        }
        if (is_global_load(step.opcode_class)) step.level = MemoryLevel::Dram;
        for (std::int64_t distance = 1; distance <= std::min<std::int64_t>(at, 5); ++distance)
            if (!is_global_store(
                    profile.steps[static_cast<std::size_t>(at - distance)].opcode_class) &&
                random_source.whole(0, 3) == 0)
                step.distances.push_back(distance);
        profile.steps.push_back(step);
    }
    profile.counts = counts_of(profile.steps);
    return profile;
}

Setting random_setting(RandomSource& random_source) {
    Setting setting{.architecture = load_architecture("fermi-gtx470").value()};
    setting.warps = random_source.whole(1, 48);
    if (random_source.whole(0, 1) == 1) setting.policy = gpumech::Policy::GreedyThenOldest;
    const std::pair<const char*, double> stated[] = {
        {"miss-registers", static_cast<double>(random_source.whole(1, 128))},
        {"line-bytes", 128},
        {"bsp-lambda", 1}};
    for (const auto& [name, value] : stated)
        EXPECT_TRUE(setting.stated.set(name, value).has_value());
    return setting;
}

double time_of(Model model, const NamedProfile& profile, const Setting& setting,
               Variant variant = Variant::Typical) {
    const auto answer = predict(model, profile, setting, variant);
    EXPECT_FALSE(answer.refused()) << to_string(model) << " " << answer.why();
    return answer.time ? answer.time->value() : 0;
}

TEST(PredictionProperty, CpiStacksSumToTheCpi) {
    tests::for_seeds(cases, [](RandomSource& random_source) {
        const auto profile = random_profile(random_source, true);
        const auto setting = random_setting(random_source);
        for (const auto variant : {Variant::Best, Variant::Typical, Variant::Worst}) {
            const auto answer = predict(Model::GpuMech, profile, setting, variant);
            ASSERT_FALSE(answer.refused()) << answer.why();
            double sum = 0;
            for (const auto& [category, cycles] : answer.stack) {
                EXPECT_GE(cycles, 0) << category;
                sum += cycles;
            }
            EXPECT_NEAR(sum, answer.cpi->value(), 1e-9 * sum);
            const double instructions =
                static_cast<double>(*setting.warps) * static_cast<double>(profile.steps.size());
            EXPECT_NEAR(answer.time->value(), sum * instructions, 1e-6 * answer.time->value());
        }
    });
}

TEST(PredictionProperty, TimesGrowWithLatenciesAndWarps) {
    tests::for_seeds(cases, [](RandomSource& random_source) {
        const auto profile = random_profile(random_source, true);
        const auto setting = random_setting(random_source);
        Setting slower = setting;
        const std::pair<const char*, std::int64_t> latencies[] = {
            {"memories/dram/latency", random_source.whole(370, 900)},
            {"classes/float-add/latency", random_source.whole(18, 60)},
            {"classes/special-function/latency", random_source.whole(22, 60)}};
        for (const auto& [path, cycles] : latencies)
            ASSERT_TRUE(override_value(slower.architecture, path, cycles).has_value());
        Setting more = setting;
        more.warps = *setting.warps == 48 ? 48 : *setting.warps + 1;
        for (const auto model : {Model::Volkov, Model::GpuDiag, Model::Voudouris}) {
            const double time = time_of(model, profile, setting);
            EXPECT_LE(time, time_of(model, profile, slower) + 1e-6) << to_string(model);
            EXPECT_LE(time, time_of(model, profile, more) + 1e-6) << to_string(model);
        }
    });
}

// With probability 1 and no queues nothing in GPUMech's round robin shortens with a latency.
TEST(PredictionProperty, GpuMechGrowsWithLatenciesWhenWarpsAlwaysWantToIssue) {
    tests::for_seeds(cases, [](RandomSource& random_source) {
        const auto profile = random_profile(random_source, false);
        Setting setting = random_setting(random_source);
        setting.policy = gpumech::Policy::RoundRobin;
        setting.warps = 1;
        Setting slower = setting;
        ASSERT_TRUE(override_value(slower.architecture, "classes/float-add/latency",
                                   random_source.whole(18, 60))
                        .has_value());
        EXPECT_LE(time_of(Model::GpuMech, profile, setting, Variant::Worst),
                  time_of(Model::GpuMech, profile, slower, Variant::Worst) + 1e-6);
    });
}

TEST(PredictionProperty, BestIsNoLongerThanWorst) {
    tests::for_seeds(cases, [](RandomSource& random_source) {
        const auto profile = random_profile(random_source, true);
        const auto setting = random_setting(random_source);
        for (const auto model : {Model::Volkov, Model::GpuDiag, Model::Voudouris})
            EXPECT_LE(time_of(model, profile, setting, Variant::Best),
                      time_of(model, profile, setting, Variant::Worst) + 1e-6)
                << to_string(model);
    });
}

// Eq. 13 in our form is no shorter than the recurrence for the interleaved stores of all warps.
TEST(PredictionProperty, TheWriteBufferOfManyWarpsKeepsUpWithTheRecurrence) {
    tests::for_seeds(cases, [](RandomSource& random_source) {
        const auto warps = random_source.whole(1, 48);
        const auto stores = random_source.whole(1, 40);
        const auto drain = random_source.whole(1, 60);
        const auto entries = random_source.whole(1, 16);
        std::vector<write_buffer::Store> merged;
        for (std::int64_t round = 0; round < stores; ++round)
            for (std::int64_t warp = 0; warp < warps; ++warp)
                merged.push_back({Cycles{34 * round}, Cycles{drain}});
        const auto recurrence = write_buffer::completion(merged, Cycles{0}, entries);
        ASSERT_TRUE(recurrence.has_value());
        const voudouris::Core core{
            .warps = warps, .buffer = voudouris::Buffer{entries, static_cast<double>(drain)}};
        const auto time = voudouris::time_of_warps({.global_stores = stores}, Cycles{0},
                                                   voudouris::table_7, core, {});
        ASSERT_TRUE(time.has_value());
        const double allowed = time.value().store_cost * static_cast<double>(stores);
        // What waits at the end of a round of bursts is at most one burst.
        EXPECT_LE(recurrence.value().last_entered.value(),
                  allowed + static_cast<double>(warps * drain));
    });
}

} // namespace
} // namespace warpbound::models::prediction
