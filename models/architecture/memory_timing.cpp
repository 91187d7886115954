/// \file
/// Passes, latencies and queues of accesses to memory.

#include "models/architecture/pass_rule.hpp"
#include "models/architecture/schema.hpp"
#include "models/architecture/timing_look_up.hpp"
#include "models/units.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace warpbound::models {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

/// Whether a lane may touch two words or lines: it has two addresses, or one that need not be
/// aligned to its width, as of AMD's accesses.
bool may_take_two_passes(const Instruction& instruction) {
    constexpr int bytes_of_word = 4;
    const std::string_view name = instruction.mnemonic;
    if (name.starts_with("ds_read2") || name.starts_with("ds_write2")) return true;
    return (name.starts_with("global_") || name.starts_with("buffer_")) &&
           instruction.effects.memory && instruction.effects.memory->bytes_per_lane > bytes_of_word;
}

/// Passes of an access of which nothing is stated: up to one for each thread of a warp, or two.
Interval any_passes(const Instruction& instruction, std::int64_t lanes) {
    return {
        .lo = 1, .typical = std::nullopt, .hi = lanes * (may_take_two_passes(instruction) ? 2 : 1)};
}

bool is_loaded_from_level(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::LoadLocal;
}

bool counts_bank_conflicts(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadShared || opcode_class == OpcodeClass::StoreShared ||
           opcode_class == OpcodeClass::AtomicShared;
}

Interval hull(const Interval& a, const Interval& b) {
    return {.lo = std::min(a.lo, b.lo), .typical = std::nullopt, .hi = std::max(a.hi, b.hi)};
}

Interval to_interval(const CountRange& range) {
    Interval result{.lo = range.min, .typical = std::nullopt, .hi = range.max};
    if (range.min == range.max) result.typical = range.min;
    return result;
}

} // namespace

bool TimingLookUp::is_buffered_store() const {
    return instruction_.opcode_class == OpcodeClass::StoreGlobal ||
           instruction_.opcode_class == OpcodeClass::StoreLocal;
}

Interval TimingLookUp::level_latency(std::string_view level) {
    const ValueGroup* const memory = architecture_.memory(level);
    const ValueGroup none;
    const auto path = fmt::format("memories/{}", level);
    if (memory == nullptr || result_.through_caches)
        return value(memory == nullptr ? none : *memory, path, "latency");
    return form_value(*memory, path, "latency");
}

std::int64_t TimingLookUp::lanes_of_warp() const {
    constexpr std::int64_t fewest = 32;
    const SourcedValue* const size = architecture_.geometry.find("warp-size");
    return std::max(fewest, size != nullptr && size->interval ? size->interval->hi : 0);
}

void TimingLookUp::find_passes() {
    if (is_texture_) return find_texture_passes();
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    if (!counts_passes(instruction_)) return;
    if (fact != nullptr && fact->pattern) return find_pattern_passes(*fact->pattern);
    std::optional<CountRange> stated;
    if (fact != nullptr)
        stated = counts_bank_conflicts(instruction_.opcode_class) ? fact->conflict_degree
                                                                  : fact->transactions;
    result_.passes = stated ? to_interval(*stated) : any_passes(instruction_, lanes_of_warp());
    // Stated are the lines.
    if (const auto together = lines_per_pass_of(instruction_, architecture_); together > 1)
        result_.passes = to_interval(
            {.min = fewest_passes(result_.passes.lo, together), .max = result_.passes.hi});
}

std::uint64_t TimingLookUp::size(std::string_view memory, std::string_view name) {
    const ValueGroup* const group = architecture_.memory(memory);
    return static_cast<std::uint64_t>(
        value(group == nullptr ? ValueGroup{} : *group, fmt::format("memories/{}", memory), name)
            .hi);
}

