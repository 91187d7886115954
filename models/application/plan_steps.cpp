#include "models/application/planner.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::models::application {

namespace {

constexpr std::size_t most_actions = 500'000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50U;
constexpr std::int64_t most_iterations = 1'000'000;
constexpr std::int64_t most_blocks = 2'147'483'647;
constexpr std::int64_t most_threads = 1024;
const std::string bandwidth_of_link = "'bandwidth' of the link";

} // namespace

std::size_t Planner::name(const std::string& text) {
    const auto [at, is_new] = name_numbers_.try_emplace(text, plan_.names.size());
    if (is_new) plan_.names.push_back(text);
    return at->second;
}

/// Equal ones are recognised by a text of all that decides the time.
std::size_t Planner::time(PlannedTime wanted) {
    std::string key =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(wanted.origin),
                    wanted.line, wanted.kernel, wanted.device, wanted.bytes, wanted.is_to_device,
                    fmt::join(wanted.blocks, ","), fmt::join(wanted.threads, ","),
                    static_cast<int>(wanted.basis), wanted.name, wanted.source);
    if (wanted.time)
        key += fmt::format("|{}|{}|{}", wanted.time->lo.count(), wanted.time->typical.count(),
                           wanted.time->hi.count());
    for (const auto& [name, value] : wanted.values)
        key += "|" + name + "=" + value.str();
    const auto [at, is_new] = time_numbers_.try_emplace(key, plan_.times.size());
    if (is_new) plan_.times.push_back(std::move(wanted));
    return at->second;
}

std::size_t Planner::stream(std::size_t rank, const std::string& name) {
    const auto [at, is_new] = streams_[rank].try_emplace(name, plan_.ranks[rank].streams);
    if (is_new) ++plan_.ranks[rank].streams;
    return at->second;
}

Result<void> Planner::unroll(const std::vector<Step>& steps, std::size_t rank) {
    for (const Step& step : steps) {
        if (step.when) {
            const auto holds = step.when->value(values_);
            if (!holds) return refuse(step.line, "'when': " + holds.error().what);
            if (holds.value() == 0) continue;
        }
        if (auto done =
                step.kind == StepKind::Loop ? unroll_loop(step, rank) : add_step(step, rank);
            !done)
            return done;
    }
    return boost::outcome_v2::success();
}

Result<void> Planner::unroll_loop(const Step& step, std::size_t rank) {
    const auto count = whole(*step.count, "'count' of the loop", 0, most_iterations, step.line);
    if (!count) return count.as_failure();
    for (std::int64_t i = 0; i < count.value(); ++i) {
        if (!step.variable.empty()) values_[step.variable] = i;
        if (auto done = count_action(step.line); !done) return done;
        if (auto done = unroll(step.body, rank); !done) return done;
    }
    return boost::outcome_v2::success();
}

Result<void> Planner::count_action(std::int64_t line) {
    if (++actions_ > most_actions)
        return refuse(line, "the application has more than 500,000 steps in all");
    return boost::outcome_v2::success();
}

Result<void> Planner::add_step(const Step& step, std::size_t rank) {
    if (auto done = count_action(step.line); !done) return done;
    Action action{.name = name(step.name), .line = step.line};
    switch (step.kind) {
    case StepKind::Computation:
        return add_computation(step, rank);
    case StepKind::Launch:
        return add_launch(step, rank);
    case StepKind::CopyToDevice:
    case StepKind::CopyToHost:
        return add_copy(step, rank);
    case StepKind::Send:
        return add_send(step, rank);
    case StepKind::Barrier:
        return add_barrier(step, rank);
    case StepKind::Collective:
        return add_collective(step, rank);
    case StepKind::Receive: {
        const auto peer = peer_of(step);
        if (!peer) return peer.as_failure();
        action.kind = Action::Kind::Receive;
        action.index = peer.value();
        break;
    }
    case StepKind::Wait:
        action.kind = Action::Kind::Wait;
        action.index = step.among_all ? all_streams : stream(rank, step.stream);
        break;
    case StepKind::Loop:
        break;
    }
    plan_.ranks[rank].actions.push_back(action);
    return boost::outcome_v2::success();
}

Result<void> Planner::add_operation(Operation operation, const Step& step) {
    operation.name = name(step.name);
    operation.line = step.line;
    plan_.ranks[operation.rank].actions.push_back(
        {.index = plan_.operations.size(), .name = operation.name, .line = step.line});
    plan_.operations.push_back(operation);
    return boost::outcome_v2::success();
}

