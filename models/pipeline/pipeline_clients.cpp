#include "models/pipeline/pipelines_reader.hpp"

#include <fmt/format.h>

namespace warpbound::models {

namespace {

constexpr std::size_t most_clients = 64;
constexpr std::size_t most_operations = 64; ///< Of a client.

} // namespace

Result<void> PipelinesReader::client_operation(const XmlElement& element,
                                               BestEffortClient& client) {
    const bool is_copy = element.name == "copy";
    if (auto known =
            is_copy
                ? check_attributes(read_.source(), element, {"direction", "at-most"}, {"distance"})
                : check_attributes(read_.source(), element, {"partition", "at-most"}, {"distance"});
        !known)
        return known;
    ClientOperation operation;
    if (is_copy) {
        const auto direction = direction_of(element);
        if (!direction) return direction.as_failure();
        operation.server = direction.value().second;
    } else {
        const auto partition = partition_of(element);
        if (!partition) return partition.as_failure();
        operation.server = partition.value();
    }
    const auto longest = read_.time(element, "at-most");
    if (!longest) return longest.as_failure();
    operation.longest = longest.value();
    if (element.find("distance") != nullptr) {
        const auto distance = read_.time(element, "distance");
        if (!distance) return distance.as_failure();
        if (distance.value() == Nanoseconds{0})
            return read_.refuse(element, "'distance' is 0; expected more");
        operation.distance = distance.value();
    }
    client.operations.push_back(operation);
    return boost::outcome_v2::success();
}

Result<void> PipelinesReader::client_traffic(const XmlElement& element, BestEffortClient& client) {
    if (auto known = check_attributes(read_.source(), element, {"level", "burst", "rate"}); !known)
        return known;
    const auto level =
        read_.word(element, "level", {shared_memories.begin(), shared_memories.end()}, 0);
    if (!level) return level.as_failure();
    const auto burst = read_.bytes(element, "burst");
    if (!burst) return burst.as_failure();
    const auto rate = read_.rate(element, "rate");
    if (!rate) return rate.as_failure();
    auto& known = client.traffic.at(level.value());
    if (known)
        return read_.refuse(element, fmt::format("a second <traffic level=\"{}\">",
                                                 shared_memories.at(level.value())));
    known = TrafficBudget{burst.value(), rate.value()};
    return boost::outcome_v2::success();
}

Result<void> PipelinesReader::client(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"name"}); !known) return known;
    if (system_.clients.size() == most_clients)
        return read_.refuse(element, fmt::format("more than {} clients", most_clients));
    BestEffortClient client;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    client.name = name.value();
    for (const XmlElement& child : element.children) {
        if (child.name != "kernel" && child.name != "copy" && child.name != "traffic")
            return read_.refuse(child, fmt::format("unknown element <{}>; expected <kernel>, "
                                                   "<copy> or <traffic>",
                                                   child.name));
        if (client.operations.size() == most_operations)
            return read_.refuse(child, fmt::format("more than {} operations", most_operations));
        if (auto done = child.name == "traffic" ? client_traffic(child, client)
                                                : client_operation(child, client);
            !done)
            return done;
        if (auto leaf = check_no_children(read_.source(), child); !leaf) return leaf;
    }
    system_.clients.push_back(std::move(client));
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
