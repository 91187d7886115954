#include "models/application/application_reader.hpp"

#include <fmt/format.h>

namespace warpbound::models::application {

/// Names first: messages name processes that stand later.
Result<void> ApplicationReader::declare_process(const XmlElement& element) {
    if (auto known = check_attributes(source_, element, {"name", "host"},
                                      {"ranks", "node", "device", "index"});
        !known)
        return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    auto ranks = expression(element, "ranks", 1);
    if (!ranks) return ranks.as_failure();
    application_.processes.push_back(
        {.name = name.value(), .ranks = std::move(ranks).value(), .line = element.line});
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::placement(const XmlElement& element, Process& process) {
    const auto host = number_of(element, "host", application_.hosts);
    if (!host) return host.as_failure();
    process.host = host.value();
    auto node = optional_expression(element, "node");
    if (!node) return node.as_failure();
    process.node = std::move(node).value();
    auto index = optional_expression(element, "index");
    if (!index) return index.as_failure();
    process.index = std::move(index).value();
    if (element.find("device") == nullptr) {
        if (process.index)
            return refuse(element, "'index' is that of a 'device', which is missing");
        return boost::outcome_v2::success();
    }
    const auto device = number_of(element, "device", application_.devices);
    if (!device) return device.as_failure();
    process.device = device.value();
    if (application_.devices[device.value()].host != process.host)
        return refuse(
            element, fmt::format("device '{}' is in host '{}'; expected a device of host '{}'",
                                 application_.devices[device.value()].name,
                                 application_.hosts[application_.devices[device.value()].host].name,
                                 application_.hosts[process.host].name));
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::process(const XmlElement& element, Process& process) {
    variables_.insert(variables_.end(), {"rank", "ranks"});
    if (auto done = placement(element, process); !done) return done;
    auto read = steps(element, process);
    if (!read) return read.as_failure();
    process.steps = std::move(read).value();
    variables_.resize(variables_.size() - 2);
    return boost::outcome_v2::success();
}

Result<std::vector<Step>> ApplicationReader::steps(const XmlElement& element,
                                                   const Process& process) {
    if (element.children.empty())
        return refuse(element,
                      fmt::format("<{}> without steps; expected one at least", element.name));
    std::vector<Step> all;
    for (const XmlElement& child : element.children) {
        auto one = step(child, process);
        if (!one) return one.as_failure();
        all.push_back(std::move(one).value());
    }
    return all;
}

Result<Step> ApplicationReader::step(const XmlElement& element, const Process& process) {
    Step step{.line = element.line};
    auto when = optional_expression(element, "when");
    if (!when) return when.as_failure();
    step.when = std::move(when).value();
    Result<void> done = boost::outcome_v2::success();
    if (element.name == "compute")
        done = computation(element, step);
    else if (element.name == "launch")
        done = launch(element, process, step);
    else if (element.name == "copy")
        done = copy(element, process, step);
    else if (element.name == "send" || element.name == "receive")
        done = message(element, step);
    else if (element.name == "wait")
        done = wait(element, step);
    else if (element.name == "barrier")
        done = barrier(element, step);
    else if (element.name == "broadcast" || element.name == "reduce" || element.name == "allreduce")
        done = collective(element, step);
    else if (element.name == "loop")
        done = loop(element, process, step);
    else
        done = refuse(element, fmt::format("unknown step <{}>; expected <compute>, <launch>, "
                                           "<copy>, <send>, <receive>, <wait>, <barrier>, "
                                           "<broadcast>, <reduce>, <allreduce> or <loop>",
                                           element.name));
    if (!done) return done.as_failure();
    if (step.kind != StepKind::Loop)
        if (const auto none = check_no_children(source_, element); !none) return none.as_failure();
    return step;
}

Result<void> ApplicationReader::stream(const XmlElement& element, Step& step) {
    step.stream = text_or_empty(element, "stream");
    const auto waits = word(element, "wait", {"no", "yes"}, 1);
    if (!waits) return waits.as_failure();
    step.waits = waits.value() == 1;
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::computation(const XmlElement& element, Step& step) {
    step.kind = StepKind::Computation;
    if (auto known =
            check_attributes(source_, element, {"time"}, {"name", "when", "basis", "source"});
        !known)
        return known;
    step.name = text_or_empty(element, "name");
    if (step.name.empty()) step.name = "compute";
    auto time = stated_time(element, "time");
    if (!time) return time.as_failure();
    step.time = std::move(time).value();
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::launch(const XmlElement& element, const Process& process,
                                       Step& step) {
    step.kind = StepKind::Launch;
    if (auto known = check_attributes(source_, element, {"kernel"}, {"when", "stream", "wait"});
        !known)
        return known;
    if (!process.device)
        return refuse(element, fmt::format("process '{}' has no device; expected device=\"NAME\" "
                                           "on its <process>",
                                           process.name));
    const auto kernel = number_of(element, "kernel", application_.kernels);
    if (!kernel) return kernel.as_failure();
    step.kernel = kernel.value();
    step.name = application_.kernels[step.kernel].name;
    return stream(element, step);
}

Result<void> ApplicationReader::copy(const XmlElement& element, const Process& process,
                                     Step& step) {
    if (auto known = check_attributes(source_, element, {"direction", "bytes"},
                                      {"name", "when", "stream", "wait"});
        !known)
        return known;
    if (!process.device)
        return refuse(element, fmt::format("process '{}' has no device; expected device=\"NAME\" "
                                           "on its <process>",
                                           process.name));
    const auto direction = word(element, "direction", {"host-to-device", "device-to-host"}, 0);
    if (!direction) return direction.as_failure();
    step.kind = direction.value() == 0 ? StepKind::CopyToDevice : StepKind::CopyToHost;
    step.name = text_or_empty(element, "name");
    if (step.name.empty()) step.name = *element.find("direction");
    auto size = quantity(element, "bytes", size_units);
    if (!size) return size.as_failure();
    step.size = std::move(size).value();
    return stream(element, step);
}

/// 'link' and 'local-link' of messages.
Result<void> ApplicationReader::links(const XmlElement& element, Step& step) {
    const auto link = number_of(element, "link", application_.links);
    if (!link) return link.as_failure();
    step.link = link.value();
    if (element.find("local-link") != nullptr) {
        const auto local = number_of(element, "local-link", application_.links);
        if (!local) return local.as_failure();
        step.local_link = local.value();
    }
    for (const std::size_t used : {step.link, step.local_link.value_or(step.link)})
        if (application_.links[used].scope == LinkScope::Device ||
            !application_.links[used].directions[0].bandwidth)
            return refuse(element, fmt::format("link '{}' carries no messages; expected one with a "
                                               "'bandwidth' that connects \"host\", \"pair\" or "
                                               "\"cluster\"",
                                               application_.links[used].name));
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::message(const XmlElement& element, Step& step) {
    const bool is_send = element.name == "send";
    step.kind = is_send ? StepKind::Send : StepKind::Receive;
    if (auto known = is_send ? check_attributes(source_, element, {"to", "bytes", "link"},
                                                {"rank", "local-link", "name", "when", "wait"})
                             : check_attributes(source_, element, {"from"}, {"rank", "when"});
        !known)
        return known;
    const auto peer = number_of(element, is_send ? "to" : "from", application_.processes);
    if (!peer) return peer.as_failure();
    step.peer = peer.value();
    auto rank = optional_expression(element, "rank");
    if (!rank) return rank.as_failure();
    step.peer_rank = std::move(rank).value();
    step.name = text_or_empty(element, "name");
    if (step.name.empty())
        step.name =
            fmt::format("{} {}", is_send ? "to" : "from", application_.processes[step.peer].name);
    if (!is_send) return boost::outcome_v2::success();
    auto size = quantity(element, "bytes", size_units);
    if (!size) return size.as_failure();
    step.size = std::move(size).value();
    if (auto done = links(element, step); !done) return done;
    const auto waits = word(element, "wait", {"no", "yes"}, 1);
    if (!waits) return waits.as_failure();
    step.waits = waits.value() == 1;
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::wait(const XmlElement& element, Step& step) {
    step.kind = StepKind::Wait;
    step.name = "wait";
    if (auto known = check_attributes(source_, element, {}, {"when", "stream"}); !known)
        return known;
    step.among_all = element.find("stream") == nullptr;
    step.stream = text_or_empty(element, "stream");
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::barrier(const XmlElement& element, Step& step) {
    step.kind = StepKind::Barrier;
    if (auto known = check_attributes(
            source_, element, {},
            {"name", "when", "among", "time", "basis", "source", "link", "local-link"});
        !known)
        return known;
    if (auto done = group(element, step); !done) return done;
    const bool has_time = element.find("time") != nullptr;
    if (element.find("link") != nullptr) {
        if (has_time)
            return refuse(element, "'time' and 'link'; expected one of them: the time behind the "
                                   "last arrival, or the link of its messages");
        step.kind = StepKind::Collective;
        step.collective = Collective::Barrier;
        return links(element, step);
    }
    if (element.find("local-link") != nullptr)
        return refuse(element, "'local-link' without 'link'; expected both");
    if (!has_time) return boost::outcome_v2::success();
    auto time = stated_time(element, "time");
    if (!time) return time.as_failure();
    step.time = std::move(time).value();
    return boost::outcome_v2::success();
}

/// 'name' and 'among'.
Result<void> ApplicationReader::group(const XmlElement& element, Step& step) {
    step.name = text_or_empty(element, "name");
    if (step.name.empty()) step.name = element.name;
    const auto among = word(element, "among", {"process", "all"}, 0);
    if (!among) return among.as_failure();
    step.among_all = among.value() == 1;
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::collective(const XmlElement& element, Step& step) {
    step.kind = StepKind::Collective;
    const bool combines = element.name != "broadcast";
    const bool has_root = element.name != "allreduce";
    const std::string_view own = has_root ? "root" : "algorithm";
    auto known =
        combines ? check_attributes(source_, element, {"bytes", "link", "combine"},
                                    {own, "name", "when", "among", "local-link", "basis", "source"})
                 : check_attributes(source_, element, {"bytes", "link"},
                                    {own, "name", "when", "among", "local-link"});
    if (!known) return known;
    if (auto done = group(element, step); !done) return done;
    auto size = quantity(element, "bytes", size_units);
    if (!size) return size.as_failure();
    step.size = std::move(size).value();
    auto root = optional_expression(element, "root");
    if (!root) return root.as_failure();
    step.peer_rank = std::move(root).value();
    for (const auto& names : {step.size->names(), step.peer_rank ? step.peer_rank->names()
                                                                 : std::vector<std::string>{}})
        for (const std::string& name : names)
            if (name == "rank" || (name == "ranks" && step.among_all))
                return refuse(element, fmt::format("'{}' differs between ranks; expected the same "
                                                   "'bytes' and 'root' in all of them",
                                                   name));
    const auto algorithm = word(element, "algorithm", {"recursive-doubling", "ring"}, 0);
    if (!algorithm) return algorithm.as_failure();
    step.collective = !combines                ? Collective::Broadcast
                      : has_root               ? Collective::Reduce
                      : algorithm.value() == 0 ? Collective::AllReduce
                                               : Collective::RingAllReduce;
    if (auto done = links(element, step); !done || !combines) return done;
    auto rate = quantity(element, "combine", rate_units);
    if (!rate) return rate.as_failure();
    step.combine = std::move(rate).value();
    auto claimed = basis(element);
    if (!claimed) return claimed.as_failure();
    step.basis = claimed.value().first;
    step.source = std::move(claimed.value().second);
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::loop(const XmlElement& element, const Process& process,
                                     Step& step) {
    step.kind = StepKind::Loop;
    if (auto known = check_attributes(source_, element, {"count"}, {"variable", "when"}); !known)
        return known;
    auto count = expression(element, "count");
    if (!count) return count.as_failure();
    step.count = std::move(count).value();
    step.variable = text_or_empty(element, "variable");
    if (!step.variable.empty()) {
        const auto read = Expression::parse(step.variable);
        if (!read || read.value().names() != std::vector{step.variable})
            return refuse(element, fmt::format("'variable' is \"{}\"; expected letters, digits and "
                                               "_",
                                               step.variable));
        for (const std::string& used : variables_)
            if (used == step.variable)
                return refuse(element, fmt::format("'{}' has a value already; expected another "
                                                   "variable",
                                                   step.variable));
        variables_.push_back(step.variable);
    }
    auto body = steps(element, process);
    if (!body) return body.as_failure();
    step.body = std::move(body).value();
    if (!step.variable.empty()) variables_.pop_back();
    return boost::outcome_v2::success();
}

} // namespace warpbound::models::application