Result<std::size_t> Planner::stated(const StatedTime& stated, const std::string& name,
                                    std::int64_t line) {
    const auto constant = constant_times_.find(&stated);
    if (constant != constant_times_.end()) return constant->second;
    const auto value = stated.time.value(values_);
    if (!value) return refuse(line, fmt::format("time of '{}': {}", name, value.error().what));
    const std::size_t found = time({.name = name,
                                    .time = rounded(value.value()),
                                    .basis = stated.basis,
                                    .source = stated.source,
                                    .line = line});
    if (stated.time.names().empty()) constant_times_.emplace(&stated, found);
    return found;
}

Result<void> Planner::add_computation(const Step& step, std::size_t rank) {
    const auto found = stated(*step.time, step.name, step.line);
    if (!found) return found.as_failure();
    return add_operation({.kind = OperationKind::Computation,
                          .rank = rank,
                          .server = placements_[rank].node,
                          .time = found.value(),
                          .stream = 0},
                         step);
}

/// Sizes of a grid or of a block. Their product is limited as each of them is.
Result<void> Planner::sizes(const std::vector<Expression>& expressions, const std::string& what,
                            std::int64_t most, std::int64_t line,
                            std::vector<std::int64_t>& found) const {
    std::int64_t product = 1;
    for (const Expression& expression : expressions) {
        const auto size = whole(expression, what, 1, most / product, line);
        if (!size) return size.as_failure();
        product *= size.value();
        found.push_back(size.value());
    }
    return boost::outcome_v2::success();
}

Result<void> Planner::add_launch(const Step& step, std::size_t rank) {
    const Kernel& kernel = application_.kernels[step.kernel];
    const DeviceInstance& device = devices_[*placements_[rank].device];
    Operation operation{.kind = OperationKind::Kernel,
                        .rank = rank,
                        .server = device.server,
                        .stream = stream(rank, step.stream),
                        .waits = step.waits};
    if (kernel.stated) {
        const auto found = stated(*kernel.stated, kernel.name, kernel.line);
        if (!found) return found.as_failure();
        operation.time = found.value();
    } else {
        PlannedTime wanted{.origin = PlannedTime::Origin::Kernel,
                           .name = kernel.name,
                           .kernel = step.kernel,
                           .device = device.group,
                           .line = kernel.line};
        if (auto done = sizes(kernel.blocks, "'blocks' of kernel " + kernel.name, most_blocks,
                              kernel.line, wanted.blocks);
            !done)
            return done;
        if (auto done = sizes(kernel.threads, "'threads' of kernel " + kernel.name, most_threads,
                              kernel.line, wanted.threads);
            !done)
            return done;
        for (const auto& [name, expression] : kernel.values) {
            auto value = expression.value(values_);
            if (!value)
                return refuse(kernel.line, fmt::format("'{}' of kernel {}: {}", name, kernel.name,
                                                       value.error().what));
            wanted.values.emplace_back(name, std::move(value).value());
        }
        operation.time = time(std::move(wanted));
    }
    if (const auto& cost = application_.devices[device.group].launch) {
        const auto found = stated(*cost, "launch", application_.devices[device.group].line);
        if (!found) return found.as_failure();
        operation.extra = found.value();
    }
    return add_operation(operation, step);
}

Result<std::int64_t> Planner::bytes_of(const Step& step) const {
    const auto size = step.size->value(values_);
    if (!size) return refuse(step.line, "'bytes': " + size.error().what);
    const auto bytes = whole_below(size.value().hi);
    if (!bytes || size.value().lo != *bytes || size.value().hi != *bytes || *bytes > most_bytes)
        return refuse(step.line,
                      fmt::format("'bytes' is {}; expected a whole number of bytes up to 2^50",
                                  to_string(size.value().hi)));
    return *bytes;
}

Result<TimeRange> Planner::transfer_time(const LinkDirection& direction, std::int64_t bytes,
                                         const std::string& what, std::int64_t line) const {
    Range<Rational> time{};
    if (direction.start) {
        const auto start = direction.start->value(values_);
        if (!start) return refuse(line, "'start' of the link: " + start.error().what);
        time = start.value();
    }
    const auto width = direction.bandwidth->value(values_);
    if (!width) return refuse(line, what + ": " + width.error().what);
    if (width.value().lo <= 0) return refuse(line, what + " is 0; expected more");
    const Rational work = Rational{bytes} * 1'000'000'000;
    time.lo += work / width.value().hi;
    time.typical += work / width.value().typical;
    time.hi += work / width.value().lo;
    if (time.hi > std::int64_t{1'000'000'000'000'000'000})
        return refuse(line, "a transfer takes more than 10^18 ns");
    return rounded(time);
}

