#pragma once
/// \file
/// Numbers as sums of indices of threads and blocks with factors, modulo 2^32, and what they are
/// for all threads of a box of thread blocks (docs/theory, S79).

#include "certification/verify/flow/number_set.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::certification::verify {

/// x, y, z of the thread in its block, then of the block in the grid.
inline constexpr std::size_t index_count = 6;

/// Least and greatest value of each index: all threads of the thread blocks of a box.
struct ThreadBox {
    std::array<std::int64_t, index_count> first{};
    std::array<std::int64_t, index_count> last{}; ///< Inclusive.
};

/// A word of a constant bank: bank and offset. `Unit:` bytes.
using ConstantWord = std::pair<std::int64_t, std::int64_t>;

/// constant + sum of factor x index + sum of factor x word, modulo 2^32.
struct AffineForm {
    std::array<std::uint32_t, index_count> factors{};
    std::map<ConstantWord, std::uint32_t> words; ///< Whose values are not stated; no factor is 0.
    std::uint32_t constant = 0;

    static AffineForm of(std::uint32_t number) { return {{}, {}, number}; }
    static AffineForm of_index(std::size_t index);
    static AffineForm of_word(const ConstantWord& word) { return {{}, {{word, 1}}, 0}; }

    [[nodiscard]] bool is_number() const;
    /// The only word that the form consists of beside indices and a constant: a pointer.
    [[nodiscard]] std::optional<ConstantWord> only_word() const;

    friend auto operator<=>(const AffineForm&, const AffineForm&) = default;
    friend AffineForm operator+(AffineForm left, const AffineForm& right);
    friend AffineForm operator*(AffineForm form, std::uint32_t factor);
    friend AffineForm operator-(const AffineForm& form) { return form * ~std::uint32_t{0}; }
};

/// Whether `left order right` holds for all threads of the box, or for none. None: it is not known,
/// or a side may wrap around.
std::optional<bool> holds_in_box(Order order, bool is_signed, const AffineForm& left,
                                 const AffineForm& right, const ThreadBox& box);

} // namespace warpbound::certification::verify
