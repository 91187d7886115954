#pragma once
/// \file
/// What registers may hold at program points, and how often loops iterate: the verifier's own value
/// analysis for the bounds of counted loops (S76 of docs/theory). Shares no code with the analysis.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/number_set.hpp"
#include "certification/verify/flow/reaching_values.hpp"
#include "certification/verify/flow/value_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// The number of a source plus a constant, modulo 2^32.
struct SourceSum {
    std::optional<ValueSource> source; ///< None: the constant alone.
    std::uint32_t constant = 0;
};

/// A side of a comparison.
struct ComparedNumber {
    std::optional<SourceSum> term; ///< None: not a register plus a constant.
    const assembly::Operand* operand = nullptr;
    ProgramPoint point; ///< Of the comparison.
};

/// A comparison that was decided before a program point.
struct DecidedComparison {
    ComparedNumber left;
    ComparedNumber right;
    Order order = Order::Equal;
    bool is_signed = false;
};

/// Executions of a loop's header per entry, by execution on sets of numbers.
struct IteratedLoop {
    std::optional<std::int64_t> max; ///< None: not found within the limit.
    std::int64_t min = 1;
    std::map<assembly::Register, NumberSet> values; ///< At the header, over all iterations.
};

class RegisterValues final : public ValueReader {
public:
    /// `lanes_diverge`: so uniform registers hold what other lanes wrote. `iterations`: per loop of
    /// the graph, beyond which no bound is looked for. All must outlive this object.
    RegisterValues(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                   const LaunchValues& launch, bool lanes_diverge,
                   const std::vector<std::int64_t>& iterations);

    /// Side: upper. A predicate holds 1 or 0.
    NumberSet value(assembly::Register reg, ProgramPoint point) override;
    /// Whether some thread may take the edge.
    bool may_take(std::size_t edge);
    /// Whether some thread may end at the guarded EXIT of a block.
    bool may_exit(std::size_t block);
    /// Blocks that threads may reach from the entry. `Shape:` reached[block].
    std::vector<bool> reached_blocks();

    const IteratedLoop& iterate(std::size_t loop);
    /// Beyond a limit of work everything counts as possible.
    [[nodiscard]] bool is_exhausted() const { return work_ + reaching_.work() >= work_limit; }
    [[nodiscard]] const LaunchValues& launch() const override { return launch_; }

    static constexpr std::int64_t work_limit = 20'000'000;
    static constexpr std::int64_t evaluation_work = 16;

private:
    using RegisterPoint = std::pair<assembly::Register, ProgramPoint>;
    using SourcePoint = std::pair<ValueSource, ProgramPoint>;

    /// A loop that is executed iteration by iteration.
    struct Execution {
        std::optional<std::size_t> loop; ///< None: nothing of iterations may be used.
        std::int64_t iteration = 1;
        std::map<assembly::Register, NumberSet> values; ///< At the header.
        std::set<assembly::Register> missing; ///< Asked for later than in the first iteration.
        std::map<RegisterPoint, NumberSet> at_points;
        std::map<ValueSource, NumberSet> of_sources;
        std::map<SourcePoint, NumberSet> narrowed;
        std::map<std::size_t, std::vector<DecidedComparison>> of_edges;
        std::map<std::size_t, bool> taken;
    };

    [[nodiscard]] bool is_shared(assembly::Register reg) const;
    SourceSum sum_at(assembly::Register reg, ProgramPoint point);
    std::optional<SourceSum> sum_at(const assembly::Operand& operand, ProgramPoint point);
    std::optional<SourceSum> sum_of(const assembly::Instruction& instruction,
                                    assembly::Register reg, ProgramPoint point);
    NumberSet value_of(const ComparedNumber& number, ProgramPoint point);
    NumberSet value_of(const SourceSum& term, ProgramPoint point,
                       std::optional<std::size_t> edge = std::nullopt);
    /// Of a source alone, as comparisons leave it that were decided up to the point.
    NumberSet narrowed_source(const ValueSource& source, ProgramPoint point,
                              std::optional<std::size_t> edge);
    NumberSet number_read(const ValueSource& source);
    NumberSet defined_value(const ValueSource& source);
    NumberSet joined_value(const ValueSource& source);
    NumberSet header_value(std::size_t loop, const ValueSource& source);
    NumberSet entry_value(std::size_t loop, assembly::Register reg);
    NumberSet value_on(std::size_t edge, assembly::Register reg);
    NumberSet shared_value(assembly::Register reg, ProgramPoint point);

    const std::vector<DecidedComparison>& decided_on(std::size_t edge);
    void decide(const assembly::RegisterOperand& predicate, bool truth, ProgramPoint point,
                std::vector<DecidedComparison>& decided, int depth = 0);
    void decide_compared(const assembly::Instruction& compare, bool truth, ProgramPoint point,
                         std::vector<DecidedComparison>& decided, int depth);
    void decide_combined(const assembly::Instruction& logic, bool truth, ProgramPoint point,
                         std::vector<DecidedComparison>& decided, int depth);

    bool may_be_decided(const DecidedComparison& decided, ProgramPoint point);

    IteratedLoop execute(std::size_t loop);
    /// One iteration; the values at the header after it, none where no back edge is taken.
    std::optional<std::map<assembly::Register, NumberSet>> step(IteratedLoop& result);
    [[nodiscard]] bool is_in(std::size_t block, std::size_t loop) const;

    /// Looks up or computes; what does not depend on an iteration is kept.
    template <class Key, class Value, class Compute>
    Value remembered(std::map<Key, Value>& lasting, std::map<Key, Value> Execution::*current,
                     const Key& key, const Compute& compute);

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const LaunchValues& launch_;
    bool lanes_diverge_;
    const std::vector<std::int64_t>& iterations_;
    ReachingValues reaching_;
    std::vector<std::optional<std::size_t>> loop_of_header_; ///< Per block.

    std::map<RegisterPoint, SourceSum> terms_;
    std::map<RegisterPoint, NumberSet> at_points_;
    std::map<ValueSource, NumberSet> of_sources_;
    std::map<SourcePoint, NumberSet> narrowed_;
    std::map<std::size_t, std::vector<DecidedComparison>> of_edges_;
    std::map<std::size_t, bool> taken_;
    std::map<std::size_t, IteratedLoop> iterated_;
    std::set<std::size_t> iterating_;
    std::set<assembly::Register> sharing_; ///< Shared registers under evaluation.
    std::vector<Execution> executions_;    ///< The last one is the current one.
    std::int64_t reads_of_iterations_ = 0;
    std::int64_t work_ = 0;
    int depth_ = 0;
};

template <class Key, class Value, class Compute>
Value RegisterValues::remembered(std::map<Key, Value>& lasting,
                                 std::map<Key, Value> Execution::*current, const Key& key,
                                 const Compute& compute) {
    if (const auto known = lasting.find(key); known != lasting.end()) return known->second;
    if (!executions_.empty()) {
        const auto& of_iteration = executions_.back().*current;
        if (const auto known = of_iteration.find(key); known != of_iteration.end()) {
            ++reads_of_iterations_;
            return known->second;
        }
    }
    work_ += evaluation_work;
    const std::int64_t before = reads_of_iterations_;
    ++depth_;
    Value value = compute();
    --depth_;
    if (reads_of_iterations_ == before)
        lasting.emplace(key, value);
    else if (!executions_.empty())
        (executions_.back().*current).emplace(key, value);
    return value;
}

} // namespace warpbound::certification::verify
