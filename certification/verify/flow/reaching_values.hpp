#pragma once
/// \file
/// Which instruction or join gave a register the number that it holds at a program point.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Before the instruction with an index of the function; after the last one of a block: at its end.
struct ProgramPoint {
    std::size_t block = 0;
    std::size_t instruction = 0;

    friend auto operator<=>(const ProgramPoint&, const ProgramPoint&) = default;
};

ProgramPoint begin_of(const assembly::ControlFlowGraph& graph, std::size_t block);
ProgramPoint end_of(const assembly::ControlFlowGraph& graph, std::size_t block);

/// What a register's number is from, as its most recent execution left it.
struct ValueSource {
    enum class Kind {
        Definition, ///< The instruction at the point writes the register, perhaps under a guard.
        Join,       ///< Paths with different writes meet at the begin of the block.
        Entry       ///< Nothing has written it since the kernel began.
    };
    Kind kind = Kind::Entry;
    ProgramPoint at;
    assembly::Register reg{};

    friend auto operator<=>(const ValueSource&, const ValueSource&) = default;
};

/// Whether the instruction writes the register, or may do so unknown to the decoder.
bool writes(const assembly::Instruction& instruction, assembly::Register reg);

/// Sources of registers, on the dominator tree: the block of a source dominates the point.
class ReachingValues {
public:
    /// Both must outlive this object.
    ReachingValues(const assembly::Function& function, const assembly::ControlFlowGraph& graph);

    ValueSource source_of(assembly::Register reg, ProgramPoint point);
    /// Whether a block of a loop writes the register.
    [[nodiscard]] bool is_written_in(const std::vector<std::size_t>& blocks,
                                     assembly::Register reg) const;
    /// Instructions and blocks that were looked at so far.
    [[nodiscard]] std::int64_t work() const { return work_; }

private:
    /// On paths from the immediate dominator to the begin of the block, without the dominator.
    const std::vector<std::size_t>& blocks_on_ways(std::size_t block);

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::vector<std::vector<assembly::Register>> written_; ///< Per block: sorted.
    std::vector<bool> writes_anything_;                    ///< Per block.
    std::map<std::size_t, std::vector<std::size_t>> between_;
    std::map<std::pair<std::size_t, assembly::Register>, ValueSource> at_begin_;
    std::int64_t work_ = 0;
};

} // namespace warpbound::certification::verify
