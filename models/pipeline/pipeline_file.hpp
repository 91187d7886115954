#pragma once
/// \file
/// The file of pipelines that share a GPU (models/pipeline/pipelines.xsd).

#include "assembly/support/source_text.hpp"
#include "models/pipeline/system.hpp"

#include <string_view>

namespace warpbound::models {

/// Reads `<pipelines>`. Refuses, each with its line, what the schema refuses, names that are not
/// declared or not unique, stages that follow each other in a circle, a stream of two pipelines,
/// two operations of one stream in a pipeline whose jobs overlap, and times out of range. Times of
/// stages with code or of copies without stated times are left open.
Result<PipelineSystem> read_pipelines(const assembly::SourceText& source);

/// A file to begin with: every element once, with comments.
std::string_view pipelines_template();

} // namespace warpbound::models
