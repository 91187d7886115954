#pragma once
/// \file
/// Which registers a statement of generated PTX reads and writes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// A register by its name: `%shared_by_4` is {"shared_by_", 4}.
struct PtxRegister {
    std::string prefix;
    std::int64_t number = 0;

    [[nodiscard]] std::string name() const { return "%" + prefix + std::to_string(number); }
    friend auto operator<=>(const PtxRegister&, const PtxRegister&) = default;
};

struct PtxEffects {
    std::vector<PtxRegister> reads; ///< Registers read before the statements write them.
    std::vector<PtxRegister> writes;
    std::int64_t largest_offset = 0; ///< Largest offset in `[%register+offset]`. `Unit:` bytes.
};

/// The effects of consecutive statements, each terminated by `;`. Special registers (names without
/// a trailing number) are ignored.
PtxEffects effects_of_ptx(std::string_view statements);

} // namespace warpbound::harness
