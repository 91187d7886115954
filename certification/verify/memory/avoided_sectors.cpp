#include "certification/verify/memory/avoided_sectors.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t sectors_at_most = 128;
constexpr std::size_t loads_at_most = 4096;
constexpr std::size_t most_avoided = 3;

using Loads = std::bitset<loads_at_most>;

/// The fewest loads that access one of so many sectors or more; all others avoid these sectors.
class FewestLoads {
public:
    /// `of_sector`: the loads that access each.
    explicit FewestLoads(std::vector<Loads> of_sector) : of_sector_{std::move(of_sector)} {
        std::sort(of_sector_.begin(), of_sector_.end(),
                  [](const Loads& a, const Loads& b) { return a.count() < b.count(); });
    }

    [[nodiscard]] std::size_t of(std::size_t sectors) {
        fewest_ = loads_at_most;
        choose(0, sectors, {});
        return fewest_;
    }

private:
    /// One sector more makes the loads no fewer, and the later sectors have no fewer themselves:
    /// what has as many as the fewest found is left.
    void choose(std::size_t first, std::size_t sectors, const Loads& loads) {
        if (sectors == 0) {
            fewest_ = std::min(fewest_, loads.count());
            return;
        }
        for (std::size_t next = first; next + sectors <= of_sector_.size(); ++next) {
            if (of_sector_[next].count() >= fewest_) return;
            const Loads with_next = loads | of_sector_[next];
            if (with_next.count() < fewest_) choose(next + 1, sectors - 1, with_next);
        }
    }

    std::vector<Loads> of_sector_; ///< By how many these are.
    std::size_t fewest_ = 0;
};

} // namespace

std::vector<std::int64_t> most_loads_avoiding(const MemoryLayout& layout,
                                              const std::vector<LineAccess>& accesses) {
    std::map<std::uint64_t, Loads> of_sector; ///< By its number.
    std::size_t loads = 0;
    for (const LineAccess& access : accesses) {
        if (!access.is_load) continue;
        if (loads == loads_at_most) return {};
        const std::uint64_t first = access.address / layout.sector;
        for (std::uint64_t i = 0; i < layout.line / layout.sector; ++i)
            if ((access.sectors >> i & 1U) != 0) of_sector[first + i].set(loads);
        if (of_sector.size() > sectors_at_most) return {};
        if (access.is_last) ++loads;
    }
    std::vector<Loads> each;
    for (const auto& [number, of_one] : of_sector)
        each.push_back(of_one);
    FewestLoads fewest{std::move(each)};
    std::vector<std::int64_t> most;
    for (std::size_t sectors = 1; sectors <= std::min(most_avoided, of_sector.size()); ++sectors)
        most.push_back(static_cast<std::int64_t>(loads - fewest.of(sectors)));
    return most;
}

} // namespace warpbound::certification::verify
