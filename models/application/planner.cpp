#include "models/application/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::models::application {

namespace {

constexpr std::int64_t most_hosts = 1024;
constexpr std::int64_t most_ranks = 4096;
constexpr std::int64_t most_cores = 4096;
constexpr std::int64_t most_devices = 64; ///< Of a host.

} // namespace

Result<std::int64_t> Planner::whole(const Expression& expression, const std::string& what,
                                    std::int64_t least, std::int64_t most,
                                    std::int64_t line) const {
    const auto value = expression.value(values_);
    if (!value) return refuse(line, what + ": " + value.error().what);
    const auto number = whole_below(value.value());
    if (!number || value.value() != *number || *number < least || *number > most)
        return refuse(line, fmt::format("{} is {}; expected a whole number from {} to {}", what,
                                        to_string(value.value()), least, most));
    return *number;
}

std::size_t Planner::server(std::string name, ServerKind kind, std::int64_t capacity) {
    plan_.servers.push_back({std::move(name), kind, capacity});
    return plan_.servers.size() - 1;
}

/// `direction`: 0 or 1; a half-duplex link has one server for both. `first`, `second`: nodes or
/// device instances, by the scope of the link.
std::size_t Planner::link_server(std::size_t link, std::size_t first, std::size_t second,
                                 std::size_t direction) {
    const Link& of = application_.links[link];
    if (!of.is_full_duplex) direction = 0;
    const auto [at, is_new] =
        link_servers_.try_emplace(std::tuple{link, first, second, direction}, 0);
    if (!is_new) return at->second;
    std::string text = of.name;
    if (of.scope == LinkScope::Device)
        text += " of " + plan_.servers[devices_[first].server].name;
    else if (of.scope == LinkScope::Host)
        text += " of " + node_names_[first];
    else if (of.scope == LinkScope::Pair)
        text += fmt::format(" {} - {}", node_names_[first], node_names_[second]);
    if (of.is_full_duplex) {
        const bool of_device = of.scope == LinkScope::Device || of.scope == LinkScope::Host;
        text += direction == 0 ? (of_device ? ", in" : ", up") : (of_device ? ", out" : ", down");
    }
    at->second = server(std::move(text), ServerKind::Link, 1);
    return at->second;
}

Result<void> Planner::deadline() {
    if (!application_.deadline) return boost::outcome_v2::success();
    const auto value = application_.deadline->value(values_);
    if (!value) return Failure{"'deadline': " + value.error().what, application_.name};
    const TimeRange range = rounded(value.value());
    if (value.value().lo != value.value().hi || range.lo == Nanoseconds{0})
        return Failure{"'deadline' is one time above 0, such as \"40ms\"", application_.name};
    plan_.deadline = range.lo;
    return boost::outcome_v2::success();
}

Result<void> Planner::hosts() {
    for (const HostGroup& group : application_.hosts) {
        const auto count =
            whole(group.count, "'count' of host " + group.name, 1, most_hosts, group.line);
        if (!count) return count.as_failure();
        const auto cores =
            whole(group.cores, "'cores' of host " + group.name, 1, most_cores, group.line);
        if (!cores) return cores.as_failure();
        host_counts_.push_back(count.value());
        first_node_.push_back(node_names_.size());
        for (std::int64_t i = 0; i < count.value(); ++i) {
            node_names_.push_back(count.value() == 1 ? group.name
                                                     : fmt::format("{} {}", group.name, i));
            server("cores of " + node_names_.back(), ServerKind::Cores, cores.value());
        }
    }
    return boost::outcome_v2::success();
}

