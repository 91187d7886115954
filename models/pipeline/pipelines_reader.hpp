#pragma once
/// \file
/// The reader of the file of pipelines, element by element; used by `read_pipelines` only.

#include "models/pipeline/pipeline_attributes.hpp"
#include "models/pipeline/system.hpp"
#include "models/xml/xml_reader.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace warpbound::models {

/// Reads one document. Every refusal has the line of its element.
class PipelinesReader {
public:
    explicit PipelinesReader(const assembly::SourceText& source) : read_{source} {}

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
    Result<void> children(const XmlElement& element, PipelineStage& stage);
    Result<void> samples(const XmlElement& element, PipelineStage& stage);
    Result<void> dependence(const XmlElement& element, Pipeline& pipeline);
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

} // namespace warpbound::models
