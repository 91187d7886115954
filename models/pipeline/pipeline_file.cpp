#include "models/pipeline/pipeline_file.hpp"

#include "models/launch/warp_policy.hpp"
#include "models/pipeline/pipeline_attributes.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::models {

namespace {

using assembly::SourceText;

constexpr std::size_t most_pipelines = 64;
constexpr std::size_t most_stages = 64; ///< Of a pipeline.
constexpr std::int64_t sector = 32;     ///< Smallest transaction of a copy. `Unit:` bytes.

class PipelinesReader {
public:
    explicit PipelinesReader(const SourceText& source) : read_{source} {}

    Result<PipelineSystem> read(const XmlElement& root);

private:
    Result<void> device(const XmlElement& element);
    Result<void> memory(const XmlElement& element);
    Result<void> partition(const XmlElement& element);
    Result<void> pipeline(const XmlElement& element);
    Result<void> releases(const XmlElement& element, Pipeline& pipeline);
    Result<void> requirement(const XmlElement& element, Pipeline& pipeline);
    Result<void> stage(const XmlElement& element, Pipeline& pipeline);
    Result<void> host(const XmlElement& element, PipelineStage& stage);
    Result<void> copy(const XmlElement& element, PipelineStage& stage);
    Result<void> kernel(const XmlElement& element, PipelineStage& stage);
    Result<void> code(const XmlElement& element, PipelineStage& stage);
    Result<void> stated_times(const XmlElement& element, PipelineStage& stage);
    Result<void> stage_traffic(const XmlElement& element, PipelineStage& stage);
    Result<void> order(const XmlElement& element, const Pipeline& pipeline, PipelineStage& stage);
    Result<void> stream(const XmlElement& element, const Pipeline& pipeline, PipelineStage& stage);
    Result<void> client(const XmlElement& element);
    Result<void> client_operation(const XmlElement& element, BestEffortClient& client);
    Result<void> client_traffic(const XmlElement& element, BestEffortClient& client);

    Result<std::size_t> partition_of(const XmlElement& element) const;
    Result<std::pair<StageKind, std::size_t>> direction_of(const XmlElement& element) const;
    /// A name that is used once among pipelines, clients and partitions.
    Result<std::string> new_name(const XmlElement& element);

    PipelineAttributes read_;
    PipelineSystem system_;
    std::set<std::string> names_;
    std::map<std::string, std::string> streams_; ///< Stream to its pipeline.
    std::size_t copy_engines_ = 0;
};

constexpr auto success = [] { return boost::outcome_v2::success(); };

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
    return success();
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
    if (element.find("jitter") == nullptr) return success();
    const auto jitter = read_.time(element, "jitter");
    if (!jitter) return jitter.as_failure();
    pipeline.jitter = jitter.value();
    return success();
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
    if (!has_deadline) return success();
    const auto deadline = read_.time(element, "deadline");
    if (!deadline) return deadline.as_failure();
    if (deadline.value() == Nanoseconds{0})
        return read_.refuse(element, "'deadline' is 0; expected more");
    pipeline.deadline = deadline.value();
    return success();
}

Result<void> PipelinesReader::pipeline(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"name"},
                                      {"period", "distance", "jitter", "deadline", "criticality",
                                       "tolerated-miss-rate", "jobs"});
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
    system_.pipelines.push_back(std::move(pipeline));
    return success();
}

Result<void> PipelinesReader::stage(const XmlElement& element, Pipeline& pipeline) {
    if (pipeline.stages.size() == most_stages)
        return read_.refuse(element, fmt::format("more than {} stages", most_stages));
    PipelineStage stage;
    stage.line = element.line;
    Result<void> done = success();
    if (element.name == "host")
        done = host(element, stage);
    else if (element.name == "copy")
        done = copy(element, stage);
    else if (element.name == "kernel")
        done = kernel(element, stage);
    else
        return read_.refuse(element, fmt::format("unknown element <{}>; expected <host>, <copy> or "
                                                 "<kernel>",
                                                 element.name));
    if (!done) return done;
    auto name = read_.text(element, "name");
    if (!name) return name.as_failure();
    stage.name = name.value();
    for (const PipelineStage& other : pipeline.stages)
        if (other.name == stage.name)
            return read_.refuse(element, fmt::format("a second stage '{}'; expected names that "
                                                     "differ",
                                                     stage.name));
    if (auto ordered = order(element, pipeline, stage); !ordered) return ordered;
    if (stage.server)
        if (auto queued = stream(element, pipeline, stage); !queued) return queued;
    std::sort(stage.after.begin(), stage.after.end());
    stage.after.erase(std::unique(stage.after.begin(), stage.after.end()), stage.after.end());
    pipeline.stages.push_back(std::move(stage));
    return check_no_children(read_.source(), element);
}

