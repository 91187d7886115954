#pragma once
/// \file
/// The executed instructions of a warp, one by one; equal instructions are stored once.

#include "assembly/isa/opcode.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpbound::models {

/// Passes of an access: two for each lane of a wavefront of AMD.
inline constexpr std::int64_t most_passes_of_step = 128;

/// One executed instruction of a warp.
struct ProfileStep {
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    /// Distances in steps to the producers that it waits for: producers of the registers,
    /// predicates and carry that it reads, and of the scoreboards that it waits for. Increasing,
    /// each at least 1. Along a path, a producer more than 64 steps back is left out if a step in
    /// between has already waited for it: it delays nothing.
    std::vector<std::int64_t> distances{};
    /// Transactions or conflict degree of a memory access, or of a constant load whose lanes may
    /// address different words, 1 to `most_passes_of_step`; none: not stated. 1 for others.
    std::optional<CountRange> passes = CountRange{};
    MemoryLevel level = MemoryLevel::Any; ///< Of a load of global or local memory.
    std::int64_t bytes_per_lane = 0;      ///< Of a memory access.
    /// Stall count of the encoding. `Unit:` cycles; of AMD's code issue intervals of a wavefront,
    /// as of S_NOP.
    std::optional<std::int64_t> stall{};
    std::optional<std::int64_t> sleep{}; ///< n of S_SLEEP n. `Unit:` 64 cycles.
    bool dual_issued = false;            ///< Dual-issued with the previous step.
    bool transfers = false;              ///< Transfers control: the next step is not the following
                                         ///< instruction.
    /// Of an access whose passes are not stated, for messages. Steps of one address are executions
    /// of one instruction, which a pattern counts.
    std::optional<std::int64_t> address{};
    /// Of a memory access; then `passes` is not stated.
    std::optional<AddressPattern> pattern{};

    friend bool operator==(const ProfileStep&, const ProfileStep&) = default;
};

/// Loads and stores of global and local memory.
bool is_global_load(assembly::OpcodeClass opcode_class);
bool is_global_store(assembly::OpcodeClass opcode_class);
bool is_shared_access(assembly::OpcodeClass opcode_class); ///< Atomics too.
/// All of those, and atomics of global memory.
bool is_memory_access(assembly::OpcodeClass opcode_class);

/// Steps in order. Equal steps have one step kind: times on a machine are computed once per step
/// kind, so that a loop costs as much as its body.
class Steps {
public:
    using Kind = std::uint32_t; ///< Step kind: index into `kinds`.

    Steps() = default;
    Steps(std::initializer_list<ProfileStep> steps);

    /// The step kind of this step; adds one if there is none yet.
    Kind kind_of(const ProfileStep& step);
    void push_back(Kind kind) {
        order_.push_back(kind);
        ++executions_[kind];
    }
    void push_back(const ProfileStep& step) { push_back(kind_of(step)); }
    /// Appends the last `length` steps so many times more. Requires: that many steps.
    void repeat_last(std::size_t length, std::size_t times);

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] bool empty() const { return order_.empty(); }
    [[nodiscard]] const ProfileStep& operator[](std::size_t at) const { return kinds_[order_[at]]; }

    /// `Shape:` order[step], the kind of each.
    [[nodiscard]] std::span<const Kind> order() const { return order_; }
    /// `Shape:` kinds[kind], in the order of `kind_of`.
    [[nodiscard]] std::span<const ProfileStep> kinds() const { return kinds_; }
    /// `Shape:` executions[kind], how often each stands in `order`.
    [[nodiscard]] std::span<const std::int64_t> executions() const { return executions_; }

    /// The same steps in the same order, however their kinds are numbered.
    friend bool operator==(const Steps& a, const Steps& b);

private:
    Kind find_or_add(const ProfileStep& step);

    std::vector<ProfileStep> kinds_;
    std::vector<std::int64_t> executions_;
    std::vector<Kind> order_;
    std::vector<Kind> follower_; ///< By step kind: the step kind last requested after it.
    std::unordered_multimap<std::size_t, Kind> by_hash_;
};

} // namespace warpbound::models
