#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/pipeline/pipelines_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models {

namespace {

constexpr std::size_t most_stages = 64; ///< Of a pipeline.
constexpr std::int64_t line = 128;      ///< Longest of a described L2. `Unit:` bytes.

/// ": a, b"; empty of none.
std::string names_of(const std::vector<PipelineStage>& stages) {
    std::string text;
    for (const PipelineStage& stage : stages)
        text += (text.empty() ? ": " : ", ") + stage.name;
    return text;
}

} // namespace

Result<void> PipelinesReader::stage(const XmlElement& element, Pipeline& pipeline) {
    if (pipeline.stages.size() == most_stages)
        return read_.refuse(element, fmt::format("more than {} stages", most_stages));
    PipelineStage stage;
    stage.line = element.line;
    Result<void> done = boost::outcome_v2::success();
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
    if (stage.name.find(' ') != std::string::npos)
        return read_.refuse(element, fmt::format("stage '{}' has a space in its name; expected "
                                                 "none: 'after' separates names by spaces",
                                                 stage.name));
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
    if (auto read = children(element, stage); !read) return read;
    pipeline.stages.push_back(std::move(stage));
    return boost::outcome_v2::success();
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
    return boost::outcome_v2::success();
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
    return boost::outcome_v2::success();
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
    // As of a kernel: each line that it touches is moved, filled and evicts one, at most.
    const std::int64_t touched = ((stage.bytes + line - 1) / line + 1) * line;
    stage.traffic = {3 * touched, 2 * touched};
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
    return boost::outcome_v2::success();
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
                return read_.refuse(element, fmt::format("'after' names '{}'; expected stages "
                                                         "above this one{}",
                                                         name, names_of(pipeline.stages)));
            stage.after.push_back(static_cast<std::size_t>(found - pipeline.stages.begin()));
        }
        if (stage.after.empty()) return read_.refuse(element, "'after' is empty; expected names");
    }
    if (element.find("priority") == nullptr) {
        if (stage.server && system_.servers[*stage.server].order == ServerOrder::Priority)
            return read_.refuse(element, fmt::format("'priority' is missing; '{}' serves by it "
                                                     "(the smallest number first)",
                                                     system_.servers[*stage.server].name));
        return boost::outcome_v2::success();
    }
    if (system_.servers[*stage.server].order != ServerOrder::Priority)
        return read_.refuse(element, fmt::format("'priority' has no effect: '{}' serves in the "
                                                 "order \"{}\"; expected order \"priority\" there",
                                                 system_.servers[*stage.server].name,
                                                 to_string(system_.servers[*stage.server].order)));
    const auto priority = integer_attribute(read_.source(), element, "priority", -1000, 1000);
    if (!priority) return priority.as_failure();
    stage.priority = priority.value();
    return boost::outcome_v2::success();
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
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
