#include "models/application/application_file.hpp"

#include "models/application/application_reader.hpp"
#include "models/time/clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models::application {

namespace {

constexpr std::size_t most_declared = 256;

} // namespace

Result<void> ApplicationReader::parameter(const XmlElement& element) {
    if (auto known = check_attributes(source_, element, {"name", "value"}); !known) return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    std::size_t end = 0;
    const auto as_expression = Expression::read(name.value(), end);
    const bool is_name = as_expression && end == name.value().size() &&
                         as_expression.value().names() == std::vector{name.value()};
    if (!is_name || name.value() == "rank" || name.value() == "ranks")
        return refuse(element, fmt::format("'{}' cannot be the name of a parameter; expected "
                                           "letters, digits and _, not \"rank\" or \"ranks\"",
                                           name.value()));
    const auto value = expression(element, "value");
    if (!value) return value.as_failure();
    if (!value.value().names().empty())
        return refuse(element, "'value' of a parameter is a number; expected one, such as 4e8");
    const auto number = value.value().value({});
    if (!number) return refuse(element, "'value': " + number.error().what);
    application_.parameters.push_back({name.value(), number.value()});
    variables_.push_back(name.value());
    return check_no_children(source_, element);
}

Result<void> ApplicationReader::host(const XmlElement& element) {
    if (auto known = check_attributes(source_, element, {"name", "cores"}, {"count"}); !known)
        return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    auto count = expression(element, "count", 1);
    if (!count) return count.as_failure();
    auto cores = expression(element, "cores");
    if (!cores) return cores.as_failure();
    application_.hosts.push_back(
        {name.value(), std::move(count).value(), std::move(cores).value(), element.line});
    return check_no_children(source_, element);
}

Result<void> ApplicationReader::link(const XmlElement& element) {
    if (auto known = check_attributes(
            source_, element, {"name", "connects"},
            {"duplex", "start", "bandwidth", "back-start", "back-bandwidth", "basis", "source"});
        !known)
        return known;
    Link link{.name = {}, .line = element.line};
    auto name = new_name(element);
    if (!name) return name.as_failure();
    link.name = name.value();
    const auto scope = word(element, "connects", {"device", "host", "pair", "cluster"}, 0);
    if (!scope) return scope.as_failure();
    link.scope = static_cast<LinkScope>(scope.value());
    const auto duplex = word(element, "duplex", {"half", "full"}, 0);
    if (!duplex) return duplex.as_failure();
    link.is_full_duplex = duplex.value() == 1;
    if (link.is_full_duplex && link.scope == LinkScope::Cluster)
        return refuse(element, "a link of all hosts has no two directions; expected "
                               "duplex=\"half\", or connects=\"pair\"");
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string prefix = i == 0 ? "" : "back-";
        if (element.find(prefix + "start") != nullptr) {
            auto start = quantity(element, prefix + "start", time_units);
            if (!start) return start.as_failure();
            link.directions.at(i).start = std::move(start).value();
        }
        if (element.find(prefix + "bandwidth") != nullptr) {
            auto bandwidth = quantity(element, prefix + "bandwidth", rate_units);
            if (!bandwidth) return bandwidth.as_failure();
            link.directions.at(i).bandwidth = std::move(bandwidth).value();
        }
    }
    const bool is_of_devices = link.scope == LinkScope::Device || link.scope == LinkScope::Host;
    if (!link.directions[0].bandwidth && !is_of_devices)
        return refuse(element, "'bandwidth' is missing; expected one, such as \"10GB/s\"");
    if (!link.directions[0].bandwidth && link.directions[0].start)
        return refuse(element, "'start' without 'bandwidth'; expected both, or neither where the "
                               "description of the device has them");
    auto& back = link.directions[1];
    if (back.start && !back.bandwidth)
        return refuse(element, "'back-start' without 'back-bandwidth'; expected both");
    if (!is_of_devices && back.bandwidth)
        return refuse(element, "'back-bandwidth' has no effect: messages take the same time in "
                               "both directions");
    if (!back.bandwidth) back = link.directions[0];
    auto claimed = basis(element);
    if (!claimed) return claimed.as_failure();
    link.basis = claimed.value().first;
    link.source = claimed.value().second;
    application_.links.push_back(std::move(link));
    return check_no_children(source_, element);
}

