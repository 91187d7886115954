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
    std::string kind;
    std::int64_t number = 0;

    [[nodiscard]] std::string name() const { return "%" + kind + std::to_string(number); }
    friend auto operator<=>(const PtxRegister&, const PtxRegister&) = default;
};

struct PtxEffects {
    std::vector<PtxRegister> reads; ///< Before the statements write them.
    std::vector<PtxRegister> writes;
    std::int64_t largest_offset = 0; ///< Of `[%register+offset]`. `Unit:` bytes.
};

/// Of statements that follow each other, each with its `;`. Special registers (without a number at
/// the end of the name) are none.
PtxEffects effects_of_ptx(std::string_view statements);

} // namespace warpbound::harness
