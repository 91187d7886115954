#pragma once
/// \file
/// Looks up the values of a description that time one instruction. The functions of
/// instruction_timing.hpp are defined with it.

#include "assembly/isa/program.hpp"
#include "assembly/isa/texture_registers.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_form.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// Looks up the values of one instruction. The first value that is missing is kept; the rest is
/// then of no use.
class TimingLookUp {
public:
    TimingLookUp(const assembly::Instruction& instruction, const assembly::Function& function,
                 const Architecture& architecture, const FlowFacts& facts, std::int64_t threads)
        : instruction_{instruction}, function_{function}, architecture_{architecture},
          facts_{facts}, threads_{threads}, form_{instruction_form(instruction)},
          is_texture_{assembly::accesses_texture(instruction)} {}

    Result<InstructionTiming> timing();
    /// Paths of the values that `timing` did not find.
    [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

private:
    /// The value, or a stand-in after noting the failure.
    Interval value(const ValueGroup& group, const std::string& path, std::string_view name);
    Interval class_value(std::string_view name) { return value(timing_->values, path_, name); }
    /// The value of the instruction's form where the group has it (C89), else that of all forms.
    Interval form_value(const ValueGroup& group, const std::string& path, std::string_view name);
    Interval form_value(std::string_view name) { return form_value(timing_->values, path_, name); }
    Interval level_latency(std::string_view level);
    /// A value of the form with the passes that its width needs: they may be within it, or all but
    /// the first one are not (C89).
    [[nodiscard]] Interval with_passes_of_form(Interval value);
    void fail(std::string what);

    void find_class();
    void find_gaps();
    void apply_counters();
    void apply_sleep();
    void check_order();
    void apply_fence();
    void check_counters();
    void apply_yield();
    [[nodiscard]] bool is_buffered_store() const;
    void find_passes();
    void find_pattern_passes(const AddressPattern& pattern);
    std::uint64_t size(std::string_view memory, std::string_view name);
    void find_latency();
    void find_source_read();
    [[nodiscard]] bool waits_for_read_ports() const;
    void find_initiation();
    void find_line_interval();
    void find_slice_time();
    void find_sector_drain();
    void find_queue();
    void find_return();
    [[nodiscard]] std::int64_t lanes_of_warp() const;
    [[nodiscard]] std::int64_t sectors_of_line();
    [[nodiscard]] std::int64_t most_sectors();
    [[nodiscard]] std::int64_t most_handles() const;
    void find_texture_passes();
    void find_texture_latency();
    void find_texture_initiation();
    Interval atomic_latency();

    const assembly::Instruction& instruction_;
    const assembly::Function& function_;
    const Architecture& architecture_;
    const FlowFacts& facts_;
    std::int64_t threads_; ///< Of a block.
    std::optional<InstructionForm> form_;
    bool is_texture_;         ///< Its times are those of C101.
    bool is_of_form_ = false; ///< Whether a value that was looked up is that of the form.
    const ClassTiming* timing_ = nullptr;
    std::string path_; ///< "classes/move"
    InstructionTiming result_;
    std::optional<Failure> failure_;
    std::vector<std::string> missing_;
};

} // namespace warpbound::models
