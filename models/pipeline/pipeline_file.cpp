#include "models/pipeline/pipeline_file.hpp"

#include "models/pipeline/pipelines_reader.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::models {

namespace {

constexpr std::size_t most_pipelines = 64;

} // namespace

Result<std::string> PipelinesReader::new_name(const XmlElement& element) {
    auto name = read_.text(element, "name");
    if (!name) return name;
    if (!names_.insert(name.value()).second)
        return read_.refuse(element,
                            fmt::format("a second '{}'; expected names that differ", name.value()));
    return name;
}

Result<void> PipelinesReader::memory(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"level", "bandwidth"}); !known)
        return known;
    const auto level =
        read_.word(element, "level", {shared_memories.begin(), shared_memories.end()}, 0);
    if (!level) return level.as_failure();
    const auto bandwidth = read_.rate(element, "bandwidth");
    if (!bandwidth) return bandwidth.as_failure();
    if (bandwidth.value() == 0) return read_.refuse(element, "'bandwidth' is 0; expected more");
    auto& known = system_.memory.bandwidth.at(level.value());
    if (known)
        return read_.refuse(element, fmt::format("a second <memory level=\"{}\">",
                                                 shared_memories.at(level.value())));
    known = bandwidth.value();
    return check_no_children(read_.source(), element);
}

Result<void> PipelinesReader::partition(const XmlElement& element) {
    if (auto known =
            check_attributes(read_.source(), element, {"name", "multiprocessors"}, {"order"});
        !known)
        return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    const auto sms = integer_attribute(read_.source(), element, "multiprocessors", 1, 4096);
    if (!sms) return sms.as_failure();
    const auto order = read_.word(element, "order", {"any", "fifo", "priority"}, 0);
    if (!order) return order.as_failure();
    system_.servers.push_back({name.value(), static_cast<ServerOrder>(order.value()), sms.value()});
    return check_no_children(read_.source(), element);
}

Result<void> PipelinesReader::device(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"copy-engines"},
                                      {"copy-order", "memory-interference", "l2-lines"});
        !known)
        return known;
    if (copy_engines_ > 0) return read_.refuse(element, "a second <device>; expected one");
    const auto engines = integer_attribute(read_.source(), element, "copy-engines", 1, 2);
    if (!engines) return engines.as_failure();
    copy_engines_ = static_cast<std::size_t>(engines.value());
    const auto order = read_.word(element, "copy-order", {"any", "fifo", "priority"}, 0);
    if (!order) return order.as_failure();
    const auto none = read_.word(element, "memory-interference", {"by-budget", "none"}, 0);
    if (!none) return none.as_failure();
    system_.memory.is_excluded = none.value() == 1;
    const auto kept = read_.word(element, "l2-lines", {"evicted", "kept"}, 0);
    if (!kept) return kept.as_failure();
    system_.memory.keeps_lines = kept.value() == 1;
    const auto copy_order = static_cast<ServerOrder>(order.value());
    if (copy_engines_ == 1)
        system_.servers.push_back({"copy engine", copy_order});
    else
        for (const char* name : {"host-to-device engine", "device-to-host engine"})
            system_.servers.push_back({name, copy_order});
    for (const XmlElement& child : element.children) {
        if (child.name != "memory" && child.name != "partition")
            return read_.refuse(child, fmt::format("unknown element <{}>; expected <memory> or "
                                                   "<partition>",
                                                   child.name));
        if (auto done = child.name == "memory" ? memory(child) : partition(child); !done)
            return done;
    }
    if (system_.servers.size() == copy_engines_)
        return read_.refuse(element, "a <device> without a <partition>; expected one at least, for "
                                     "example <partition name=\"all\" multiprocessors=\"40\"/>");
    return boost::outcome_v2::success();
}

Result<std::size_t> PipelinesReader::partition_of(const XmlElement& element) const {
    const std::string& name = *element.find("partition");
    std::vector<std::string_view> known;
    for (std::size_t i = copy_engines_; i < system_.servers.size(); ++i) {
        if (system_.servers[i].name == name) return i;
        known.emplace_back(system_.servers[i].name);
    }
    return read_.refuse(
        element, fmt::format("there is no partition '{}'; expected {}", name, one_of(known)));
}

Result<std::pair<StageKind, std::size_t>>
PipelinesReader::direction_of(const XmlElement& element) const {
    const auto direction =
        read_.word(element, "direction", {"host-to-device", "device-to-host"}, 0);
    if (!direction) return direction.as_failure();
    return std::pair{direction.value() == 0 ? StageKind::CopyToDevice : StageKind::CopyToHost,
                     copy_engines_ == 1 ? 0 : direction.value()};
}

