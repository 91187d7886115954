#pragma once
/// \file
/// Bounds on the times of single instructions, along an execution whose issues were recorded.

#include "analyzer/launch/context.hpp"
#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace warpbound::analyzer {

/// Why nothing bounds an instruction from above.
enum class NoUpperBound {
    SharedScheduler, ///< Other warps issue on its scheduler, and the policy may prefer them.
    Policy,          ///< It leaves the scheduler idle although a warp may issue.
    SharedPort,      ///< Warps of other schedulers use the port of its unit.
    SharedBuffer,    ///< Warps of other schedulers use the write buffer.
    Barrier,         ///< It waits for the other warps of its block.
    Queueing,        ///< Accesses wait for others in the memory system.
    Stages,          ///< Instruction caches or stages in front of the units delay it.
};
/// "other wavefronts issue on its SIMD".
std::string text_of(NoUpperBound reason);

/// A bound on the distance between two consecutive issues of a warp. `Unit:` core cycles.
struct InstructionBound {
    std::int64_t lower = 0;
    std::optional<std::int64_t> upper;  ///< None: `absent` says why.
    std::optional<NoUpperBound> absent; ///< Present without an upper bound.
};

/// Bounds the issues of one warp after another, in their order (docs/theory, S68).
/// `Sound when:` the assumptions of a bound on the launch hold.
class InstructionBounds {
public:
    /// Of a launch that was prepared (analyzer/preparation.hpp). Refuses one whose warps may
    /// diverge. The request must live as long.
    static Result<InstructionBounds> of(AnalysisContext context);
    InstructionBounds(InstructionBounds&&) noexcept;
    InstructionBounds& operator=(InstructionBounds&&) noexcept;
    ~InstructionBounds();

    /// A warp begins with its first instruction.
    void start();
    /// Instructions of the warp are missing.
    void gap();
    /// The warp's next issue, so many cycles after the one before. None where nothing is bounded:
    /// the first one behind `start` or `gap`, one that does not follow in the code, and one that
    /// the flow facts exclude.
    std::optional<InstructionBound> issue(std::size_t instruction, std::int64_t elapsed);

private:
    struct Parts;
    explicit InstructionBounds(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

} // namespace warpbound::analyzer
