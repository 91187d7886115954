#pragma once
/// \file
/// Flow facts: statements about the paths and memory accesses of a kernel, bound to its listing by
/// digest.

#include "assembly/isa/program.hpp"
#include "assembly/support/source_text.hpp"
#include "models/facts/address_pattern.hpp"
#include "models/facts/fact_conditions.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::models {

/// `Statements`: it follows from the code and from stated `<uniform>` facts.
/// `BarrierRule`: the kernel is taken to keep CUDA's rule for barriers.
/// `NormalEnd`: no thread is taken to trap or to call code that the listing does not hold.
enum class FactOrigin { User, Static, Trace, Arguments, BarrierRule, Statements, NormalEnd };
enum class FactStatus { Unchecked, TraceConsistent, Proved, Refuted };
std::string_view to_string(FactOrigin origin);
std::string_view to_string(FactStatus status);

/// Common to all facts.
struct FactSource {
    FactOrigin origin = FactOrigin::User;
    /// What this program found out about the fact. A fact of a file is unchecked, whatever the file
    /// says of it.
    FactStatus status = FactStatus::Unchecked;
    std::int64_t line = 0; ///< Of the file that states it; 0 when made by the program.
    /// What the file says of the fact: its author's word, for display.
    FactStatus claimed = FactStatus::Unchecked;
    /// The file that states it: 0 the flow-facts file, else 1 + index into `FlowFacts::sources`.
    std::size_t file = 0;
    friend bool operator==(const FactSource&, const FactSource&) = default;
};

/// Of facts that this program derived.
inline constexpr FactSource from_code{FactOrigin::Static, FactStatus::Proved};

/// Of facts that this program derived from the code and what is stated of the kernel's arguments.
inline constexpr FactSource from_arguments{FactOrigin::Arguments, FactStatus::Unchecked};
/// Of branches that all threads of a block decide alike because barriers depend on them, and of
/// what follows from that.
inline constexpr FactSource from_statements{FactOrigin::Statements, FactStatus::Unchecked};
inline constexpr FactSource by_barrier_rule{FactOrigin::BarrierRule, FactStatus::Unchecked};
inline constexpr FactSource by_normal_end{FactOrigin::NormalEnd, FactStatus::Unchecked};

/// The header block executes at least `min` and at most `max` times per entry of the loop from
/// outside.
struct LoopFact {
    std::int64_t header = 0; ///< Address of the header block's first instruction.
    std::int64_t min = 0;
    std::int64_t max = 0;
    FactSource from;
    friend bool operator==(const LoopFact&, const LoopFact&) = default;
};

/// The block that begins at the address is never executed.
struct NeverFact {
    std::int64_t block = 0;
    FactSource from;
    friend bool operator==(const NeverFact&, const NeverFact&) = default;
};

/// At most one of the two blocks is executed in a run.
struct ExclusiveFact {
    std::int64_t first = 0;
    std::int64_t second = 0;
    FactSource from;
    friend bool operator==(const ExclusiveFact&, const ExclusiveFact&) = default;
};

/// `coefficient` times the executions of block `block` (summed over all call contexts), or of the
/// edge `from` -> `block`.
struct LinearTerm {
    std::int64_t coefficient = 1;
    std::optional<std::int64_t> from;
    std::int64_t block = 0;
    friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

enum class Relation { AtMost, AtLeast, Equal };

/// sum of terms (relation) constant, per run.
struct LinearFact {
    std::vector<LinearTerm> terms;
    Relation relation = Relation::AtMost;
    std::int64_t constant = 0;
    FactSource from;
    friend bool operator==(const LinearFact&, const LinearFact&) = default;
};

enum class MemoryLevel { Any, L1, L2, Dram };
std::string_view to_string(MemoryLevel level);

/// Inclusive range of passes.
struct CountRange {
    std::int64_t min = 1;
    std::int64_t max = 1;
    friend bool operator==(const CountRange&, const CountRange&) = default;
};

/// Memory transactions, level and addresses of the instruction at an address.
struct MemoryFact {
    std::int64_t at = 0;
    std::optional<CountRange> transactions;    ///< Of a global access, 1..32; none: unknown.
    std::optional<CountRange> conflict_degree; ///< Of a shared access, 1..32; none: unknown.
    MemoryLevel level = MemoryLevel::Any;
    FactSource from;
    std::optional<AddressPattern> pattern; ///< If present, none of the counts is stated.
    std::optional<CountRange> sectors{};   ///< Of the lines of a global store, 1..32 (C94).
    friend bool operator==(const MemoryFact&, const MemoryFact&) = default;
};

/// The lanes of a warp may diverge at the instruction: take different branch targets, exit in part,
/// or be predicated off in part.
struct DivergentFact {
    std::int64_t at = 0;
    FactSource from;
    friend bool operator==(const DivergentFact&, const DivergentFact&) = default;
};

/// At the instruction the active lanes of a warp all do the same: they take one branch target, all
/// exit or none, are all predicated off or none.
struct UniformFact {
    std::int64_t at = 0;
    FactSource from;
    friend bool operator==(const UniformFact&, const UniformFact&) = default;
};

/// Every warp of the thread blocks whose indices lie in a box has a thread (its representative)
/// that never takes these edges, and that these EXITs do not end.
struct RepresentativeFact {
    std::array<std::int64_t, 3> first{0, 0, 0}; ///< Block indices x, y, z.
    std::array<std::int64_t, 3> last{0, 0, 0};  ///< Inclusive.
    /// Addresses of basic blocks: from one to the other.
    std::vector<std::pair<std::int64_t, std::int64_t>> edges;
    std::vector<std::int64_t> ends; ///< Addresses of basic blocks with a guarded EXIT at the end.
    FactSource from;

