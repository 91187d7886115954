#include "certification/verify/memory/first_requests.hpp"

#include <algorithm>
#include <bitset>
#include <map>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t sectors_at_most = 128;
constexpr std::size_t loads_at_most = 4096;

using Loads = std::bitset<loads_at_most>;

} // namespace

std::vector<std::int64_t> loads_without_sectors(const MemoryLayout& layout,
                                                const std::vector<LineAccess>& accesses) {
    std::map<std::uint64_t, Loads> with; ///< By sector: loads that access it.
    Loads all;
    std::size_t load = 0;
    for (const LineAccess& access : accesses) {
        if (!access.is_load) continue;
        if (load == loads_at_most) return {};
        all.set(load);
        for (std::uint64_t i = 0; i < layout.line / layout.sector; ++i)
            if ((access.sectors >> i & 1U) != 0) with[access.address / layout.sector + i].set(load);
        if (with.size() > sectors_at_most) return {};
        if (access.is_last) ++load;
    }
    std::vector<Loads> without;
    for (const auto& [sector, loads] : with)
        without.push_back(all & ~loads);
    if (without.empty()) return {};
    std::vector<std::size_t> most(std::min<std::size_t>(3, without.size()), 0);
    for (std::size_t a = 0; a < without.size(); ++a) {
        most[0] = std::max(most[0], without[a].count());
        for (std::size_t b = a + 1; b < without.size(); ++b) {
            const Loads two = without[a] & without[b];
            const std::size_t of_two = two.count();
            most[1] = std::max(most[1], of_two);
            if (most.size() < 3 || of_two <= most[2]) continue;
            for (std::size_t c = b + 1; c < without.size(); ++c)
                most[2] = std::max(most[2], (two & without[c]).count());
        }
    }
    return {most.begin(), most.end()};
}

} // namespace warpbound::certification::verify
