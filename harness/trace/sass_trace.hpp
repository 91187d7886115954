#pragma once
/// \file
/// A kernel execution recorded on a GPU: the SASS traces of Accel-Sim's NVBit tracer, as values.

#include "assembly/support/source_text.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::trace {

inline constexpr int trace_lanes = 32;
/// The newest tracer version that is read.
inline constexpr std::int64_t newest_tracer_version = 6;
inline constexpr std::int64_t printed_tracer_version = 5;

/// Addresses of the active lanes of one access, in the packed form of the trace.
struct PackedAddresses {
    enum class Form {
        List,   ///< One after the other in `numbers`.
        Stride, ///< `base`, then `numbers[0]` further for each next active lane.
        Deltas  ///< `base`, then the differences to the active lane before.
    };
    Form form = Form::List;
    std::uint64_t base = 0;
    std::vector<std::int64_t> numbers; ///< Addresses of a list keep their 64 bits.
    friend bool operator==(const PackedAddresses&, const PackedAddresses&) = default;
};

/// One warp instruction as it was executed. Predicates, uniform registers, control fields and
/// operand types are not recorded.
struct TracedIssue {
    std::int64_t address = 0;      ///< Unit: bytes from the start of the function.
    std::uint32_t mask = 0;        ///< Bit i: lane i was active.
    std::int64_t line = 0;         ///< Of the source; 0 when not recorded.
    std::string opcode;            ///< "LDG.E.128.SYS"
    std::vector<int> destinations; ///< Numbers of general registers; 255 is RZ.
    std::vector<int> sources;
    int width = 0; ///< Unit: bytes per lane, from the opcode; 0 when it accesses no memory.
    PackedAddresses addresses; ///< Of accesses.
    friend bool operator==(const TracedIssue&, const TracedIssue&) = default;
};

struct TracedWarp {
    int number = 0; ///< Index in its block.
    std::vector<TracedIssue> issues;
    friend bool operator==(const TracedWarp&, const TracedWarp&) = default;
};

using Dimensions = std::array<std::int64_t, 3>; ///< x, y, z.

struct TracedBlock {
    Dimensions number{};
    std::vector<TracedWarp> warps;
    friend bool operator==(const TracedBlock&, const TracedBlock&) = default;
};

/// The contents of a trace file: one launch.
struct SassTrace {
    std::string kernel;
    std::int64_t id = 0;
    Dimensions grid{1, 1, 1};
    Dimensions block{1, 1, 1};
    std::optional<std::int64_t> shared_memory{}; ///< Unit: bytes per block; empty: not stated.
    std::optional<std::int64_t> registers;       ///< Per thread; empty: not stated.
    std::int64_t binary_version = 0;             ///< sm number; 0 where the tracer did not know it.
    std::int64_t stream = 0;
    std::int64_t tracer_version = 0;
    std::vector<TracedBlock> blocks; ///< In the order of the file.
    friend bool operator==(const SassTrace&, const SassTrace&) = default;

    [[nodiscard]] std::int64_t blocks_launched() const { return grid[0] * grid[1] * grid[2]; }
    [[nodiscard]] std::int64_t warps_per_block() const;
};

/// Reads a `.traceg` file of tracer versions 1 to 6. Refuses, with line and column: other versions,
/// numbers out of range, more or fewer instructions than announced, blocks and warps outside the
/// launch or twice, addresses that do not fit the active lanes, bulk copies (UTMA.., UBLK..), and
/// blocks in clusters of several. Header lines with unknown keys, immediates, and what version 6
/// adds (predicates and uniform registers among the operands, values of registers) are ignored.
/// Source: accel-sim-framework, util/tracer_nvbit (format of tracer versions 1 to 5);
/// gpu-simulator/trace-parser/trace_parser.cc (versions 1 to 6).
Result<SassTrace> read_sass_trace(const assembly::SourceText& source);

/// The lines before the first block. `has_lines`: issues are printed with their source lines.
std::string print_header(const SassTrace& trace, bool has_lines);
std::string print(const TracedBlock& block, bool has_lines);
/// Text that is read back as the same trace, in the format of version 5, with line numbers if any
/// is known.
std::string print(const SassTrace& trace);

/// Addresses of the active lanes, lowest lane first. Empty if it accesses no memory.
std::vector<std::uint64_t> addresses_of(const TracedIssue& issue);

} // namespace warpbound::harness::trace
