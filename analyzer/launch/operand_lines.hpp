#pragma once
/// \file
/// The lines of a kernel's constant operands in the caches of the schedulers (rules C81 and C82 of
/// docs/reference/timing-contract.md), and which of them are persistent there.

#include "analyzer/request.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct OperandLines {
    std::vector<std::vector<std::uint64_t>> of_instruction; ///< Numbers of lines; in order.
    /// In order. Their sets have a way for each line that the text may look up: a line that was
    /// present is not replaced (docs/theory, S42).
    std::vector<std::uint64_t> persistent;
    std::vector<bool> may_be_replaced; ///< Per instruction: some of its lines are not persistent.
    bool are_warm = false;             ///< Stated: lines that persist are present at the start.
    std::int64_t miss = 0;             ///< Side: upper. `Unit:` core cycles.
    std::int64_t hold = 0;             ///< Side: upper. `Unit:` core cycles.

    /// Whether a look-up may miss.
    [[nodiscard]] bool may_miss() const;
    /// Of the persistent lines those that instructions of the set look up for the first time.
    [[nodiscard]] std::int64_t first_uses(const std::vector<bool>& instructions) const;
};

/// Whether misses are bounded for several warps under a policy that does not conserve work: all
/// lines are persistent, and the policy limits active sets only or the caches are warm (S42).
bool bounds_operand_misses_without_conservation(const Request& request);

/// None where no such cache is described. Refuses a description without a value that is needed, and
/// an instruction in use with a constant whose address is in a register. `used`: per instruction.
Result<std::optional<OperandLines>> operand_lines(const Request& request,
                                                  const std::vector<bool>& used);

} // namespace warpbound::analyzer
