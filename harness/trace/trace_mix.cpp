#include "harness/trace/trace_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace warpbound::harness::trace {

namespace {

constexpr std::uint64_t sector_bytes = 32;

bool reaches_sectors(assembly::StateSpace space) {
    using enum assembly::StateSpace;
    return space == Global || space == Local || space == Generic;
}

} // namespace

void CountSummary::add(std::int64_t value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    sum += value;
    ++count;
}

double CountSummary::mean() const {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

std::int64_t sectors_of(const TracedIssue& issue) {
    std::set<std::uint64_t> sectors;
    const auto width = static_cast<std::uint64_t>(issue.width);
    for (const std::uint64_t address : addresses_of(issue)) {
        sectors.insert(address / sector_bytes);
        sectors.insert((address + width - 1) / sector_bytes);
    }
    return static_cast<std::int64_t>(sectors.size());
}

Result<TraceMix> mix_of(const SassTrace& trace) {
    TraceMix mix;
    std::set<std::vector<std::int64_t>> paths;
    for (const TracedBlock& block : trace.blocks) {
        for (const TracedWarp& warp : block.warps) {
            ++mix.warps;
            mix.issues_of_warp.add(static_cast<std::int64_t>(warp.issues.size()));
            std::vector<std::int64_t> path;
            for (const TracedIssue& issue : warp.issues) {
                path.push_back(issue.address);
                const auto [entry, added] = mix.by_address.try_emplace(issue.address);
                AddressMix& here = entry->second;
                const auto info = assembly::find_opcode(
                    std::string_view{issue.opcode}.substr(0, issue.opcode.find('.')));
                if (added) {
                    here.opcode = issue.opcode;
                    if (info) here.opcode_class = info->opcode_class;
                } else if (here.opcode != issue.opcode) {
                    return Failure{fmt::format("the instruction at 0x{:04x} is {} and {}",
                                               issue.address, here.opcode, issue.opcode),
                                   trace.kernel, 0, 0};
                }
                const std::int64_t active = std::popcount(issue.mask);
                ++here.issues;
                here.lanes.add(active);
                mix.lanes.add(active);
                if (issue.width == 0 || active == 0 || !info || !reaches_sectors(info->space))
                    continue;
                if (!here.sectors) here.sectors.emplace();
                here.sectors->add(sectors_of(issue));
            }
            paths.insert(std::move(path));
        }
    }
    mix.paths = static_cast<std::int64_t>(paths.size());
    return mix;
}

} // namespace warpbound::harness::trace
