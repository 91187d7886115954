#pragma once
/// \file
/// The analysis context that both sides share: what is known of a launch before its time is
/// bounded.

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/instruction_lines.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/launch/operand_lines.hpp"
#include "analyzer/microarchitecture/register_reads.hpp"
#include "analyzer/microarchitecture/register_writes.hpp"
#include "analyzer/request.hpp"
#include "assembly/support/shared_vector.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// What the addresses of an access refine.
struct UnrefinedAccess {
    models::Interval passes;
    models::Interval latency;
};

struct AnalysisContext {
    const Request& request;
    ResolvedFacts facts;
    LaunchGeometry shape;
    assembly::SharedVector<Result<models::InstructionTiming>> timings;
    std::vector<bool> used; ///< Per instruction: on a path that the facts allow.
    models::Interval buffer_entries{0, 0, 0};
    models::Interval buffer_drain{0, 0, 0};
    std::optional<MemoryParameters> caches;      ///< Present where an access goes through them.
    std::optional<Footprint> footprint;          ///< Of these accesses, where it can be listed.
    std::optional<RegisterReads> register_reads; ///< Present where the machine has read ports.
    Deadline deadline;         ///< Of the scope in which the analysis began; for the solver.
    bool atomics_wait = false; ///< A global atomic may wait for others at the L2 (C57).
    /// None where instruction fetch costs nothing (C17).
    std::optional<InstructionLines> instruction_lines{};
    /// Per instruction: scoreboards for whose latest operation it may not wait (C85).
    std::vector<unsigned> unseen_counters{};
    /// None where constant operands cost nothing (C17).
    std::optional<OperandLines> operand_lines{};
    /// Receives the path certificates; none: they are not kept.
    CertificateStore* certificates = nullptr;
    /// Per instruction, present with `footprint`: what `timings` contained before.
    std::vector<std::optional<UnrefinedAccess>> unrefined{};
    /// Present where the machine has write ports, and with it `register_reads`.
    std::optional<RegisterWrites> register_writes{};

    /// Whether results may come later than the latencies in `timings`, because accesses wait for
    /// others in the memory system.
    [[nodiscard]] bool has_queueing() const { return caches || atomics_wait; }
};

/// The context as it is known from the number of transactions alone, which is what evidence shows
/// of accesses (docs/theory, S26).
AnalysisContext without_addresses(const AnalysisContext& context);
/// The same launch under another request, which the result refers to: for a graph of other paths.
AnalysisContext under_request(const AnalysisContext& context, const Request& request);
/// The context in which no certificate is kept.
AnalysisContext without_certificates(const AnalysisContext& context);

/// By instruction: it can be reached without entering a block that is never executed.
/// `never`: by block.
std::vector<bool> used_instructions(const Request& request, const std::vector<bool>& never);

/// A failure that names the address of the instruction.
Failure refuse_at(const AnalysisContext& context, std::size_t instruction, const std::string& what);

/// Whether no scheduler ever has several warps of the launch: each warp has its own.
bool has_scheduler_to_itself(const LaunchGeometry& shape);

/// Whether every scheduler is work-conserving: it chooses a warp whenever one of its warps may
/// issue, by its policy or because it has so few warps.
bool conserves_work(const Request& request, const LaunchGeometry& shape);

} // namespace warpbound::analyzer
