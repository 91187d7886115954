#pragma once
/// \file
/// From the times of a campaign to a description of the machine that they were measured on.

#include "harness/calibration/ledger.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

struct Calibration {
    std::string device;
    assembly::Target target;
    models::IssueControl issue_control = models::IssueControl::Interlocked; ///< Of the target.
    std::vector<Finding> findings;
    std::vector<ScopeFinding> scopes;
    /// As `models::read_policy` reads it. An estimate: delays seen in random runs were classified.
    std::optional<std::string> policy;
    /// What has a benchmark and could not be read.
    std::vector<Unidentified> unidentified;
    /// Paths of values that no benchmark of the suite shows.
    std::vector<std::string> without_benchmark;
};

/// Inverts the relations of the calibration suite. Uses nothing but the samples. Refuses
/// two benchmarks that contradict each other, naming both with what they say.
Result<Calibration> calibrate(const Measurements& measurements);

/// The series of a campaign. Refuses what the campaign refuses.
Result<std::vector<RecordedSeries>> recorded_series(Campaign& campaign);

/// How the description that comes out is called and what it starts from.
struct DescriptionRequest {
    std::string name;
    std::string title;
    std::string campaign; ///< Named as the source.
    /// Gives what no time shows: which classes share a unit, geometry, values that were not
    /// identified (they keep their source and grade).
    std::optional<models::Architecture> base;
};

/// The description of what was found: grade `measured`, source the campaign, the benchmarks and the
/// digest of their samples. What was not identified is the base's, or unknown. Without a
/// base each class has a unit of its own, and a warp 32 threads. Refuses a base of another
/// generation, a class that the base does not have, and classes of one unit that were found to
/// share its port differently.
Result<models::Architecture> describe(const Calibration& calibration,
                                      const DescriptionRequest& request);

/// What `describe` writes as the source of a value.
std::string source_of(const Finding& finding, const std::string& campaign);

} // namespace warpbound::harness
