#include "certification/bundle/simt_stack_export.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::certification {

namespace {

using analyzer::AbstractStack;
using analyzer::PendingGroup;
using analyzer::StackPoint;
using verify::SimtStack;
using Kind = SimtStack::Kind;
using Entries = std::vector<SimtStack::Entry>;

constexpr std::size_t most_stacks = 16; ///< Of one.

SimtStack::Point point_of(const StackPoint& point) {
    if (point.implicit) return {Kind::PostDominator, point.block.value()};
    return {Kind::Explicit, point.instruction};
}

std::set<SimtStack::Point> points_of(const std::vector<StackPoint>& points) {
    std::set<SimtStack::Point> all;
    for (const StackPoint& point : points)
        all.insert(point_of(point));
    return all;
}

SimtStack::Entry entry_of(const PendingGroup& group) {
    SimtStack::Entry entry;
    entry.kind = group.released ? Kind::Released : Kind::Pending;
    entry.origin = group.released ? point_of(*group.released).second : group.origin.value();
    entry.resume = group.resume.value();
    entry.left = points_of(group.left);
    entry.optional = !group.released;
    return entry;
}

/// Groups that diverged together, or any number of each in any order.
void add_groups(const AbstractStack::Entry& groups, Entries& to) {
    for (const PendingGroup& group : groups.groups) {
        SimtStack::Entry entry = entry_of(group);
        const bool is_first = &group == &groups.groups.front();
        entry.one_or_more = groups.repeats;
        entry.interleaved = groups.repeats && !is_first;
        entry.simultaneous = !groups.repeats && groups.groups.size() > 1;
        to.push_back(std::move(entry));
    }
}

} // namespace

std::vector<SimtStack> exported(const AbstractStack& stack) {
    std::vector<Entries> all{{}};
    for (const AbstractStack::Entry& entry : stack.entries) {
        if (entry.at_most != 0) return {}; // The verifier tells such groups apart.
        if (!entry.point) {
            for (Entries& entries : all)
                add_groups(entry, entries);
            continue;
        }
        const auto [kind, origin] = point_of(*entry.point);
        const std::size_t before = all.size();
        for (std::size_t i = 0; i < before; ++i) {
            SimtStack::Entry point{kind, origin};
            if (entry.waiting && !entry.certain) {
                if (all.size() >= most_stacks) return {};
                all.push_back(all[i]);
                all.back().push_back(point);
            }
            if (entry.waiting) {
                point.resume = entry.waiting->resume.value();
                point.left = points_of(entry.waiting->left);
            }
            all[i].push_back(std::move(point));
        }
    }
    std::vector<SimtStack> stacks;
    for (Entries& entries : all)
        if (auto made = SimtStack::of(std::move(entries), points_of(stack.left)))
            stacks.push_back(std::move(*made));
    return stacks;
}

} // namespace warpbound::certification