    /// Thread blocks in the box.
    [[nodiscard]] std::int64_t blocks() const;
    /// Whether a thread block of a grid lies in the box. `block`: its number, x counted first.
    [[nodiscard]] bool has(std::int64_t block, const std::optional<GridShape>& grid) const;
    friend bool operator==(const RepresentativeFact&, const RepresentativeFact&) = default;
};

/// A source file whose comments state facts.
struct FactFile {
    std::string name;   ///< As line markers name it.
    std::string digest; ///< `sha256:...`
    friend bool operator==(const FactFile&, const FactFile&) = default;
};

struct FlowFacts {
    std::string kernel;
    std::string
        program_digest; ///< `sha256:...` of the listing; empty when made by the program itself.
    std::vector<LoopFact> loops;
    std::vector<NeverFact> nevers;
    std::vector<ExclusiveFact> exclusives;
    std::vector<LinearFact> constraints;
    std::vector<MemoryFact> memory;
    std::vector<DivergentFact> divergents;
    std::vector<UniformFact> uniforms;
    FactConditions conditions{};
    std::vector<FactFile> sources{}; ///< Files that the facts of `FactSource::file` > 0 are from.
    /// None or one.
    std::optional<RepresentativeFact> representative{};
    std::string name;   ///< Of the source, for messages.
    std::string digest; ///< Of the file; empty when made by the program.

    [[nodiscard]] const LoopFact* loop_at(std::int64_t header) const;
    [[nodiscard]] const MemoryFact* memory_at(std::int64_t address) const;
    [[nodiscard]] bool is_never(std::int64_t address) const;
    [[nodiscard]] bool is_divergent(std::int64_t at) const;
    [[nodiscard]] bool is_uniform(std::int64_t at) const;
    friend bool operator==(const FlowFacts&, const FlowFacts&) = default;
};

/// Reads the XML of design section 7:
/// `<flow-facts kernel digest [block] [grid|blocks] [arguments]> <loop header min max/> <never
/// block/> <exclusive first second/>
///  <constraint relation="at-most|at-least|equal" constant> <term coefficient block [from]/>
///  </constraint> <memory at transactions conflict-degree level> [<pattern base thread-stride row
///  row-stride warp-stride block-stride iteration-stride footprint random/>] </memory>
///  <divergent at/> <uniform at/> <representative first-block last-block> [<edge from to/> <end
/// block/>] </representative> </flow-facts>`, each fact with optional `origin` and `status`; a
/// status is the author's word and is kept as such. Facts that comments of a source file state have
/// an attribute `source="FILE:LINE"`, where `<source file digest/>` stands before.
/// `transactions` and `conflict-degree` are "4" or a range "1..4"; a pattern replaces both. Refuses
/// unknown elements and attributes, bad numbers, min > max, two facts of one element name at one
/// address, status refuted, entity definitions, deep nesting, large files.
Result<FlowFacts> read_flow_facts(const assembly::SourceText& source);
std::string write_flow_facts(const FlowFacts& facts);
/// The refusal of a fact, at the place that states it.
Failure refused(const FlowFacts& facts, const FactSource& from, std::string what);
/// Refuses facts that were written for another kernel than `kernel` or for another listing than the
/// one with digest `listing`, and facts without a listing digest.
Result<void> check_written_for(const FlowFacts& facts, const std::string& kernel,
                               const std::string& listing);
/// Whether lanes of a warp may take different targets of a branch, so that the warp executes
/// several paths. Lanes that exit or are predicated off in part leave it on one path.
bool has_divergent_branch(const assembly::Function& function, const FlowFacts& facts);
/// Refuses facts that were derived for another launch, and a box of representatives outside its
/// grid.
Result<void> check_written_for(const FlowFacts& facts, const Launch& launch);

} // namespace warpbound::models
