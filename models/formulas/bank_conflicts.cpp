#include "models/formulas/bank_conflicts.hpp"

#include "models/formulas/input_check.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpbound::models::bank_conflicts {

Result<std::int64_t> degree(std::span<const std::int64_t> words, std::int64_t banks) {
    InputCheck check{"bank conflicts"};
    check.count("lanes", static_cast<std::int64_t>(words.size()), 1, 1024)
        .count("banks", banks, 1, 1024);
    for (const std::int64_t word : words)
        check.count("word address", word, 0, std::int64_t{1} << 62);
    if (check.failure()) return *check.failure();
    std::vector<std::int64_t> distinct{words.begin(), words.end()};
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<std::int64_t> in_bank(static_cast<std::size_t>(banks));
    for (const std::int64_t word : distinct)
        ++in_bank[static_cast<std::size_t>(word % banks)];
    return *std::ranges::max_element(in_bank);
}

Result<std::int64_t> degree_of_stride(std::int64_t stride, std::int64_t banks) {
    if (const auto wrong = InputCheck{"bank conflicts"}.count("stride", stride, 0).failure())
        return *wrong;
    std::array<std::int64_t, 32> words{};
    for (std::size_t lane = 0; lane < words.size(); ++lane)
        words.at(lane) = static_cast<std::int64_t>(lane) * stride;
    return degree(words, banks);
}

} // namespace warpbound::models::bank_conflicts
