#pragma once
/// \file
/// The recorded series of the suite `contract` on one device, by benchmark point.

#include "harness/calibration/measurements.hpp"
#include "models/architecture/architecture.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::contract {

/// Runs without an anomaly that a comparison needs, where the benchmark makes so many.
inline constexpr std::int64_t least_runs = 5;

/// Numbers of a point: the least and the greatest of all runs that count, and their number.
struct Observed {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    std::int64_t runs = 0;
    std::int64_t left_out = 0; ///< Runs with an anomaly.
};

/// The series, each checked against the kernel of this version's suite.
class ContractSeries {
public:
    /// Takes the series of the suite `contract` and ignores the others. Refuses series of several
    /// devices, a card of another target than the description's, a series whose kernel, launch or
    /// quantity is not that of the suite, two series of a point, times that its launch cannot
    /// have, and a description of wavefronts of other lanes than code for the card has. On
    /// simulated machines with encoded control fields the kernel is made of the values of the
    /// machine, and not checked.
    static Result<ContractSeries> of(std::vector<RecordedSeries> series,
                                     const models::Architecture& architecture);

    /// Of a region the time of a warp, of clocks the time from the first one of the launch to the
    /// last one, or the resident blocks. Refuses a point that has too few runs, naming it.
    [[nodiscard]] Result<Observed> observed(const std::string& point) const;
    /// Why the suite has no code of the benchmark on the device. Empty: it has, or no series was
    /// taken.
    [[nodiscard]] std::string no_code(std::string_view benchmark) const;
    /// The launches of the points of a benchmark.
    [[nodiscard]] std::map<std::string, models::Launch>
    launches(const std::string& benchmark) const;
    [[nodiscard]] const DeviceIdentity& device() const { return device_; }
    [[nodiscard]] bool empty() const { return by_point_.empty(); }

private:
    struct Kept {
        RecordedSeries series;
        models::Launch launch;
        std::int64_t runs_needed = least_runs;
    };
    std::map<std::string, Kept> by_point_;
    std::map<std::string, std::string, std::less<>> no_code_; ///< Why, by benchmark.
    DeviceIdentity device_;
};

} // namespace warpbound::harness::contract
