#pragma once
/// \file
/// Measurement of one point of a benchmark.

#include "harness/protocol/series_run.hpp"
#include "harness/suite/emission/benchmark.hpp"

namespace warpbound::harness {

/// All points of a benchmark in the form that the device accepts. Refuses as `points_of` and
/// `ptx_points_of` do.
Result<std::vector<BenchmarkPoint>> points_for(const Device& device, std::string_view benchmark);

/// The series key of a point on a device: identifies the point in a campaign, independent of the
/// measuring process.
SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol);

/// A point being measured.
class PointRun {
public:
    /// `protocol`: the protocol of the series that `begin` starts. Refuses a point that the device
    /// refuses to run. Device and point must outlive it.
    static Result<std::unique_ptr<PointRun>>
    prepare(const Device& device, const BenchmarkPoint& point, const Protocol& protocol = {});
    ~PointRun();
    PointRun(const PointRun&) = delete;
    PointRun& operator=(const PointRun&) = delete;

    /// Starts the series. At most `most_runs` of the benchmark are made; if these are fewer than
    /// the protocol's repetitions, all of them, whatever the stopping rule.
    Result<void> begin(Campaign* campaign);
    [[nodiscard]] const BenchmarkPoint& point() const { return *point_; }
    /// Requires: `begin` was called.
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

/// `measure` for a point: at most `most_runs` of the benchmark.
Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads = 1,
                               const Progress& progress = {},
                               const std::function<bool()>& stop = {});

} // namespace warpbound::harness
