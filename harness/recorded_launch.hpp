#pragma once
/// \file
/// The recorded instruction stream of every warp of a launch: active lanes and access addresses
/// (C54 to C56).

#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace warpbound::harness {

/// Lanes of a warp, bit i for lane i. Recorded warps have 32.
using RecordedLanes = std::uint32_t;
inline constexpr std::int64_t recorded_lane_count = 32;

/// Consecutive instructions that the same active lanes issued.
struct RecordedStretch {
    std::uint32_t block = 0; ///< Basic block of the control-flow graph that contains the stretch.
    std::uint32_t first = 0; ///< Index into the function.
    std::uint32_t last = 0;  ///< Inclusive.
    RecordedLanes lanes = 0;
    bool transferred =
        true; ///< The preceding instruction has the issue gap of a control transfer (C4, C41).
};

/// The addresses of one execution of an access. The `active` lanes access `base`, `base` +
/// `stride`, ..; addresses without a constant stride are listed in `RecordedWarp::listed` from
/// index `first` on. `Unit:` bytes.
struct RecordedAccess {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t base = 0;
    std::int64_t stride = 0;
    RecordedLanes active = 0;
    std::uint32_t first = none;
};

struct RecordedWarp {
    std::vector<RecordedStretch> stretches;
    /// For instructions whose guard decides whether they execute: the lanes for which they did, one
    /// entry per issue.
    std::vector<RecordedLanes> executing;
    /// One entry per execution of an instruction whose addresses are recorded.
    std::vector<RecordedAccess> accesses;
    std::vector<std::uint64_t> listed;

    [[nodiscard]] models::LaneAddresses addresses(std::size_t access, std::uint64_t bytes) const;
    /// Approximate host memory. `Unit:` bytes.
    [[nodiscard]] std::size_t size() const;
};

struct RecordedBlock {
    std::vector<RecordedWarp> warps; ///< All warps of the block, by warp index.

    /// Instructions that its warps issue.
    [[nodiscard]] std::int64_t issues() const;
};

/// May be called from several threads at once.
class RecordedLaunch {
public:
    virtual ~RecordedLaunch() = default;
    /// The block with that number in the launch. It may be read from the file again; refuses a
    /// block that can no longer be read.
    [[nodiscard]] virtual Result<std::shared_ptr<const RecordedBlock>>
    block(std::int64_t number) const = 0;
    /// Whether some warp issues the instruction with that index.
    [[nodiscard]] virtual bool issues(std::size_t instruction) const = 0;
};

/// Whether the guard of an instruction decides if the instruction executes; the guard of a control
/// transfer or EXIT decides the direction only (C10).
bool guard_decides_execution(const assembly::Instruction& instruction);
/// Whether a recording contains addresses for the instruction (C56).
bool has_recorded_addresses(const assembly::Instruction& instruction);
/// The timing of an instruction whose addresses are recorded, derived from the timing of an access
/// without stated facts. `access` gets a transaction rule if the architecture description has the
/// sizes for it; the rule then counts the transactions. Refuses sizes that are not powers of two.
Result<models::InstructionTiming> recorded_timing(const assembly::Instruction& instruction,
                                                  const models::Architecture& architecture,
                                                  models::InstructionTiming timing);

} // namespace warpbound::harness
