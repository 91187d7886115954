#pragma once
/// \file
/// Which memory operations of a wavefront have returned after a wait, in straight-line code.

#include "assembly/amd/wait_counts.hpp"
#include "assembly/isa/program.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::assembly::amd {

/// The counters that an S_WAITCNT or one of its relatives waits for; nothing for other
/// instructions. Requires: a processor that is read.
std::optional<WaitCounts> wait_of(const Instruction& instruction, Target target);

/// Whether a value returns to registers: loads, and atomics that give the former value. Requires:
/// an access to memory.
bool returns_data(const Instruction& instruction);

/// Follows the operations that the counters of `WaitCounts` count.
class Outstanding {
public:
    explicit Outstanding(Target target);

    /// An operation whose return is certain after a wait.
    struct Returned {
        std::size_t instruction = 0;
        int counter = 0; ///< 0 vmcnt, 1 lgkmcnt, 2 expcnt, 3 vscnt.
    };

    /// Takes the next instruction. Its result: the operations that are known to have returned once
    /// it has been passed, earliest first, each counter by itself (a FLAT access counts in two).
    /// Sound: an operation is named only where the counter's order of return leaves no other
    /// possibility; what was outstanding at the start is not named.
    std::vector<Returned> step(std::size_t index, const Instruction& instruction);

private:
    struct Operation {
        std::size_t instruction = 0;
        bool returns_in_order = true;
    };
    static constexpr std::size_t counters = 4;

    void wait(std::size_t counter, int most, std::vector<Returned>& returned);
    void issue(std::size_t index, const Instruction& instruction);

    const Processor* processor_;
    std::array<std::vector<Operation>, counters> operations_;
};

} // namespace warpbound::assembly::amd