Result<void> Planner::add_copy(const Step& step, std::size_t rank) {
    const DeviceInstance& device = devices_[*placements_[rank].device];
    const DeviceGroup& group = application_.devices[device.group];
    const bool in = step.kind == StepKind::CopyToDevice;
    const auto bytes = bytes_of(step);
    if (!bytes) return bytes.as_failure();
    PlannedTime wanted{
        .name = step.name, .device = device.group, .bytes = bytes.value(), .is_to_device = in};
    const Link* const link = group.link ? &application_.links[*group.link] : nullptr;
    if (link != nullptr && link->directions[0].bandwidth) {
        const auto found = transfer_time(link->directions.at(in ? 0 : 1), bytes.value(),
                                         bandwidth_of_link, step.line);
        if (!found) return found.as_failure();
        wanted.time = found.value();
        wanted.basis = link->basis;
        wanted.source = link->source;
    } else {
        if (bytes.value() == 0)
            return refuse(step.line, "'bytes' is 0; a copy of 0 bytes has no described time");
        wanted.origin = PlannedTime::Origin::DescribedCopy;
    }
    wanted.line = step.line;
    return add_operation({.kind = in ? OperationKind::CopyToDevice : OperationKind::CopyToHost,
                          .rank = rank,
                          .server = device.links.at(in ? 0 : 1),
                          .time = time(std::move(wanted)),
                          .stream = stream(rank, step.stream),
                          .waits = step.waits,
                          .bytes = bytes.value()},
                         step);
}

Result<std::size_t> Planner::peer_of(const Step& step) const {
    const Expression first = Expression::constant(0);
    const auto rank = whole(step.peer_rank ? *step.peer_rank : first,
                            "'rank' of process " + application_.processes[step.peer].name, 0,
                            rank_counts_[step.peer] - 1, step.line);
    if (!rank) return rank.as_failure();
    return first_rank_[step.peer] + static_cast<std::size_t>(rank.value());
}

Result<void> Planner::add_send(const Step& step, std::size_t rank) {
    const auto peer = peer_of(step);
    if (!peer) return peer.as_failure();
    if (peer.value() == rank) return refuse(step.line, "a rank sends to itself");
    const auto bytes = bytes_of(step);
    if (!bytes) return bytes.as_failure();
    return add_message(step, rank, peer.value(), bytes.value(), step.waits);
}

Result<void> Planner::add_message(const Step& step, std::size_t rank, std::size_t peer,
                                  std::int64_t bytes, bool waits) {
    const std::size_t here = placements_[rank].node;
    const std::size_t there = placements_[peer].node;
    const std::size_t number = here == there && step.local_link ? *step.local_link : step.link;
    const Link& link = application_.links[number];
    const bool connects =
        link.scope == LinkScope::Cluster || (here == there) == (link.scope == LinkScope::Host);
    if (!connects)
        return refuse(step.line,
                      fmt::format("link '{}' connects \"{}\", but ranks '{}' and '{}' are {}",
                                  link.name, to_string(link.scope), plan_.ranks[rank].name,
                                  plan_.ranks[peer].name,
                                  here == there ? "in one host; expected local-link=\"NAME\" of a "
                                                  "link that connects \"host\""
                                                : "in two hosts"));
    const auto found = transfer_time(link.directions[0], bytes, bandwidth_of_link, step.line);
    if (!found) return found.as_failure();
    const bool is_pair = link.scope == LinkScope::Pair;
    const bool is_cluster = link.scope == LinkScope::Cluster;
    const std::size_t server =
        link_server(number, is_cluster ? 0 : std::min(here, there),
                    is_pair ? std::max(here, there) : 0, is_pair && here > there ? 1 : 0);
    return add_operation({.kind = OperationKind::Message,
                          .rank = rank,
                          .server = server,
                          .time = time({.name = step.name,
                                        .time = found.value(),
                                        .basis = link.basis,
                                        .source = link.source,
                                        .bytes = bytes,
                                        .line = step.line}),
                          .stream = message_stream,
                          .waits = waits,
                          .receiver = peer,
                          .bytes = bytes},
                         step);
}

Result<void> Planner::add_barrier(const Step& step, std::size_t rank) {
    Action action{.kind = Action::Kind::Barrier,
                  .index = step.among_all ? plan_.barriers.size() - 1 : plan_.ranks[rank].process,
                  .name = name(step.name),
                  .line = step.line};
    if (step.time) {
        const auto found = stated(*step.time, step.name, step.line);
        if (!found) return found.as_failure();
        action.time = found.value();
    }
    // The ranks of a barrier agree on its time: which of them is the last does not decide it.
    auto& seen = barrier_times_[action.index];
    const std::size_t number = barriers_passed_[{rank, action.index}]++;
    const TimeRange range = action.time ? plan_.times[*action.time].time.value() : TimeRange{};
    if (number == seen.size()) seen.push_back(range);
    if (number < seen.size() && seen[number] != range)
        return refuse(step.line, fmt::format("rank '{}' and another rank state different times for "
                                             "barrier '{}'",
                                             plan_.ranks[rank].name, step.name));
    plan_.ranks[rank].actions.push_back(action);
    return boost::outcome_v2::success();
}

} // namespace warpbound::models::application