Result<void> ApplicationReader::device_link(const XmlElement& element, DeviceGroup& device) {
    if (element.find("link") == nullptr) {
        if (device.machine.empty())
            return refuse(element, "neither 'machine' nor 'link' is stated: copies have no time; "
                                   "expected machine=\"maxwell-gtx970\" or link=\"NAME\"");
        return boost::outcome_v2::success();
    }
    const auto link = number_of(element, "link", application_.links);
    if (!link) return link.as_failure();
    const Link& used = application_.links[link.value()];
    if (used.scope != LinkScope::Device && used.scope != LinkScope::Host)
        return refuse(element, fmt::format("link '{}' connects \"{}\"; expected one that connects "
                                           "\"device\" or \"host\"",
                                           used.name, to_string(used.scope)));
    if (!used.directions[0].bandwidth && device.machine.empty())
        return refuse(element, fmt::format("link '{}' has no 'bandwidth' and the device no "
                                           "'machine' that describes one",
                                           used.name));
    device.link = link.value();
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::device(const XmlElement& element) {
    if (auto known =
            check_attributes(source_, element, {"name", "host"},
                             {"count", "machine", "clock", "link", "launch", "basis", "source"});
        !known)
        return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    const auto host = number_of(element, "host", application_.hosts);
    if (!host) return host.as_failure();
    auto count = expression(element, "count", 1);
    if (!count) return count.as_failure();
    DeviceGroup device{.name = name.value(),
                       .host = host.value(),
                       .count = std::move(count).value(),
                       .machine = text_or_empty(element, "machine"),
                       .clock = text_or_empty(element, "clock"),
                       .line = element.line};
    if (!device.clock.empty())
        if (const auto clock = parse_clock(device.clock); !clock)
            return refuse(element, "'clock': " + clock.error().what);
    if (element.find("launch") != nullptr) {
        auto time = stated_time(element, "launch");
        if (!time) return time.as_failure();
        device.launch = std::move(time).value();
    } else if (element.find("basis") != nullptr || element.find("source") != nullptr) {
        return refuse(element, "'basis' and 'source' are those of 'launch', which is missing");
    }
    if (auto done = device_link(element, device); !done) return done;
    application_.devices.push_back(std::move(device));
    return check_no_children(source_, element);
}

Result<void> ApplicationReader::element(const XmlElement& element) {
    if (element.name == "parameter") return parameter(element);
    if (element.name == "host") return host(element);
    if (element.name == "link") return link(element);
    if (element.name == "device") return device(element);
    if (element.name == "kernel") return kernel(element);
    if (element.name == "process")
        return boost::outcome_v2::success(); // Declared before, read behind the others.
    return refuse(element, fmt::format("unknown element <{}>; expected <parameter>, <host>, "
                                       "<link>, <device>, <kernel> or <process>",
                                       element.name));
}

Result<Application> ApplicationReader::read(const XmlElement& root) {
    if (const auto known = check_attributes(source_, root, {}, {"deadline"}); !known)
        return known.as_failure();
    if (root.children.size() > most_declared)
        return refuse(root, fmt::format("more than {} elements in <application>", most_declared));
    for (const XmlElement& child : root.children)
        if (const auto done = element(child); !done) return done.as_failure();
    for (const XmlElement& child : root.children)
        if (child.name == "process")
            if (const auto done = declare_process(child); !done) return done.as_failure();
    if (application_.processes.empty())
        return refuse(root, "<application> without a <process>; expected one at least");
    std::size_t at = 0;
    for (const XmlElement& child : root.children)
        if (child.name == "process")
            if (const auto done = process(child, application_.processes[at++]); !done)
                return done.as_failure();
    if (root.find("deadline") != nullptr) { // Behind the parameters that it may use.
        auto deadline = quantity(root, "deadline", time_units);
        if (!deadline) return deadline.as_failure();
        application_.deadline = std::move(deadline).value();
    }
    application_.name = source_.name;
    application_.digest = assembly::digest_of(source_.text);
    return std::move(application_);
}

Result<Application> read_application(const assembly::SourceText& source) {
    const auto root = read_xml(source, "application");
    if (!root) return root.as_failure();
    return ApplicationReader{source}.read(root.value());
}

} // namespace warpbound::models::application
