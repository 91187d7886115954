#pragma once
/// \file
/// The values that the warps of a simulated run compute when registers change only as results
/// become ready: an instruction that issues before a result it reads is ready reads what the
/// register held before (C97).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "harness/execution/operation.hpp"
#include "harness/simulator/clock/event.hpp"
#include "models/launch/launch.hpp"
#include "models/observation.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::harness::execution {

/// A kernel whose warps compute with registers and predicates and store words. Immutable.
class TimedCode {
public:
    /// Refuses instructions without semantics, and those whose value is that of memory.
    static Result<TimedCode> of(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const models::Launch& launch);

    [[nodiscard]] const assembly::Function& function() const { return *function_; }
    [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
    [[nodiscard]] const models::Launch& launch() const { return launch_; }

private:
    const assembly::Function* function_ = nullptr;
    std::vector<Operation> operations_; ///< By instruction.
    models::Launch launch_;
};

/// Listens to one run.
class TimedValues {
public:
    explicit TimedValues(const TimedCode& code) : code_{&code} {}

    void receive(const simulator::Event& event);
    /// After the run: whether the word that lane 0 of each warp stored last is the one that it
    /// stores when every result is ready at once. Refuses what an instruction cannot compute,
    /// naming it.
    Result<void> put_stored(models::Observation& observation) const;

private:
    struct Issue {
        std::int64_t cycle = 0;
        std::size_t instruction = 0;
        bool executed = false;
        std::int64_t reads_at = 0;
        std::int64_t ready_at = 0; ///< When its result is.
    };
    using IssuesOfWarp = std::map<std::int64_t, Issue>; ///< By number among those of the warp.

    enum class Results { AtOnce, WhenReady };
    Result<std::optional<std::uint32_t>>
    stored_word(const IssuesOfWarp& issues, std::int64_t warp_in_block, Results results) const;

    const TimedCode* code_;
    std::map<int, IssuesOfWarp> warps_;
};

} // namespace warpbound::harness::execution
