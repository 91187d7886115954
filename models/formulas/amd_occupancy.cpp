#include "models/formulas/amd_occupancy.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

namespace warpbound::models::amd_occupancy {
namespace {

constexpr std::int64_t kib = 1024;

struct Row {
    Family family;
    std::string_view name;
    bool rdna;
    std::int64_t waves;
    std::int64_t registers; ///< With waves of 64 lanes; RDNA has twice as many with 32.
    std::int64_t unit;      ///< Likewise.
    ScalarRule scalar_rule;
    std::int64_t local_kib; ///< Of a compute unit; a work-group processor has twice as much.
    std::int64_t local_unit;
};

constexpr auto table = std::to_array<Row>({
    {Family::Gcn1, "GCN1", false, 10, 256, 4, ScalarRule::Gcn1And2, 64, 256},
    {Family::Gcn2, "GCN2", false, 10, 256, 4, ScalarRule::Gcn1And2, 64, 512},
    {Family::Gcn3ToGcn5, "GCN3-5, CDNA1", false, 10, 256, 4, ScalarRule::Gcn3AndLater, 64, 512},
    {Family::Cdna2And3, "CDNA2/3", false, 8, 512, 8, ScalarRule::Gcn3AndLater, 64, 512},
    {Family::Cdna4, "CDNA4", false, 8, 512, 8, ScalarRule::Gcn3AndLater, 160, 1280},
    {Family::Rdna1, "RDNA1", true, 20, 512, 4, ScalarRule::None, 64, 512},
    {Family::Rdna2, "RDNA2", true, 16, 512, 8, ScalarRule::None, 64, 1024},
    {Family::Rdna3Large, "RDNA3, 1.5x", true, 16, 768, 12, ScalarRule::None, 64, 1024},
});

struct ScalarStep {
    std::int64_t registers; ///< Up to this many.
    std::int64_t waves;
};
constexpr auto gcn1_steps =
    std::to_array<ScalarStep>({{48, 10}, {56, 9}, {64, 8}, {72, 7}, {80, 6}});
constexpr std::int64_t gcn1_rest = 5;
constexpr auto gcn3_steps = std::to_array<ScalarStep>({{80, 10}, {88, 9}, {100, 8}});
constexpr std::int64_t gcn3_rest = 7;

std::int64_t waves_by(std::span<const ScalarStep> steps, std::int64_t rest,
                      std::int64_t registers) {
    for (const auto& step : steps)
        if (registers <= step.registers) return step.waves;
    return rest;
}

std::int64_t waves_by_scalars(std::int64_t registers, const Limits& limits) {
    switch (limits.scalar_rule) {
    case ScalarRule::Gcn1And2:
        return waves_by(gcn1_steps, gcn1_rest, registers);
    case ScalarRule::Gcn3AndLater:
        return waves_by(gcn3_steps, gcn3_rest, registers);
    case ScalarRule::None:
        break;
    }
    return limits.waves_per_simd;
}

std::optional<Failure> objection(const WorkGroup& group, const Limits& limits) {
    return InputCheck{"amd-occupancy"}
        .count("lanes of a wave", limits.wave_size, 1)
        .count("SIMDs", limits.simds, 1)
        .count("waves per SIMD", limits.waves_per_simd, 1)
        .count("vector registers of a lane", limits.vector_registers, 1)
        .count("vector register allocation unit", limits.vector_unit, 1, limits.vector_registers)
        .count("local memory", limits.local_memory, 0)
        .count("local memory allocation unit", limits.local_unit, 1)
        .count("threads per work-group", group.threads, 1)
        .count("vector registers", group.vector_registers, 0,
               limits.vector_registers / std::max<std::int64_t>(limits.vector_unit, 1) *
                   limits.vector_unit)
        .count("scalar registers", group.scalar_registers, 0)
        .count("local memory of a work-group", group.local_memory, 0)
        .failure();
}

} // namespace

Result<Limits> limits_of(Family family, std::int64_t wave_size, bool work_group_processor) {
    const auto* const row = std::ranges::find(table, family, &Row::family);
    const bool narrow = wave_size == 32;
    if (const auto wrong =
            InputCheck{"amd-occupancy"}
                .require(wave_size == 64 || (narrow && row->rdna),
                         fmt::format("{} lanes in a wave of {}", wave_size, row->name))
                .require(row->rdna || !work_group_processor,
                         fmt::format("{} has no work-group processors", row->name))
                .failure())
        return *wrong;
    const std::int64_t width = narrow ? 2 : 1;
    const std::int64_t units = work_group_processor ? 2 : 1;
    return Limits{.name = fmt::format("{}, wave{}", row->name, wave_size),
                  .wave_size = wave_size,
                  .simds = row->rdna ? 2 * units : 4,
                  .waves_per_simd = row->waves,
                  .vector_registers = width * row->registers,
                  .vector_unit = width * row->unit,
                  .scalar_rule = row->scalar_rule,
                  .local_memory = units * row->local_kib * kib,
                  .local_unit = row->local_unit,
                  .barriers = units * 16};
}

std::string_view to_string(Resource resource) {
    switch (resource) {
    case Resource::WaveSlots:
        return "wave slots";
    case Resource::VectorRegisters:
        return "vector registers";
    case Resource::ScalarRegisters:
        return "scalar registers";
    case Resource::LocalMemory:
        return "local memory";
    case Resource::Barriers:
        break;
    }
    return "barriers";
}

Result<Occupancy> resident(const WorkGroup& group, const Limits& limits) {
    if (const auto wrong = objection(group, limits)) return *wrong;
    const std::int64_t waves_of_group = divide_up(group.threads, limits.wave_size);
    struct Limit {
        Resource resource;
        std::int64_t work_groups;
    };
    std::vector<Limit> found;
    Occupancy result{.waves_per_simd = limits.waves_per_simd};
    const auto by_waves = [&](Resource resource, std::int64_t waves_per_simd) {
        found.push_back({resource, waves_per_simd * limits.simds / waves_of_group});
        result.waves_per_simd = std::min(result.waves_per_simd, waves_per_simd);
    };
    by_waves(Resource::WaveSlots, limits.waves_per_simd);
    if (group.vector_registers > 0)
        by_waves(
            Resource::VectorRegisters,
            std::max<std::int64_t>(1, limits.vector_registers /
                                          round_up_to(group.vector_registers, limits.vector_unit)));
    if (limits.scalar_rule != ScalarRule::None)
        by_waves(Resource::ScalarRegisters, waves_by_scalars(group.scalar_registers, limits));
    if (group.local_memory > 0)
        found.push_back({Resource::LocalMemory,
                         limits.local_memory / round_up_to(group.local_memory, limits.local_unit)});
    if (waves_of_group > 1) found.push_back({Resource::Barriers, limits.barriers});

    result.work_groups = std::ranges::min(found, {}, &Limit::work_groups).work_groups;
    result.waves = result.work_groups * waves_of_group;
    for (const auto& limit : found)
        if (limit.work_groups == result.work_groups) result.limiting.push_back(limit.resource);
    return result;
}

std::vector<ExplainedSymbol> explain(const WorkGroup& group, const Limits& limits,
                                     const Occupancy& result) {
    return {
        {"threads per work-group", real(group.threads), "threads", "kernel"},
        {"vector registers", real(group.vector_registers), "registers/lane", "kernel"},
        {"scalar registers", real(group.scalar_registers), "registers/wave", "kernel"},
        {"local memory of a work-group", real(group.local_memory), "bytes", "kernel"},
        {"vector registers of a SIMD", real(limits.vector_registers), "registers/lane",
         limits.name},
        {"waves per SIMD", real(result.waves_per_simd), "waves", "LLVM"},
        {"resident work-groups", real(result.work_groups), "work-groups", "LLVM, inferred"},
        {"resident waves", real(result.waves), "waves", "LLVM, inferred"},
    };
}

} // namespace warpbound::models::amd_occupancy
