#pragma once
/// \file
/// Recorded runs as a file of a bundle has them, read from front to back without a tree of its
/// JSON: the memory needed is that of the numbers.

#include "certification/verify/verdict.hpp"
#include "harness/campaign/packed_samples.hpp"

#include <string>

namespace warpbound::certification::verify {

/// Recorded runs and the file that they are in. At least one run, each with at least one time.
struct Series {
    std::string path;
    harness::SeriesKey key;
    harness::PackedSamples samples;
};

/// The runs of a file with this text. Throws `Finding` (incomplete).
Series read_samples(const std::string& text, const std::string& path);

} // namespace warpbound::certification::verify