Result<void> PipelinesReader::releases(const XmlElement& element, Pipeline& pipeline) {
    const bool periodic = element.find("period") != nullptr;
    if (periodic == (element.find("distance") != nullptr))
        return read_.refuse(element, "a <pipeline> has either a 'period' or, when its jobs come at "
                                     "any distance above a least one, a 'distance'");
    pipeline.is_periodic = periodic;
    const std::string_view name = periodic ? "period" : "distance";
    const auto distance = read_.time(element, name);
    if (!distance) return distance.as_failure();
    if (distance.value() == Nanoseconds{0})
        return read_.refuse(element, fmt::format("'{}' is 0; expected more", name));
    pipeline.distance = distance.value();
    if (element.find("jitter") == nullptr) return boost::outcome_v2::success();
    const auto jitter = read_.time(element, "jitter");
    if (!jitter) return jitter.as_failure();
    pipeline.jitter = jitter.value();
    return boost::outcome_v2::success();
}

Result<void> PipelinesReader::requirement(const XmlElement& element, Pipeline& pipeline) {
    const bool has_deadline = element.find("deadline") != nullptr;
    const auto soft = read_.word(element, "criticality", {"hard", "soft"}, 0);
    if (!soft) return soft.as_failure();
    pipeline.is_soft = soft.value() == 1;
    if (element.find("criticality") != nullptr && !has_deadline)
        return read_.refuse(element, "'criticality' is that of a 'deadline', which is missing");
    const std::string* const rate = element.find("tolerated-miss-rate");
    if (rate != nullptr) {
        if (!pipeline.is_soft)
            return read_.refuse(element, "'tolerated-miss-rate' is that of a soft deadline; "
                                         "expected criticality=\"soft\"");
        const bool in_form = rate->size() > 2 && rate->size() <= 20 && rate->starts_with("0.") &&
                             rate->find_first_not_of("0123456789", 2) == std::string::npos;
        if (!in_form)
            return read_.refuse(element, fmt::format("'tolerated-miss-rate' is \"{}\"; expected a "
                                                     "share of the jobs below 1, as in 0.001",
                                                     *rate));
        pipeline.tolerated_miss_rate = *rate;
    }
    if (!has_deadline) return boost::outcome_v2::success();
    const auto deadline = read_.time(element, "deadline");
    if (!deadline) return deadline.as_failure();
    if (deadline.value() == Nanoseconds{0})
        return read_.refuse(element, "'deadline' is 0; expected more");
    pipeline.deadline = deadline.value();
    return boost::outcome_v2::success();
}

Result<void> PipelinesReader::pipeline(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"name"},
                                      {"period", "distance", "jitter", "deadline", "criticality",
                                       "tolerated-miss-rate", "jobs", "dependence"});
        !known)
        return known;
    if (system_.pipelines.size() == most_pipelines)
        return read_.refuse(element, fmt::format("more than {} pipelines", most_pipelines));
    Pipeline pipeline;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    pipeline.name = name.value();
    if (auto done = releases(element, pipeline); !done) return done;
    if (auto done = requirement(element, pipeline); !done) return done;
    const auto jobs = read_.word(element, "jobs", {"one-after-another", "overlap"}, 0);
    if (!jobs) return jobs.as_failure();
    pipeline.overlaps = jobs.value() == 1;
    for (const XmlElement& child : element.children)
        if (auto done = stage(child, pipeline); !done) return done;
    if (pipeline.stages.empty())
        return read_.refuse(element, "a <pipeline> without stages; expected <host>, <copy> or "
                                     "<kernel>");
    if (auto done = dependence(element, pipeline); !done) return done;
    system_.pipelines.push_back(std::move(pipeline));
    return boost::outcome_v2::success();
}

Result<PipelineSystem> PipelinesReader::read(const XmlElement& root) {
    if (const auto known = check_attributes(read_.source(), root, {}, {"machine", "clock"}); !known)
        return known.as_failure();
    if (const std::string* const machine = root.find("machine")) system_.machine = *machine;
    if (const std::string* const clock = root.find("clock")) {
        const auto range = parse_clock(*clock);
        if (!range) return read_.refuse(root, fmt::format("'clock': {}", range.error().what));
        system_.clock = range.value();
    }
    if (root.children.empty() || root.children.front().name != "device")
        return read_.refuse(root, "expected <device> as the first element");
    for (const XmlElement& child : root.children) {
        Result<void> done = boost::outcome_v2::success();
        if (child.name == "device")
            done = device(child);
        else if (child.name == "pipeline")
            done = pipeline(child);
        else if (child.name == "client")
            done = client(child);
        else
            return read_.refuse(child, fmt::format("unknown element <{}>; expected <device>, "
                                                   "<pipeline> or <client>",
                                                   child.name));
        if (!done) return done.as_failure();
    }
    if (system_.pipelines.empty())
        return read_.refuse(root, "<pipelines> without a <pipeline>; expected one at least");
    system_.name = read_.source().name;
    system_.digest = assembly::digest_of(read_.source().text);
    return std::move(system_);
}

Result<PipelineSystem> read_pipelines(const assembly::SourceText& source) {
    const auto root = read_xml(source, "pipelines");
    if (!root) return root.as_failure();
    return PipelinesReader{source}.read(root.value());
}

} // namespace warpbound::models
