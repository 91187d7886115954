#pragma once
/// \file
/// What a campaign recorded of the calibration suite on one device, by point.

#include "harness/campaign/campaign.hpp"
#include "models/architecture/architecture.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

struct RecordedSeries {
    SeriesKey key;
    std::vector<Sample> samples; ///< In run order.
};

/// Of the series, their key and every sample, in the order given: what a calibrated value rests on.
std::string digest_of_series(const std::vector<const RecordedSeries*>& series);

/// The series of one device, each checked to be of the suite's own kernel.
class Measurements {
public:
    /// Keeps the series of calibrating benchmarks and leaves the others out. Refuses series of
    /// several devices, machines or protocols, a series whose kernel, facts or launch is not that
    /// of this version's suite for `target`, and no series at all.
    static Result<Measurements> of(std::vector<RecordedSeries> series, assembly::Target target);

    [[nodiscard]] const RecordedSeries* find(const std::string& point) const;
    [[nodiscard]] const std::string& device() const { return device_; }
    [[nodiscard]] const assembly::Target& target() const { return target_; }

private:
    std::map<std::string, RecordedSeries> by_point_;
    std::string device_;
    assembly::Target target_;
};

} // namespace warpbound::harness
