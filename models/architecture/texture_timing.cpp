/// \file
/// Times of texture and surface accesses (C101).

#include "assembly/isa/texture_registers.hpp"
#include "models/architecture/pass_rule.hpp"
#include "models/architecture/texture_work.hpp"
#include "models/architecture/timing_look_up.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <cstdint>

namespace warpbound::models {
namespace {

using assembly::OpcodeClass;

/// Several times the same interval, one after the other, at most.
Interval up_to(const Interval& once, std::int64_t most) {
    return {.lo = once.lo, .typical = once.typical, .hi = times(once.hi, most)};
}

} // namespace

/// Handles that lanes may have of their own are served one after the other.
std::int64_t TimingLookUp::most_handles() const {
    return assembly::has_handle_of_lane(instruction_) ? lanes_of_warp() : 1;
}

/// Each texel of each lane may lie on a line of its own.
void TimingLookUp::find_texture_passes() {
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    if (fact != nullptr && fact->pattern)
        return fail("the layout of textures and surfaces is not known, so an address pattern says "
                    "nothing of their lines; state the lines: transactions=\"1..32\"");
    if (fact != nullptr && fact->transactions) {
        const CountRange lines = *fact->transactions;
        const auto together = lines_per_pass_of(instruction_, architecture_);
        result_.passes = {
            .lo = fewest_passes(lines.min, together), .typical = std::nullopt, .hi = lines.max};
        return;
    }
    result_.passes = {.lo = 1,
                      .typical = std::nullopt,
                      .hi = times(lanes_of_warp(), texture_work(instruction_).texels)};
}

/// Of the level that the fact names both the descriptor and the texels come, one after the other.
void TimingLookUp::find_texture_latency() {
    const bool is_atomic = instruction_.opcode_class == OpcodeClass::AtomicGlobal;
    const bool has_result = !instruction_.effects.writes.empty() ||
                            (instruction_.control && instruction_.control->write_barrier);
    if (!has_result) {
        result_.latency = {.lo = 0, .typical = 0, .hi = 0};
        return;
    }
    const std::int64_t samples = texture_work(instruction_).samples;
    const Interval hit = class_value("latency");
    const Interval initiation = class_value("initiation");
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    const MemoryLevel level = fact == nullptr ? MemoryLevel::Any : fact->level;
    std::int64_t farther = 0;
    if (is_atomic || level == MemoryLevel::Any || level == MemoryLevel::Dram)
        farther = level_latency("dram").hi;
    else if (level == MemoryLevel::L2)
        farther = level_latency("l2").hi;
    std::int64_t most = plus(hit.hi, times(initiation.hi, samples - 1));
    most = plus(most, times(2, farther));
    if (is_atomic) most = plus(most, atomic_latency().hi);
    result_.latency = up_to({.lo = hit.lo, .typical = hit.typical, .hi = most}, most_handles());
}

Interval TimingLookUp::atomic_latency() {
    const auto found = architecture_.classes.find(OpcodeClass::AtomicGlobal);
    return value(found == architecture_.classes.end() ? ValueGroup{} : found->second.values,
                 "classes/atomic-global", "latency");
}

/// The units work on each sample of each handle.
void TimingLookUp::find_texture_initiation() {
    const std::int64_t most = times(texture_work(instruction_).samples, most_handles());
    result_.initiation = up_to(class_value("initiation"), most);
    result_.line_interval = class_value("line-interval");
}

} // namespace warpbound::models
