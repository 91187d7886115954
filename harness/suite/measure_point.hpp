#pragma once
/// \file
/// A point of a benchmark, measured.

#include "harness/protocol/series_run.hpp"
#include "harness/suite/benchmark.hpp"

namespace warpbound::harness {

/// All points of a benchmark in the form that the device takes. Refuses as `points_of` and
/// `ptx_points_of` do.
Result<std::vector<BenchmarkPoint>> points_for(const Device& device, std::string_view benchmark);

/// The series of a point on a device: by it a campaign finds the point again, whoever measures it.
SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol);

/// A point while it is measured.
class PointRun {
public:
    /// `protocol`: of the series that `begin` begins. Refuses a point that the device refuses to
    /// run. Device and point must outlive it.
    static Result<std::unique_ptr<PointRun>>
    prepare(const Device& device, const BenchmarkPoint& point, const Protocol& protocol = {});
    ~PointRun();
    PointRun(const PointRun&) = delete;
    PointRun& operator=(const PointRun&) = delete;

    /// At most as many runs as the benchmark has any use for; where these are fewer than the
    /// protocol has, all of them, whatever its stopping rule.
    Result<void> begin(Campaign* campaign);
    [[nodiscard]] const BenchmarkPoint& point() const { return *point_; }
    /// Requires: begun.
    [[nodiscard]] SeriesRun& series() const { return *series_; }

private:
    struct Code;
    PointRun(const Device& device, const BenchmarkPoint& point, const Protocol& protocol,
             std::unique_ptr<Code> code, std::unique_ptr<PreparedKernel> prepared);

    const Device* device_;
    const BenchmarkPoint* point_;
    Protocol protocol_;
    std::unique_ptr<Code> code_;
    std::unique_ptr<PreparedKernel> prepared_;
    std::unique_ptr<SeriesRun> series_;
};

/// `measure` for a point: at most as many runs as the benchmark has any use for.
Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads = 1,
                               const Progress& progress = {},
                               const std::function<bool()>& stop = {});

} // namespace warpbound::harness