void TimingLookUp::find_pattern_passes(const AddressPattern& pattern) {
    AccessRule& access = result_.access;
    access.rule = pass_rule(instruction_);
    result_.through_caches =
        facts_.memory_at(instruction_.address)->level == MemoryLevel::Any &&
        (is_loaded_from_level(instruction_.opcode_class) || is_buffered_store());
    if (result_.through_caches && is_loaded_from_level(instruction_.opcode_class) &&
        passes_the_l1(instruction_))
        return fail(
            "its address pattern leads through the caches, where a load that passes the L1 "
            "is not defined (C23); state the level in its <memory>: level=\"l2\" or \"dram\"");
    if (instruction_.effects.memory)
        access.bytes =
            static_cast<std::uint64_t>(std::max(1, instruction_.effects.memory->bytes_per_lane));
    std::uint64_t period = 1; // Distinct words are as many wherever they lie.
    if (uses_banks(access.rule)) {
        access.banks = size("shared", "banks");
        access.width = size("shared", "bank-width");
        period = access.banks * access.width;
    } else if (access.rule != PassRule::Words) {
        access.line = size("l1", "line");
        period = access.line;
        if (access.rule == PassRule::GlobalAtomic) access.sector = sector_of_atomics(architecture_);
        if (!result_.through_caches)
            access.lines_per_pass = lines_per_pass_of(instruction_, architecture_);
        if (access.lines_per_pass > 1) {
            access.banks = size("shared", "banks");
            access.width = size("shared", "bank-width");
            period = std::max(period, access.banks * access.width);
        }
    }
    const auto warp_size = value(architecture_.geometry, "geometry", "warp-size").hi;
    if (failure_) return;
    if (const auto why = objection_to(access, warp_size)) return fail(*why);
    std::vector<std::int64_t> lanes_of_warps; // Of the first warp and of the last one.
    for (const std::int64_t warp : {std::int64_t{0}, (threads_ - 1) / warp_size})
        lanes_of_warps.push_back(models::lanes_of_warp(threads_, warp_size, warp));
    const auto range_of = [&](std::int64_t PassRange::*side) {
        return pass_range(
            pattern, lanes_of_warps, access.bytes, period,
            [&](const LaneAddresses& lanes) { return possible_passes(access, lanes).*side; });
    };
    const PassRange range{.lo = range_of(&PassRange::lo).lo, .hi = range_of(&PassRange::hi).hi};
    // Of a divergent warp at least one lane is active: by every rule fewer lanes need no more
    // passes.
    const std::int64_t fewest = facts_.divergents.empty() ? range.lo : 1;
    result_.passes = to_interval({.min = fewest, .max = range.hi});
}

void TimingLookUp::find_latency() {
    if (is_texture_) return find_texture_latency();
    if (is_loaded_from_level(instruction_.opcode_class)) {
        const MemoryFact* const fact = facts_.memory_at(instruction_.address);
        const MemoryLevel level = fact == nullptr ? MemoryLevel::Any : fact->level;
        if (level != MemoryLevel::Any) {
            result_.latency = level_latency(to_string(level));
            return;
        }
        const Interval l1 = level_latency("l1");
        const Interval l2 = level_latency("l2");
        result_.latency = hull(hull(l1, l2), level_latency("dram"));
        return;
    }
    if (timing_->values.find("latency") != nullptr ||
        instruction_.opcode_class == OpcodeClass::Barrier) {
        result_.latency = form_value("latency");
        return;
    }
    // Nothing waits for an instruction without a result, so a description may leave its latency
    // out.
    const bool names_result =
        instruction_.control && instruction_.control->write_barrier.has_value();
    if (names_result || !instruction_.effects.writes.empty())
        result_.latency = form_value("latency");
    else
        result_.latency = {.lo = 0, .typical = 0, .hi = 0};
}

/// C57: without a value of their own, those without a result take as long as the others.
void TimingLookUp::find_slice_time() {
    if (instruction_.opcode_class != OpcodeClass::AtomicGlobal) return;
    const ValueGroup* const l2 = architecture_.memory("l2");
    const bool has_result = !instruction_.effects.memory || instruction_.effects.memory->load;
    const bool reduces = !has_result && l2 != nullptr && l2->find("reduction") != nullptr;
    result_.slice_time =
        value(l2 == nullptr ? ValueGroup{} : *l2, "memories/l2", reduces ? "reduction" : "atomic");
}

/// C71: memory instructions are those of the unit of global loads.
void TimingLookUp::find_queue() {
    if (!architecture_.has_memory_queue()) return;
    const auto load = architecture_.classes.find(OpcodeClass::LoadGlobal);
    if (load == architecture_.classes.end() || load->second.unit != timing_->unit) return;
    if (architecture_.units[result_.unit].scope != UnitScope::Core)
        return fail(fmt::format("memory-queue needs a unit of scope core; {} of architecture {} is "
                                "of scope {}",
                                timing_->unit, architecture_.name,
                                to_string(architecture_.units[result_.unit].scope)));
    const auto of_queue = [&](std::string_view name) {
        return value(architecture_.memory_queue, "memory-queue", name);
    };
    result_.least_occupancy = of_queue("path-interval");
    result_.queue = QueueTiming{.places = of_queue("places").lo,
                                .entry = class_value("entry"),
                                .interval = of_queue("interval"),
                                .sources_before = 0};
    if (failure_) return;
    result_.queue->sources_before = *architecture_.least_queue_entry() - 2;
    find_return();
}

