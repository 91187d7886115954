#pragma once
/// \file
/// What must be true of any description of pipelines and of any bundle about them, however made.

#include <string>

namespace warpbound::tests {

/// Between description and claims of a text for `defect_of_pipeline_bundle`.
inline constexpr const char* description_end = "\n====\n";

/// A description whose times are stated: what has bounds has evidence that `verify` accepts, and no
/// simulated latency leaves the bounds. Empty: true, refused, or not decided within a second.
std::string defect_of_pipelines(const std::string& description);

/// Description and `claims.json`, in a bundle with correct digests: claims that `verify` accepts by
/// its own checks are not below what the analysis finds. Empty: true, or refused.
std::string defect_of_pipeline_bundle(const std::string& text);

} // namespace warpbound::tests
