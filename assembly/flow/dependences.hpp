#pragma once
/// \file
/// Data dependences between the instructions of straight-line code.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <vector>

namespace warpbound::assembly {

enum class DependenceKind {
    ReadAfterWrite,
    WriteAfterWrite,
    WriteAfterRead,
    Scoreboard, ///< the wait mask or DEPBAR waits for a scoreboard that `producer` sets; on AMD,
                ///< S_WAITCNT for a counter that says that `producer` has returned
    Memory,     ///< same state space, at least one store, addresses not proved disjoint
};

struct Dependence {
    std::size_t producer = 0; ///< Index into `Function::instructions`.
    std::size_t consumer = 0;
    DependenceKind kind = DependenceKind::ReadAfterWrite;
    std::optional<Register> reg;   ///< For register, predicate and carry dependences.
    std::optional<int> scoreboard; ///< On AMD the counter: 0 vmcnt, 1 lgkmcnt, 2 expcnt, 3 vscnt.

    friend bool operator==(const Dependence&, const Dependence&) = default;
};

/// Dependences among instructions first..last (inclusive) executed in order, nearest producers
/// only. A guarded write does not hide the writes before it.
std::vector<Dependence> dependences_of(const Function& function, std::size_t first,
                                       std::size_t last);

} // namespace warpbound::assembly