/// C92: the registers of a load return one after the other, which may hold the next hand-over.
void TimingLookUp::find_return() {
    if (architecture_.memory_queue.find("load-return") == nullptr) return;
    const Interval each = value(architecture_.memory_queue, "memory-queue", "load-return");
    const auto registers = std::ranges::count(
        instruction_.effects.writes, assembly::RegisterFile::General, &assembly::Register::file);
    Interval& interval = result_.queue->interval;
    interval.hi = std::max(interval.hi, registers * each.hi);
    if (interval.typical)
        interval.typical = std::max(*interval.typical, registers * each.typical.value_or(each.lo));
}

std::int64_t TimingLookUp::sectors_of_line() {
    const ValueGroup* const found = architecture_.memory("l1");
    const ValueGroup l1 = found == nullptr ? ValueGroup{} : *found;
    const Interval line = value(l1, "memories/l1", "line");
    const Interval sector = value(l1, "memories/l1", "sector");
    return std::max<std::int64_t>(1, line.hi / std::max<std::int64_t>(1, sector.hi));
}

/// C95, C112: a line of which the L2 is asked for few sectors takes no longer than these.
void TimingLookUp::find_line_interval() {
    if (timing_->values.find("line-interval") == nullptr) return;
    Interval line = class_value("line-interval");
    // A miss of the L1 may fetch whole lines; where a pass looks up several, passes are fewer.
    const bool counts_sectors = is_loaded_from_level(instruction_.opcode_class) &&
                                passes_the_l1(instruction_) &&
                                lines_per_pass_of(instruction_, architecture_) <= 1 &&
                                timing_->values.find("sector-interval") != nullptr;
    if (counts_sectors) {
        const Interval sector = class_value("sector-interval");
        if (sector.hi < line.lo)
            fail(fmt::format("{}/sector-interval of architecture {} is up to {}; expected at least "
                             "{}, the least of a line",
                             path_, architecture_.name, sector.hi, line.lo));
        const std::int64_t fewest = std::max<std::int64_t>(1, result_.passes.lo);
        const std::int64_t all = times(sector.hi, most_sectors());
        line.hi = std::max(line.lo, std::min(line.hi, (all + fewest - 1) / fewest));
        if (line.typical) line.typical = std::min(*line.typical, line.hi);
    }
    result_.line_interval = line;
}

/// Of an access whose passes are lines: each lane touches those of its bytes, or one more where its
/// address need not be aligned.
std::int64_t TimingLookUp::most_sectors() {
    const ValueGroup* const l1 = architecture_.memory("l1");
    const std::int64_t size = std::max<std::int64_t>(
        1, value(l1 == nullptr ? ValueGroup{} : *l1, "memories/l1", "sector").hi);
    const std::int64_t bytes =
        instruction_.effects.memory ? instruction_.effects.memory->bytes_per_lane : 1;
    const std::int64_t of_lane = std::max<std::int64_t>(1, (bytes + size - 1) / size) +
                                 (may_take_two_passes(instruction_) ? 1 : 0);
    const std::int64_t most =
        std::min(times(of_lane, lanes_of_warp()), times(sectors_of_line(), result_.passes.hi));
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    return fact != nullptr && fact->sectors ? std::min(most, fact->sectors->max) : most;
}

/// C94: a lane touches one sector.
void TimingLookUp::find_sector_drain() {
    if (architecture_.write_buffer.find("sector-drain") == nullptr) return;
    const std::int64_t of_line = sectors_of_line();
    const Interval lanes = value(architecture_.geometry, "geometry", "warp-size");
    result_.sector_drain =
        SectorDrain{.time = value(architecture_.write_buffer, "write-buffer", "sector-drain"),
                    .of_line = of_line,
                    .of_access = lanes.hi};
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    if (fact != nullptr && fact->sectors)
        result_.sector_drain->of_access = std::min(lanes.hi, fact->sectors->max);
}

} // namespace warpbound::models
