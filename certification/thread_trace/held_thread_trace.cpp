#include "certification/thread_trace/held_thread_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpbound::certification {

namespace {

using harness::trace::ThreadTrace;
using harness::trace::ThreadTraceStep;
using harness::trace::ThreadTraceWave;

std::string range_text(const analyzer::InstructionBound& bound) {
    if (!bound.upper) return fmt::format("at least {}", bound.lower);
    return fmt::format("{} to {}", bound.lower, *bound.upper);
}

/// Holds one wavefront after another.
class Holder {
public:
    Holder(const ThreadTrace& trace, std::size_t traced, const assembly::Function& function,
           analyzer::InstructionBounds& bounds, HeldThreadTrace& held)
        : trace_{&trace}, traced_{traced}, bounds_{&bounds}, held_{&held} {
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            by_address_.emplace(function.instructions[i].address, i);
    }

    void hold(const ThreadTraceWave& wave) {
        bounds_->start();
        std::int64_t before = 0;
        for (std::size_t place = 0; place < wave.steps.size(); ++place) {
            const ThreadTraceStep& step = wave.steps[place];
            const auto instruction = instruction_of(step);
            if (!instruction || (place == 0 && *instruction != 0)) bounds_->gap();
            if (!instruction) continue;
            const std::int64_t distance = step.issue() - std::exchange(before, step.issue());
            HeldInstruction& row = row_of(step);
            row.duration.add(step.duration);
            if (const auto bound = bounds_->issue(*instruction, distance))
                compare(row, distance, *bound, wave, place);
        }
    }

    void finish() {
        for (auto& [address, row] : rows_)
            held_->instructions.push_back(std::move(row));
    }

private:
    /// None: of another kernel, or not known.
    [[nodiscard]] std::optional<std::size_t> instruction_of(const ThreadTraceStep& step) const {
        if (!step.instruction) return std::nullopt;
        const auto& recorded = trace_->code.instructions[*step.instruction];
        if (recorded.kernel != traced_) return std::nullopt;
        return by_address_.at(recorded.offset);
    }

    HeldInstruction& row_of(const ThreadTraceStep& step) {
        const auto& recorded = trace_->code.instructions[*step.instruction];
        HeldInstruction& row = rows_[recorded.offset];
        if (row.duration.count > 0) return row;
        row.address = recorded.offset;
        row.text = recorded.text;
        row.source = recorded.source;
        return row;
    }

    void compare(HeldInstruction& row, std::int64_t distance,
                 const analyzer::InstructionBound& bound, const ThreadTraceWave& wave,
                 std::size_t place) {
        const bool is_first = row.distance.count == 0;
        row.distance.add(distance);
        row.lower = is_first ? bound.lower : std::min(row.lower, bound.lower);
        if (bound.absent) row.no_upper = text_of(*bound.absent);
        if (row.no_upper)
            row.upper.reset();
        else if (bound.upper)
            row.upper = std::max(row.upper.value_or(*bound.upper), *bound.upper);
        ++held_->held;
        if (distance >= bound.lower && (!bound.upper || distance <= *bound.upper)) return;
        ++row.outside;
        ++held_->outside;
        if (held_->first_outside.empty())
            held_->first_outside = fmt::format(
                "{}: /wave/instructions/{}: 0x{:04x} {} issues {} cycles after the one before; "
                "its bound is {}",
                wave.file, place, row.address, row.text, distance, range_text(bound));
    }

    const ThreadTrace* trace_;
    std::size_t traced_;
    analyzer::InstructionBounds* bounds_;
    HeldThreadTrace* held_;
    std::map<std::int64_t, std::size_t> by_address_;
    std::map<std::int64_t, HeldInstruction> rows_;
};

bool is_of_kernel(const ThreadTrace& trace, std::size_t traced, const ThreadTraceWave& wave) {
    return std::any_of(wave.steps.begin(), wave.steps.end(), [&](const ThreadTraceStep& step) {
        return step.instruction && trace.code.instructions[*step.instruction].kernel == traced;
    });
}

} // namespace

std::vector<std::string> reasons_of(const HeldThreadTrace& held) {
    std::vector<std::string> reasons;
    for (const HeldInstruction& one : held.instructions)
        if (one.no_upper &&
            std::find(reasons.begin(), reasons.end(), *one.no_upper) == reasons.end())
            reasons.push_back(*one.no_upper);
    return reasons;
}

std::string upper_text(const HeldInstruction& one, const std::vector<std::string>& reasons) {
    if (one.upper) return std::to_string(*one.upper);
    if (!one.no_upper) return {};
    const auto found = std::find(reasons.begin(), reasons.end(), *one.no_upper);
    return fmt::format("({})", found - reasons.begin() + 1);
}

HeldThreadTrace hold(const ThreadTrace& trace, std::size_t traced,
                     const assembly::Function& function, analyzer::InstructionBounds& bounds) {
    HeldThreadTrace held;
    held.folder = trace.folder;
    Holder holder{trace, traced, function, bounds, held};
    std::vector<const ThreadTraceWave*> waves;
    for (const ThreadTraceWave& wave : trace.waves) {
        if (!is_of_kernel(trace, traced, wave)) continue;
        held.begin = waves.empty() ? wave.begin : std::min(held.begin, wave.begin);
        held.end = waves.empty() ? wave.end : std::max(held.end, wave.end);
        waves.push_back(&wave);
        if (waves.size() == 1 || wave.end - wave.begin > held.longest) {
            held.longest = wave.end - wave.begin;
            held.longest_file = wave.file;
        }
        holder.hold(wave);
    }
    held.wavefronts = static_cast<std::int64_t>(waves.size());
    holder.finish();
    held.slots = drawn_slots(waves, held.begin, held.end);
    return held;
}

} // namespace warpbound::certification
