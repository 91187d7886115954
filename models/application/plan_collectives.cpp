/// \file
/// Collectives of an application as the messages of their algorithms. Messages take their links, so
/// that they wait for each other there. alpha: start of a link, beta: time of a byte, gamma: that
/// of combining one; p members, n bytes. Source: Thakur, Rabenseifner and Gropp 2005; ring:
/// Patarasuk and Yuan 2009; dissemination: Hensgen, Finkel and Manber 1988.

#include "models/application/planner.hpp"

#include <fmt/format.h>

namespace warpbound::models::application {

Result<Planner::Group> Planner::group_of(const Step& step, std::size_t rank) const {
    const std::size_t process = plan_.ranks[rank].process;
    Group group{.first = 0, .size = plan_.ranks.size()};
    if (!step.among_all)
        group = {.first = first_rank_[process],
                 .size = static_cast<std::size_t>(rank_counts_[process])};
    group.me = rank - group.first;
    if (!step.peer_rank) return group;
    const auto root = whole(*step.peer_rank, "'root' of " + step.name, 0,
                            static_cast<std::int64_t>(group.size) - 1, step.line);
    if (!root) return root.as_failure();
    group.root = static_cast<std::size_t>(root.value());
    return group;
}

Result<void> Planner::add_collective(const Step& step, std::size_t rank) {
    const auto group = group_of(step, rank);
    if (!group) return group.as_failure();
    plan_.collectives.insert(step.collective);
    if (step.collective == Collective::Barrier) return disseminate(step, group.value());
    const auto bytes = bytes_of(step);
    if (!bytes) return bytes.as_failure();
    switch (step.collective) {
    case Collective::Reduce:
        return reduce(step, group.value(), bytes.value());
    case Collective::AllReduce:
        return double_recursively(step, group.value(), bytes.value());
    case Collective::RingAllReduce:
        return ring(step, group.value(), bytes.value());
    case Collective::Broadcast:
    case Collective::Barrier:
        break;
    }
    return broadcast(step, group.value(), bytes.value());
}

Result<void> Planner::receive(const Step& step, std::size_t rank, std::size_t peer) {
    plan_.ranks[rank].actions.push_back(
        {.kind = Action::Kind::Receive, .index = peer, .name = name(step.name), .line = step.line});
    return count_action(step.line);
}

Result<void> Planner::exchange(const Step& step, std::size_t rank, std::size_t to,
                               std::int64_t bytes, std::size_t from) {
    if (auto sent = add_message(step, rank, to, bytes, false); !sent) return sent;
    if (auto received = receive(step, rank, from); !received) return received;
    plan_.ranks[rank].actions.push_back({.kind = Action::Kind::Wait,
                                         .index = message_stream,
                                         .name = name(step.name),
                                         .line = step.line});
    return count_action(step.line);
}

Result<void> Planner::combine(const Step& step, std::size_t rank, std::int64_t bytes) {
    const LinkDirection rate{.bandwidth = step.combine};
    const auto found = transfer_time(rate, bytes, "'combine'", step.line);
    if (!found) return found.as_failure();
    return add_operation({.kind = OperationKind::Computation,
                          .rank = rank,
                          .server = placements_[rank].node,
                          .time = time({.name = step.name + ", combine",
                                        .time = found.value(),
                                        .basis = step.basis,
                                        .source = step.source,
                                        .line = step.line}),
                          .stream = 0},
                         step);
}

/// ceil(log2 p) (alpha + n beta) where no link is shared. Counted from the root, a member receives
/// from the one without its lowest bit, then sends to those with a lower bit more.
Result<void> Planner::broadcast(const Step& step, const Group& group, std::int64_t bytes) {
    const std::size_t relative = (group.me + group.size - group.root) % group.size;
    const auto at = [&](std::size_t member) {
        return group.rank((member + group.root) % group.size);
    };
    std::size_t bit = 1;
    while (bit < group.size && (relative & bit) == 0)
        bit *= 2;
    if (relative != 0)
        if (auto done = receive(step, at(relative), at(relative - bit)); !done) return done;
    for (bit /= 2; bit > 0; bit /= 2)
        if (relative + bit < group.size)
            if (auto done = add_message(step, at(relative), at(relative + bit), bytes, true); !done)
                return done;
    return boost::outcome_v2::success();
}

/// ceil(log2 p) (alpha + n beta + n gamma): the tree of the broadcast from its leaves.
Result<void> Planner::reduce(const Step& step, const Group& group, std::int64_t bytes) {
    const std::size_t relative = (group.me + group.size - group.root) % group.size;
    const auto at = [&](std::size_t member) {
        return group.rank((member + group.root) % group.size);
    };
    for (std::size_t bit = 1; bit < group.size; bit *= 2) {
        if ((relative & bit) != 0)
            return add_message(step, at(relative), at(relative - bit), bytes, true);
        if (relative + bit >= group.size) continue;
        if (auto done = receive(step, at(relative), at(relative + bit)); !done) return done;
        if (auto done = combine(step, at(relative), bytes); !done) return done;
    }
    return boost::outcome_v2::success();
}

/// log2 p (alpha + n beta + n gamma) for a power of two; otherwise members beyond one join a
/// neighbour before, and get the result behind.
Result<void> Planner::double_recursively(const Step& step, const Group& group, std::int64_t bytes) {
    std::size_t power = 1;
    while (power * 2 <= group.size)
        power *= 2;
    const std::size_t beyond = group.size - power;
    const bool is_paired = group.me < 2 * beyond;
    const std::size_t rank = group.rank(group.me);
    if (is_paired && group.me % 2 == 0) {
        if (auto done = add_message(step, rank, rank + 1, bytes, true); !done) return done;
        return receive(step, rank, rank + 1);
    }
    if (is_paired) {
        if (auto done = receive(step, rank, rank - 1); !done) return done;
        if (auto done = combine(step, rank, bytes); !done) return done;
    }
    const std::size_t number = is_paired ? group.me / 2 : group.me - beyond;
    for (std::size_t bit = 1; bit < power; bit *= 2) {
        const std::size_t other = number ^ bit;
        const std::size_t peer = group.rank(other < beyond ? 2 * other + 1 : other + beyond);
        if (auto done = exchange(step, rank, peer, bytes, peer); !done) return done;
        if (auto done = combine(step, rank, bytes); !done) return done;
    }
    if (!is_paired) return boost::outcome_v2::success();
    return add_message(step, rank, rank - 1, bytes, true);
}

/// 2 (p-1) alpha + 2 (p-1)/p n beta + (p-1)/p n gamma: p blocks go around, first to be combined,
/// then to be known to all.
Result<void> Planner::ring(const Step& step, const Group& group, std::int64_t bytes) {
    const auto size = static_cast<std::int64_t>(group.size);
    const auto begin = [&](std::int64_t block) { // No overflow: 2^50 bytes, 2^12 ranks.
        return block * (bytes / size) + block * (bytes % size) / size;
    };
    const auto length = [&](std::size_t block) {
        const auto number = static_cast<std::int64_t>(block % group.size);
        return begin(number + 1) - begin(number);
    };
    const std::size_t rank = group.rank(group.me);
    const std::size_t next = group.rank((group.me + 1) % group.size);
    const std::size_t last = group.rank((group.me + group.size - 1) % group.size);
    for (std::size_t i = 0; i < 2 * (group.size - 1); ++i) {
        const std::size_t block = group.me + 2 * group.size - i;
        if (auto done = exchange(step, rank, next, length(block), last); !done) return done;
        if (i + 1 >= group.size) continue;
        if (auto done = combine(step, rank, length(block - 1)); !done) return done;
    }
    return boost::outcome_v2::success();
}

/// ceil(log2 p) alpha: in round k a member tells the one 2^k behind it.
Result<void> Planner::disseminate(const Step& step, const Group& group) {
    for (std::size_t distance = 1; distance < group.size; distance *= 2) {
        const std::size_t to = group.rank((group.me + distance) % group.size);
        const std::size_t from = group.rank((group.me + group.size - distance) % group.size);
        if (auto done = exchange(step, group.rank(group.me), to, 0, from); !done) return done;
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::models::application
