#pragma once
/// \file
/// Calibration: derives an architecture description from the measured times of a campaign.

#include "harness/calibration/ledger.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

struct Calibration {
    std::string device;
    assembly::Target target;
    std::vector<Finding> findings;
    std::vector<ScopeFinding> scopes;
    /// In the form that `models::read_policy` reads. An estimate: it classifies delays observed in
    /// random runs.
    std::optional<std::string> policy;
    /// Values that have a benchmark but could not be identified.
    std::vector<Unidentified> unidentified;
    /// Paths of values that no benchmark of the suite measures.
    std::vector<std::string> without_benchmark;
};

/// Inverts the relations of the calibration suite, using the samples only. Refuses if two
/// benchmarks contradict each other, naming both with their values.
Result<Calibration> calibrate(const Measurements& measurements);

/// All series of a campaign. Refuses what the campaign refuses.
Result<std::vector<RecordedSeries>> recorded_series(Campaign& campaign);

/// Name and base of the architecture description to write.
struct DescriptionRequest {
    std::string name;
    std::string title;
    std::string campaign; ///< Named as the source of the values.
    /// Supplies what times cannot show: classes that share a unit, geometry, and values that were
    /// not identified (they keep their source and grade).
    std::optional<models::Architecture> base;
};

/// Writes the architecture description. Identified values have the grade `measured`; their source
/// names the campaign, the benchmarks and the digest of the samples. Other values are taken from
/// the base, or unknown. Without a base each class has its own unit, and a warp has 32 threads.
/// Refuses a base of another generation, a class that the base lacks, and contradicting port scopes
/// for classes of one unit.
Result<models::Architecture> describe(const Calibration& calibration,
                                      const DescriptionRequest& request);

/// The source text that `describe` writes for a value.
std::string source_of(const Finding& finding, const std::string& campaign);

} // namespace warpbound::harness
