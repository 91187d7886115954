#include "models/pipeline/pipelines_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models {

Result<void> PipelinesReader::children(const XmlElement& element, PipelineStage& stage) {
    for (const XmlElement& child : element.children) {
        if (child.name != "samples")
            return read_.refuse(
                child, fmt::format("unknown element <{}>; expected <samples>", child.name));
        if (stage.samples) return read_.refuse(child, "a second <samples>; expected one");
        if (auto done = samples(child, stage); !done) return done;
    }
    return boost::outcome_v2::success();
}

Result<void> PipelinesReader::samples(const XmlElement& element, PipelineStage& stage) {
    const bool in_file = element.find("file") != nullptr;
    if (in_file == (element.find("campaign") != nullptr))
        return read_.refuse(element, "<samples> has either a 'file' with the 'unit' of its times "
                                     "or a 'campaign' with the 'series'");
    if (auto known = in_file ? check_attributes(read_.source(), element, {"file", "unit"})
                             : check_attributes(read_.source(), element, {"campaign", "series"});
        !known)
        return known;
    StageSamples found;
    found.line = element.line;
    for (const auto& [attribute, member] :
         {std::pair{"file", &StageSamples::file}, std::pair{"campaign", &StageSamples::campaign},
          std::pair{"series", &StageSamples::series}}) {
        if (element.find(attribute) == nullptr) continue;
        auto value = read_.text(element, attribute);
        if (!value) return value.as_failure();
        found.*member = value.value();
    }
    if (in_file) {
        const std::vector<std::string_view> units{"s", "ms", "us", "ns"};
        const auto unit = read_.word(element, "unit", units, 0);
        if (!unit) return unit.as_failure();
        found.unit = units[unit.value()];
    }
    stage.samples = std::move(found);
    return check_no_children(read_.source(), element);
}

Result<void> PipelinesReader::dependence(const XmlElement& element, Pipeline& pipeline) {
    const auto stated =
        read_.word(element, "dependence", {"unknown", "independent", "comonotone"}, 0);
    if (!stated) return stated.as_failure();
    pipeline.dependence = static_cast<Dependence>(stated.value());
    const auto sampled =
        std::find_if(pipeline.stages.begin(), pipeline.stages.end(),
                     [](const PipelineStage& stage) { return stage.samples.has_value(); });
    if (sampled == pipeline.stages.end()) {
        if (element.find("dependence") == nullptr) return boost::outcome_v2::success();
        return read_.refuse(element, "'dependence' is that of observed times, and no stage has "
                                     "<samples>");
    }
    if (!pipeline.deadline)
        return read_.refuse(element, fmt::format("stage '{}' has <samples>, which estimate how "
                                                 "often a 'deadline' is missed; it is missing",
                                                 sampled->name));
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
