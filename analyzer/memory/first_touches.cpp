#include "analyzer/memory/first_touches.hpp"

#include "analyzer/memory/access_enumeration.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_sectors = 128; // Triples of sectors are looked at.
constexpr std::size_t most_loads = 4096;

/// One bit for each load.
using Loads = std::vector<std::uint64_t>;

std::int64_t size_of(const Loads& loads) {
    std::int64_t size = 0;
    for (const std::uint64_t word : loads)
        size += std::popcount(word);
    return size;
}

void both(const Loads& a, const Loads& b, Loads& result) {
    for (std::size_t word = 0; word < a.size(); ++word)
        result[word] = a[word] & b[word];
}

/// Per sector, the loads that do not access it.
std::optional<std::vector<Loads>> loads_without_each(const AccessEnumeration& accesses,
                                                     std::uint64_t sector) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> accessed; // By sector number.
    std::size_t loads = 0;
    accesses.for_each([&](const Access& access) {
        if (!access.load) return;
        for (const models::TouchedLine& line : *access.lines)
            for (std::uint64_t left = line.sectors;
                 left != 0 && accessed.size() <= most_sectors && loads < most_loads;
                 left &= left - 1)
                accessed[line.address / sector + static_cast<std::uint64_t>(std::countr_zero(left))]
                    .push_back(loads);
        ++loads;
    });
    if (accessed.empty() || accessed.size() > most_sectors || loads > most_loads)
        return std::nullopt;
    constexpr std::size_t bits = 64;
    Loads all((loads + bits - 1) / bits, 0);
    for (std::size_t load = 0; load < loads; ++load)
        all[load / bits] |= std::uint64_t{1} << load % bits;
    std::vector<Loads> without;
    for (const auto& [sector, of_sector] : accessed) {
        without.push_back(all);
        for (const std::size_t load : of_sector)
            without.back()[load / bits] &= ~(std::uint64_t{1} << load % bits);
    }
    return without;
}

} // namespace

std::optional<std::vector<std::int64_t>> loads_without_sectors(const AccessEnumeration& accesses,
                                                               std::uint64_t sector) {
    const auto sectors = loads_without_each(accesses, sector);
    if (!sectors) return std::nullopt;
    const auto& without = *sectors;
    std::vector<std::int64_t> most(std::min<std::size_t>(3, without.size()), 0);
    const auto take = [&](std::size_t sectors_less_one, std::int64_t loads) {
        most[sectors_less_one] = std::max(most[sectors_less_one], loads);
    };
    Loads two = without.front();
    Loads three = without.front();
    for (std::size_t a = 0; a < without.size(); ++a) {
        take(0, size_of(without[a]));
        for (std::size_t b = a + 1; b < without.size(); ++b) {
            both(without[a], without[b], two);
            const std::int64_t of_two = size_of(two);
            take(1, of_two);
            if (most.size() < 3 || of_two <= most[2]) continue; // No triple has more.
            for (std::size_t c = b + 1; c < without.size(); ++c) {
                both(two, without[c], three);
                take(2, size_of(three));
            }
        }
    }
    return most;
}

std::int64_t most_waits_for_first_touches(const std::vector<std::int64_t>& loads_without,
                                          std::int64_t loads_of_wait) {
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::size_t j = 0; j < loads_without.size(); ++j)
        most = std::min(most, static_cast<std::int64_t>(j) + 1 + loads_without[j] / loads_of_wait);
    return most;
}

} // namespace warpbound::analyzer
