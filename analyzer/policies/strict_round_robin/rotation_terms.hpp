#pragma once
/// \file
/// What a chain of turns takes at most under `srr`, as terms of an upper bound
/// (docs/soundness.md, S25 and S25a).

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// What a chain of turns passes. A *round* leads from a turn of the chain's warp to its next one; a
/// warp *comes back* when its barrier opens or its block is handed out.
struct RotationPath {
    std::int64_t places = 1;         ///< Of its scheduler, at most.
    std::int64_t rounds = 0;         ///< In which its warp stays in turn.
    std::int64_t returns = 0;        ///< Of its own warps.
    std::int64_t openings = 0;       ///< Of barriers of other blocks.
    std::int64_t starts = 0;         ///< Of other blocks, with several warps each.
    std::int64_t starts_in_turn = 0; ///< Of blocks with one warp, in places of its scheduler.
    std::int64_t blocks = 1;         ///< Of its own, one after another.
    std::int64_t holders = 0;        ///< Other warps that may hold the turn in its rounds.
    std::int64_t warps = 1;          ///< Whose turns are in its rounds, at most.
    std::int64_t further_warps = 0;  ///< Of its schedulers, too, of which only ports count.
    std::int64_t warps_beside = 0;   ///< Of other schedulers.
    /// It goes over to another scheduler: which warps share ports with it is then not fixed.
    bool moves = false;
    /// It goes over to a block while ports are still held by blocks that count no more.
    bool jumps = false;
};

/// The lemma on the time of one warp in turns that nobody else takes.
inline constexpr const char* in_isolation = "-in-isolation";

/// What turns of this problem take. Where the request asks for proofs, terms are numbers of the
/// launch or rest on lemmas, which are kept (docs/soundness.md, S28).
class RoundRobinDelay {
public:
    /// `rules`: with a write buffer that never delays. `alone`: the longest time of a warp that
    /// runs alone under them, over all paths that loop bounds allow.
    RoundRobinDelay(const AnalysisContext& context, const PipelinePair& rules,
                    models::Cycles alone);

    /// Instructions of a warp, at most.
    [[nodiscard]] std::int64_t turns() const { return turns_; }

    /// Side: upper. All but drains, of whichever of these chains takes longest; terms of nothing
    /// included.
    [[nodiscard]] std::vector<BoundTerm> terms(const std::vector<RotationPath>& chains) const;

    /// Side: upper. What warps of other schedulers take.
    [[nodiscard]] BoundTerm beside(const RotationPath& chain) const;

private:
    /// By waits of rounds that take `round` cycles each, or by what a warp alone waits for.
    [[nodiscard]] std::vector<BoundTerm> by_rounds(const RotationPath& chain,
                                                   std::int64_t round) const;
    [[nodiscard]] std::vector<BoundTerm> by_warps(const RotationPath& chain) const;
    /// The least of these sums.
    [[nodiscard]] std::vector<BoundTerm> by_rounds(const std::vector<RotationPath>& chains) const;
    /// The rounds themselves.
    [[nodiscard]] std::vector<BoundTerm> rounds(const RotationPath& chain,
                                                std::int64_t round) const;
    /// Of ports, beyond slots.
    [[nodiscard]] InstructionCosts held(const RotationPath& chain) const;
    [[nodiscard]] BoundTerm held_by(const RotationPath& chain, std::int64_t warps) const;
    /// Of warps beside, and of a block that the chain left.
    void add_other_ports(const RotationPath& chain, std::vector<BoundTerm>& terms) const;
    /// Of a round in which nobody is waited for.
    [[nodiscard]] models::Cycles turns_of(const RotationPath& chain) const;
    [[nodiscard]] BoundTerm term(std::string text, std::int64_t count,
                                 const CertificateName& certificate,
                                 const InstructionCosts& costs) const;

    const AnalysisContext& context_;
    InstructionCosts waits_; ///< From the issue before on.
    InstructionCosts ports_;
    std::int64_t turns_ = 0;
    std::int64_t longest_wait_ = 0;
    std::int64_t longest_behind_barriers_ = 0;
    std::int64_t completion_ = 0;
    std::int64_t alone_ = 0;
};

} // namespace warpbound::analyzer