Result<void> Planner::devices() {
    for (std::size_t g = 0; g < application_.devices.size(); ++g) {
        const DeviceGroup& group = application_.devices[g];
        const auto count =
            whole(group.count, "'count' of device " + group.name, 1, most_devices, group.line);
        if (!count) return count.as_failure();
        for (std::int64_t n = 0; n < host_counts_[group.host]; ++n) {
            const std::size_t node = first_node_[group.host] + static_cast<std::size_t>(n);
            for (std::int64_t i = 0; i < count.value(); ++i) {
                std::string text = group.name;
                if (count.value() > 1) text += fmt::format(" {}", i);
                if (host_counts_[group.host] > 1) text += " of " + node_names_[node];
                const std::size_t number = devices_.size();
                devices_.push_back({server(text, ServerKind::Device, 1), g, {}});
                devices_in_[{g, node}].push_back(number);
                for (std::size_t d = 0; d < 2; ++d) {
                    auto& link = devices_.back().links.at(d);
                    if (!group.link) {
                        link = server(fmt::format("link of {}, {}", text, d == 0 ? "in" : "out"),
                                      ServerKind::Link, 1);
                        continue;
                    }
                    const bool own = application_.links[*group.link].scope == LinkScope::Device;
                    link = link_server(*group.link, own ? number : node, 0, d);
                }
            }
        }
    }
    return boost::outcome_v2::success();
}

Result<Planner::Placement> Planner::place(const Process& process, std::size_t rank,
                                          std::map<std::size_t, std::size_t>& used) {
    const std::int64_t hosts = host_counts_[process.host];
    const auto ranks = static_cast<std::size_t>(whole_below(values_.at("ranks")).value());
    std::int64_t node = static_cast<std::int64_t>(rank * static_cast<std::size_t>(hosts) / ranks);
    if (process.node) {
        const auto stated =
            whole(*process.node, "'node' of process " + process.name, 0, hosts - 1, process.line);
        if (!stated) return stated.as_failure();
        node = stated.value();
    }
    Placement placement{first_node_[process.host] + static_cast<std::size_t>(node), {}};
    if (!process.device) return placement;
    const auto& there = devices_in_.at({*process.device, placement.node});
    std::size_t index = used[placement.node]++ % there.size();
    if (process.index) {
        const auto stated = whole(*process.index, "'index' of process " + process.name, 0,
                                  static_cast<std::int64_t>(there.size()) - 1, process.line);
        if (!stated) return stated.as_failure();
        index = static_cast<std::size_t>(stated.value());
    }
    placement.device = there[index];
    return placement;
}

Result<void> Planner::ranks() {
    for (std::size_t p = 0; p < application_.processes.size(); ++p) {
        const Process& process = application_.processes[p];
        const auto count =
            whole(process.ranks, "'ranks' of process " + process.name, 1, most_ranks, process.line);
        if (!count) return count.as_failure();
        first_rank_.push_back(plan_.ranks.size());
        rank_counts_.push_back(count.value());
        plan_.barriers.push_back(static_cast<std::size_t>(count.value()));
        values_["ranks"] = count.value();
        std::map<std::size_t, std::size_t> used;
        for (std::int64_t r = 0; r < count.value(); ++r) {
            values_["rank"] = r;
            const auto placement = place(process, static_cast<std::size_t>(r), used);
            if (!placement) return placement.as_failure();
            placements_.push_back(placement.value());
            plan_.ranks.push_back(
                {count.value() == 1 ? process.name : fmt::format("{} {}", process.name, r),
                 p,
                 2,
                 {}});
        }
    }
    plan_.barriers.push_back(plan_.ranks.size());
    streams_.resize(plan_.ranks.size());
    return boost::outcome_v2::success();
}

Result<Plan> Planner::plan() {
    for (const Parameter& parameter : application_.parameters)
        values_[parameter.name] = parameter.value;
    plan_.parameters = values_;
    if (auto done = deadline(); !done) return done.as_failure();
    if (auto done = hosts(); !done) return done.as_failure();
    if (auto done = devices(); !done) return done.as_failure();
    if (auto done = ranks(); !done) return done.as_failure();
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
        const std::size_t process = plan_.ranks[rank].process;
        values_["ranks"] = rank_counts_[process];
        values_["rank"] = rank - first_rank_[process];
        if (auto done = unroll(application_.processes[process].steps, rank); !done)
            return done.as_failure();
    }
    return std::move(plan_);
}

Result<Plan> plan_of(const Application& application) {
    return Planner{application}.plan();
}

} // namespace warpbound::models::application
