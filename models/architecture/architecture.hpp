#pragma once
/// \file
/// The described machine: every number the timing contract needs, with its source, or unknown.

#include "assembly/isa/opcode.hpp"
#include "assembly/support/source_text.hpp"
#include "models/sourced.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// Mechanism that makes a warp wait for its operands.
enum class IssueControl {
    Interlocked, ///< Hardware scoreboard and a fixed same-warp interval (Fermi).
    Encoded,     ///< Stall counts and scoreboards in the encoding (Maxwell and later here).
};

/// Scope of a unit's port: the warps whose accesses contend for it.
enum class UnitScope {
    Warp, ///< Each warp has its own port: accesses of one warp are spaced, others are not delayed.
    Partition, ///< One port per warp scheduler.
    Core,      ///< One port per SM.
};

struct Unit {
    std::string name;
    UnitScope scope = UnitScope::Partition;
    friend bool operator==(const Unit&, const Unit&) = default;
};

/// A named group of values. `name` distinguishes groups of one element ("l2" among memories); empty
/// otherwise.
struct ValueGroup {
    std::string name;
    std::vector<SourcedValue> values;
    /// It is stated that what the group describes never delays; it then has no values.
    bool costs_nothing = false;

    [[nodiscard]] const SourcedValue* find(std::string_view value) const;
    friend bool operator==(const ValueGroup&, const ValueGroup&) = default;
};

/// Timing of an opcode class: its unit and the values `latency`, `initiation`, and where they apply
/// `source-read` (cycles until the sources have been read, releases a read barrier), `pass-cost`
/// and `entry` (cycles to the hand-over from the memory queue). Loads of global and local memory
/// have no `latency` here: it is that of the memory level.
struct ClassTiming {
    std::string unit;
    ValueGroup values;
    friend bool operator==(const ClassTiming&, const ClassTiming&) = default;
};

struct Architecture {
    std::string name;  ///< "fermi-gtx470"
    std::string title; ///< "NVIDIA GeForce GTX 470 (Fermi GF100)"
    assembly::Target target;
    bool stands_for_target = false; ///< Chosen when only the target is named, as in --gpu sm_75.
    IssueControl issue_control = IssueControl::Interlocked;
    ValueGroup geometry; ///< multiprocessors, warp-size, core-clock
    ValueGroup limits; ///< max-warps, max-blocks, max-threads, registers, shared-memory, ... per SM
    ValueGroup schedulers; ///< count, issue-slot, same-warp-interval (interlocked machines)
    std::vector<Unit> units;
    std::map<assembly::OpcodeClass, ClassTiming> classes;
    std::vector<ValueGroup> memories; ///< "shared": banks; "l1", "l2", "dram": latency
    ValueGroup fetch;                 ///< Instruction buffers or caches; empty: perfect (C17).
    ValueGroup register_file; ///< Banks with result slots or read ports; empty: perfect (C17).
    std::vector<ValueGroup> operand_collectors; ///< By unit name, for units of a register file.
    ValueGroup memory_queue; ///< Of a scheduler, before the memory path (C71); empty: none.
    ValueGroup write_buffer; ///< entries, drain
    ValueGroup
        control_flow;  ///< branch-taken, branch-not-taken: cycles until the next issue of the warp
    ValueGroup blocks; ///< start, replacement
    ValueGroup transfers; ///< host-device copies
    std::string digest;   ///< Of the file; empty when not read from one. Not compared.

    /// Index into `units`; nothing when there is none of that name.
    [[nodiscard]] std::optional<std::size_t> unit_index(std::string_view unit) const;
    [[nodiscard]] const ValueGroup* memory(std::string_view level) const;
    [[nodiscard]] const ValueGroup* operand_collector(std::string_view unit) const;
    /// Whether the group `fetch` describes instruction caches (C66 to C70) or, else, instruction
    /// buffers with fetch ports (C43 to C46). A description of both is refused where it is used.
    [[nodiscard]] bool has_instruction_caches() const;
    [[nodiscard]] bool has_fetch_ports() const;
    /// Whether instructions read the banks of the register file through ports (C60 to C62).
    [[nodiscard]] bool has_read_ports() const {
        return register_file.find("read-ports") != nullptr;
    }
    /// Whether results of variable latency wait for the write ports of the banks (C108).
    [[nodiscard]] bool has_write_ports() const {
        return register_file.find("write-ports") != nullptr;
    }
    /// Whether reads of variable latency wait for the read ports of the banks (C111).
    [[nodiscard]] bool has_variable_latency_reads() const {
        return register_file.find("variable-latency-reads") != nullptr;
    }
    /// Whether `memories/constant` describes a cache of constant operands per scheduler (C81, C82);
    /// else it describes one of the SM (C51 to C53).
    [[nodiscard]] bool has_operand_caches() const;
    /// Whether memory instructions wait in a queue of their scheduler (C71 to C74).
    [[nodiscard]] bool has_memory_queue() const { return !memory_queue.values.empty(); }
    /// The least `entry` of a class; nothing where none is known.
    [[nodiscard]] std::optional<std::int64_t> least_queue_entry() const;
    /// The pipeline stages that are described, not ideal and without bounds (C43 to C53): "fetch"
    /// with fetch ports, "register-file" without read ports, "operand-collectors",
    /// "memories/constant" of an SM.
    [[nodiscard]] std::vector<std::string_view> imperfect_parts() const;
};

/// Equal in everything but the digest: two texts of one description.
bool same_machine(const Architecture& a, const Architecture& b);

/// The interval of a value. Refuses a value that is absent or unknown, naming it by its path in the
/// description, e.g. "write-buffer/drain is unknown in architecture hopper-h200".
Result<Interval> require(const Architecture& architecture, const ValueGroup& group,
                         std::string_view path, std::string_view value);

/// Reads a description. Refuses unknown elements and attributes, missing units or a unit that is
/// not the value's, lo > hi, typical outside lo..hi, numbers without source, `assumed` without a
/// reason, classes that name no unit, duplicates, entity definitions and deep nesting, each with
/// line and expectation.
Result<Architecture> read_architecture(const assembly::SourceText& source);
/// XML that reads back to the same description.
std::string write_architecture(const Architecture& architecture);

struct ArchitectureEntry {
    std::string name;
    std::string path; ///< Empty: built in.
};
/// What the folders of $WARPBOUND_ARCHITECTURES hold, then the installation of the program that
/// runs, then what is built in. Sorted by name; the first that has a name wins.
std::vector<ArchitectureEntry> list_architectures();
/// By name, by the card of a name ("t4" for "turing-t4") where one description has it, by target
/// (`sm_75`), or by the path of a file. Several descriptions of a target: the one that stands for
/// it, else refused. The refusal of an unknown name lists the known names.
Result<Architecture> load_architecture(std::string_view name_or_path);

/// Refuses code that the machine does not run (assembly::objection_to_running). `kernel`: for the
/// message.
Result<void> check_runs_on(const Architecture& architecture, std::string_view kernel,
                           assembly::Target code);

} // namespace warpbound::models
