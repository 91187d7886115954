#pragma once
/// \file
/// Which registers hold masks of the lanes that execute a basic block together (S55).

#include "assembly/isa/program.hpp"

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>

#include <optional>

namespace warpbound::analyzer {

/// Registers with a mask of lanes, in a basic block in which no lanes of the warp have diverged.
class MatchedMasks {
public:
    /// It holds the mask of all lanes that execute the block.
    [[nodiscard]] bool is_active_mask(assembly::Register reg) const {
        return active_.count(reg) != 0;
    }
    /// Each lane has in it the mask of the lanes that have the lane's number in the returned
    /// register; nothing: it is not known to be such a mask.
    [[nodiscard]] std::optional<assembly::Register> matched(assembly::Register reg) const;

    /// Applies the instruction: VOTE.ANY of true, MATCH.ANY, and what overwrites such a register.
    void execute(const assembly::Instruction& instruction);
    /// At the end of a basic block.
    void clear();

private:
    boost::container::flat_set<assembly::Register> active_;
    /// By mask: the register of the numbers, which was not written since.
    boost::container::flat_map<assembly::Register, assembly::Register> matched_;
};

} // namespace warpbound::analyzer
