#pragma once
/// \file
/// Kernel profile: the instructions that one warp executes, as counts or one by one, as the
/// published formulas use them. A profile is independent of the machine.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/source_text.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/kernel/profile_steps.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::models {

/// Warp instructions of one warp. `Unit:` instructions.
struct KernelProfile {
    std::int64_t arithmetic_independent =
        0; ///< Arithmetic that does not wait for its predecessor's result.
    std::int64_t arithmetic_dependent = 0; ///< Arithmetic that does (read after write).
    std::int64_t shared_loads = 0;
    std::int64_t shared_stores = 0;
    std::int64_t global_loads = 0;
    std::int64_t global_stores = 0;

    friend bool operator==(const KernelProfile&, const KernelProfile&) = default;
};

/// Most steps of one profile: more is refused.
inline constexpr std::size_t profile_step_limit = 1'000'000;

/// A profile as written in a file: counts, or steps.
struct NamedProfile {
    std::string name;
    KernelProfile counts; ///< Those of the steps when there are steps.
    /// Latency hidden between all loads and the uses of their data (V14 eq. 8); none: not stated.
    /// `Unit:` core cycles.
    std::optional<std::int64_t> hidden_latency;
    Steps steps{};                               ///< Empty when only counts are known.
    std::optional<std::int64_t> registers{};     ///< Of a thread.
    std::optional<std::int64_t> shared_memory{}; ///< Of a block. `Unit:` bytes.
    std::string digest;                          ///< Of the file; empty when not read from one.
};

/// Counts of executed instructions. Arithmetic is dependent when its predecessor produces what it
/// reads; everything but loads and stores of global, local and shared memory counts as arithmetic,
/// and an atomic counts as one load of its memory.
KernelProfile counts_of(const Steps& steps);

/// The steps of a warp that visits the blocks of a graph in this order, from the entry. A guarded
/// instruction counts as executed. Waits for read barriers and by DEPBAR are left out. Of AMD's
/// code S_WAITCNT waits for the operations of its counters, taken to return in the order of their
/// issue, also where scalar loads among them need not. Passes and
/// levels are those of the memory facts; shared accesses
/// without a fact have no stated passes, and neither have global ones.
/// Iterations of a loop that must repeat the previous one are not followed again, so that long
/// loops cost little more than short ones. Refuses a path that does not follow the graph, and one
/// of more than `profile_step_limit` steps.
Result<Steps> steps_along(const assembly::Function& function,
                          const assembly::ControlFlowGraph& graph,
                          std::span<const std::size_t> path, const FlowFacts& facts);

/// Reads `<kernel-profile name="rows" arithmetic-independent="78" arithmetic-dependent="1"
/// shared-loads="41" shared-stores="9" global-loads="8" global-stores="9" hidden-latency="2034"
/// registers="16" shared-memory="1024"/>`; a count that is left out is 0. Or, without the counts,
/// `<step class="float-add" reads="1 4" passes="1..2" level="l2" bytes="4" stall="2"
/// sleep="1" dual-issue="yes" taken="yes"/>` for each executed instruction, in order; passes of a
/// memory access that are left out or "any" are not stated; `at="0x10"` and a `<pattern/>` as in
/// flow facts inside the step replace them. `<repeat times="100">` executes the steps in it 100
/// times; it is not nested, and distances count executed steps. Refuses unknown attributes and
/// elements, counts combined with steps, distances that reach before the first step, bad and
/// negative numbers, and what `read_xml` refuses.
Result<NamedProfile> read_profile(const assembly::SourceText& source);
/// Text that reads back to the same profile, without addresses. Refuses steps that do not fit an
/// XML document of `xml_element_limit` elements even with repetitions folded.
Result<std::string> write_profile(const NamedProfile& profile);

} // namespace warpbound::models
