#pragma once
/// \file
/// What every warp of a launch issued, as somebody recorded it: the course of its lanes and the
/// addresses of its accesses (C54 to C56).

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

/// Instructions that the same lanes issued one after the other.
struct RecordedStretch {
    std::uint32_t block = 0; ///< Of the control-flow graph; the stretch lies inside it.
    std::uint32_t first = 0; ///< Index into the function.
    std::uint32_t last = 0;  ///< Inclusive.
    RecordedLanes lanes = 0;
    bool transferred = true; ///< The instruction before has the gap of a transfer (C4, C41).
};

/// The addresses of one execution: those of `active` lanes are `base`, `base` + `stride`, .. or,
/// where they follow no rule, stand in `RecordedWarp::listed` from `first` on. `Unit:` bytes.
struct RecordedAccess {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t base = 0;
    std::int64_t stride = 0;
    RecordedLanes active = 0;
    std::uint32_t first = none;
};

struct RecordedWarp {
    std::vector<RecordedStretch> stretches;
    /// Lanes for which an instruction executed whose guard decides that, one entry per issue.
    std::vector<RecordedLanes> executing;
    /// One entry per execution of an instruction whose addresses are recorded.
    std::vector<RecordedAccess> accesses;
    std::vector<std::uint64_t> listed;

    [[nodiscard]] models::LaneAddresses addresses(std::size_t access, std::uint64_t bytes) const;
    /// Of host memory, roughly.
    [[nodiscard]] std::size_t size() const;
};

struct RecordedBlock {
    std::vector<RecordedWarp> warps; ///< In their order; all of the block.
};

/// May be asked from several threads at once.
class RecordedLaunch {
public:
    virtual ~RecordedLaunch() = default;
    /// The block with that number in the launch. It may be read anew; refuses what can then no
    /// longer be read.
    [[nodiscard]] virtual Result<std::shared_ptr<const RecordedBlock>>
    block(std::int64_t number) const = 0;
    /// Some warp issues the instruction with that index.
    [[nodiscard]] virtual bool issues(std::size_t instruction) const = 0;
};

/// Whether the guard of an instruction decides if it executes; that of a control transfer or EXIT
/// decides the direction only (C10).
bool guard_decides_execution(const assembly::Instruction& instruction);
/// Whether an instruction has addresses in a record (C56).
bool has_recorded_addresses(const assembly::Instruction& instruction);
/// What is described of such an instruction when its addresses are recorded: from the timing of an
/// access of which nothing is stated. `access` has a rule when the description has the sizes for
/// it, and counts the passes then. Refuses sizes that are no powers of two.
Result<models::InstructionTiming> recorded_timing(const assembly::Instruction& instruction,
                                                  const models::Architecture& architecture,
                                                  models::InstructionTiming timing);

} // namespace warpbound::harness