Result<void> PipelinesReader::stated_times(const XmlElement& element, PipelineStage& stage) {
    const auto times = read_.times(element);
    if (!times) return times.as_failure();
    stage.time = times.value();
    const auto basis = read_.word(element, "basis", {"stated", "measured"}, 0);
    if (!basis) return basis.as_failure();
    stage.basis = static_cast<TimeBasis>(basis.value());
    if (element.find("source") != nullptr) {
        auto source = read_.text(element, "source");
        if (!source) return source.as_failure();
        stage.source = source.value();
    }
    if (!stage.time && (element.find("basis") != nullptr || element.find("source") != nullptr))
        return read_.refuse(element, "'basis' and 'source' are those of 'at-most', which is "
                                     "missing");
    if (stage.basis == TimeBasis::Measured && stage.source.empty())
        return read_.refuse(element, "measured times without a 'source'; expected the campaign or "
                                     "the document that holds them");
    return success();
}

Result<void> PipelinesReader::host(const XmlElement& element, PipelineStage& stage) {
    if (auto known = check_attributes(read_.source(), element, {"name", "at-most"},
                                      {"at-least", "basis", "source", "after"});
        !known)
        return known;
    stage.kind = StageKind::Host;
    return stated_times(element, stage);
}

Result<void> PipelinesReader::stage_traffic(const XmlElement& element, PipelineStage& stage) {
    for (std::size_t i = 0; i < shared_memories.size(); ++i) {
        const std::string attribute = fmt::format("{}-traffic", shared_memories.at(i));
        if (element.find(attribute) == nullptr) continue;
        const auto bytes = read_.bytes(element, attribute);
        if (!bytes) return bytes.as_failure();
        stage.traffic.at(i) = bytes.value();
    }
    return success();
}

Result<void> PipelinesReader::copy(const XmlElement& element, PipelineStage& stage) {
    if (auto known = check_attributes(read_.source(), element, {"name", "direction", "bytes"},
                                      {"at-most", "at-least", "basis", "source", "after", "stream",
                                       "priority", "l2-traffic", "dram-traffic"});
        !known)
        return known;
    const auto direction = direction_of(element);
    if (!direction) return direction.as_failure();
    stage.kind = direction.value().first;
    stage.server = direction.value().second;
    const auto bytes = read_.bytes(element, "bytes");
    if (!bytes) return bytes.as_failure();
    if (bytes.value() == 0) return read_.refuse(element, "'bytes' is 0; expected more");
    stage.bytes = bytes.value();
    // A copy passes each memory once; its first and last sectors may be shared with other data.
    for (auto& traffic : stage.traffic)
        traffic = (stage.bytes + sector - 1) / sector * sector + sector;
    if (auto done = stage_traffic(element, stage); !done) return done;
    return stated_times(element, stage);
}

Result<void> PipelinesReader::code(const XmlElement& element, PipelineStage& stage) {
    StageCode code;
    for (const auto& [attribute, member] :
         {std::pair{"file", &StageCode::file}, std::pair{"kernel", &StageCode::kernel},
          std::pair{"flow-facts", &StageCode::flow_facts},
          std::pair{"policy", &StageCode::policy}}) {
        if (element.find(attribute) == nullptr) continue;
        auto value = read_.text(element, attribute);
        if (!value) return value.as_failure();
        code.*member = value.value();
    }
    if (code.policy.empty()) code.policy = "unknown";
    if (const auto policy = read_policy(code.policy); !policy)
        return read_.refuse(element, fmt::format("'policy': {}", policy.error().what));
    if (element.find("launch") == nullptr)
        return read_.refuse(element, "a kernel with a 'file' and without a 'launch'; expected, for "
                                     "example, launch=\"256x128\"");
    const auto launch = parse_launch(*element.find("launch"));
    if (!launch) return read_.refuse(element, fmt::format("'launch': {}", launch.error().what));
    code.launch = launch.value();
    const auto cost = read_.times(element, "launch-");
    if (!cost) return cost.as_failure();
    stage.cost = cost.value();
    stage.code = std::move(code);
    stage.basis = TimeBasis::Bounded;
    return success();
}

Result<void> PipelinesReader::kernel(const XmlElement& element, PipelineStage& stage) {
    const bool has_code = element.find("file") != nullptr;
    if (has_code && element.find("at-most") != nullptr)
        return read_.refuse(element, "a kernel with a 'file' and with 'at-most'; expected one of "
                                     "them: the code is bounded, or its time is stated");
    const auto known =
        has_code ? check_attributes(read_.source(), element, {"name", "partition", "file"},
                                    {"kernel", "flow-facts", "policy", "launch", "launch-at-most",
                                     "launch-at-least", "after", "stream", "priority", "l2-traffic",
                                     "dram-traffic"})
                 : check_attributes(read_.source(), element, {"name", "partition"},
                                    {"at-most", "at-least", "basis", "source", "after", "stream",
                                     "priority", "l2-traffic", "dram-traffic"});
    if (!known) return known.as_failure();
    if (!has_code && element.find("at-most") == nullptr)
        return read_.refuse(element, "a kernel without a time; expected 'at-most', or the 'file' "
                                     "and the 'launch' of its code");
    stage.kind = StageKind::Kernel;
    const auto partition = partition_of(element);
    if (!partition) return partition.as_failure();
    stage.server = partition.value();
    if (auto done = stage_traffic(element, stage); !done) return done;
    return has_code ? code(element, stage) : stated_times(element, stage);
}

