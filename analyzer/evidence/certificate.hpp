#pragma once
/// \file
/// Certificates of a bound: its path problems, each with its bound and a worst-case (lower side:
/// best-case) path, so that a verifier can check the bound.

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/path/infeasible_pairs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// How a certificate shows which paths infeasible pairs exclude: its path graph is the product of
/// `table` with `states` (docs/theory, S87).
struct ExcludedPairs {
    PathGraph table;
    PairStates states;
    /// Indices of the exclusive and linear facts that the script states: those that the product
    /// does not encode.
    std::vector<std::size_t> exclusives;
    std::vector<std::size_t> constraints;
};

/// Claim: no path of `paths` that the flow facts allow costs more (lower side: less) than `bound`.
/// `Unit:` core cycles.
struct PathCertificate {
    std::string id;   ///< "execution-time-upper-stall": unique in an analysis.
    std::string text; ///< Meaning of the costs.
    Side side = Side::Upper;
    Facts facts = Facts::All;
    /// Blocks of the two clock reads that delimit the paths; none: from the entry to an exit.
    std::optional<std::pair<BlockIndex, BlockIndex>> between;
    std::int64_t bound = 0;
    PathGraph paths; ///< The smallest path problem found that gives the bound.
    /// None: `paths` is a table itself, and the script states all facts that are used.
    std::optional<ExcludedPairs> pairs{};
    /// Sets of nodes for subtour elimination: flow inside such a set requires flow into it. Only
    /// those without which the script does not prove the bound. `Shape:` increasing, without the
    /// start.
    std::vector<std::vector<NodeIndex>> regions{};
    /// A path of the control-flow graph that attains the bound, if one was found; its cost is the
    /// best of the corresponding paths through `paths`.
    std::optional<BlockPath> witness;
    PathEnds ends = PathEnds::Completion;
};

/// The serialized control-flow graph and its loops, which certificates of the upper side are about
/// when branches may diverge.
struct SerializedPaths {
    SerializedCfg cfg;
    std::vector<BackEdgeBounds> loops; ///< Of `cfg.graph`.
};

/// Filled by `analyze` when the request asks for it.
struct CertificateStore {
    std::vector<PathCertificate> certificates;
    /// None: all certificates use the blocks of the kernel.
    std::optional<SerializedPaths> serialized{};
};

} // namespace warpbound::analyzer
