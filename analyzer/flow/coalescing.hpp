#pragma once
/// \file
/// Passes of accesses that follow from the code: bank conflicts and coalescing by what the lanes'
/// addresses have to do with each other.

#include "analyzer/value/thread_domain.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// Of one access.
struct DerivedPasses {
    std::size_t instruction = 0;
    models::PassRange passes;
    /// E.g. "lanes lie 4 bytes apart; where the first one lies is not known".
    std::string reason;
    friend bool operator==(const DerivedPasses&, const DerivedPasses&) = default;
};

/// Whether lanes of a warp decide alike where a predicate decides: a branch, an EXIT, whether an
/// instruction executes.
enum class Choice {
    Alike,       ///< In every warp, whatever the inputs of the kernel.
    Differently, ///< In some warp, where all its lanes come there.
    Unknown
};

struct ThreadFacts {
    /// Of shared and global accesses, by instruction. Of those that are missing nothing follows.
    std::vector<DerivedPasses> passes;
    /// `Shape:` [instruction]; nothing where nothing decides.
    std::vector<std::optional<Choice>> choices;
    /// No branch parts the lanes of a warp: it follows from the code, not from a statement.
    bool always_uniform = false;
    /// What the description had to say for accesses that are left out: "memories/l1/line".
    std::set<std::string> missing;
};

/// What follows from the code for blocks of this shape. `lanes`: Together states that no branch
/// parts lanes, and that where a predicate decides they decide alike; where they may part only what
/// holds without that statement is derived. Where `always_uniform` follows, both say the same.
/// `words`: stated ones, on which all that is derived then rests.
/// Accesses that need sizes which the description lacks are left out.
/// Sound (docs/soundness.md, S32) where an access is aligned to the bytes of a lane, as the machine
/// requires, and, of global ones, where the lanes of an access lie less than 4 GiB apart.
ThreadFacts derive_thread_facts(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, const BlockShape& shape,
                                const models::Architecture& architecture, Lanes lanes,
                                const KernelParameters& words = {});

} // namespace warpbound::analyzer