Result<void> PipelinesReader::order(const XmlElement& element, const Pipeline& pipeline,
                                    PipelineStage& stage) {
    if (const std::string* const after = element.find("after")) {
        for (std::size_t begin = 0; begin < after->size();) {
            const std::size_t end = std::min(after->find(' ', begin), after->size());
            const std::string name = after->substr(begin, end - begin);
            begin = end + 1;
            if (name.empty()) continue;
            const auto found =
                std::find_if(pipeline.stages.begin(), pipeline.stages.end(),
                             [&](const PipelineStage& other) { return other.name == name; });
            if (found == pipeline.stages.end())
                return read_.refuse(element, fmt::format("'after' names '{}'; expected names of "
                                                         "stages above this one",
                                                         name));
            stage.after.push_back(static_cast<std::size_t>(found - pipeline.stages.begin()));
        }
        if (stage.after.empty()) return read_.refuse(element, "'after' is empty; expected names");
    }
    if (element.find("priority") == nullptr) {
        if (stage.server && system_.servers[*stage.server].order == ServerOrder::Priority)
            return read_.refuse(element, fmt::format("'priority' is missing; '{}' serves by it "
                                                     "(the smallest number first)",
                                                     system_.servers[*stage.server].name));
        return success();
    }
    if (system_.servers[*stage.server].order != ServerOrder::Priority)
        return read_.refuse(element, fmt::format("'priority' has no effect: '{}' serves in the "
                                                 "order \"{}\"; expected order \"priority\" there",
                                                 system_.servers[*stage.server].name,
                                                 to_string(system_.servers[*stage.server].order)));
    const auto priority = integer_attribute(read_.source(), element, "priority", -1000, 1000);
    if (!priority) return priority.as_failure();
    stage.priority = priority.value();
    return success();
}

Result<void> PipelinesReader::stream(const XmlElement& element, const Pipeline& pipeline,
                                     PipelineStage& stage) {
    stage.stream = pipeline.name;
    if (element.find("stream") != nullptr) {
        auto name = read_.text(element, "stream");
        if (!name) return name.as_failure();
        stage.stream = name.value();
    }
    const auto owner = streams_.try_emplace(stage.stream, pipeline.name).first;
    if (owner->second != pipeline.name)
        return read_.refuse(element,
                            fmt::format("stream '{}' is used by pipeline '{}', too; expected a "
                                        "stream of its own: operations of a stream wait for each "
                                        "other",
                                        stage.stream, owner->second));
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        if (pipeline.stages[i].stream != stage.stream) continue;
        if (pipeline.overlaps)
            return read_.refuse(element,
                                fmt::format("stream '{}' holds '{}', too; where jobs overlap each "
                                            "operation needs a stream of its own, stream=\"NAME\"",
                                            stage.stream, pipeline.stages[i].name));
        stage.after.push_back(i); // Operations of a stream run in its order (rule G4).
    }
    return success();
}

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
    return success();
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
    return success();
}

Result<void> PipelinesReader::client(const XmlElement& element) {
    if (auto known = check_attributes(read_.source(), element, {"name"}); !known) return known;
    if (system_.clients.size() == most_pipelines)
        return read_.refuse(element, fmt::format("more than {} clients", most_pipelines));
    BestEffortClient client;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    client.name = name.value();
    for (const XmlElement& child : element.children) {
        if (child.name != "kernel" && child.name != "copy" && child.name != "traffic")
            return read_.refuse(child, fmt::format("unknown element <{}>; expected <kernel>, "
                                                   "<copy> or <traffic>",
                                                   child.name));
        if (client.operations.size() == most_stages)
            return read_.refuse(child, fmt::format("more than {} operations", most_stages));
        if (auto done = child.name == "traffic" ? client_traffic(child, client)
                                                : client_operation(child, client);
            !done)
            return done;
        if (auto leaf = check_no_children(read_.source(), child); !leaf) return leaf;
    }
    system_.clients.push_back(std::move(client));
    return success();
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
        Result<void> done = success();
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

} // namespace

Result<PipelineSystem> read_pipelines(const SourceText& source) {
    const auto root = read_xml(source, "pipelines");
    if (!root) return root.as_failure();
    return PipelinesReader{source}.read(root.value());
}

} // namespace warpbound::models
