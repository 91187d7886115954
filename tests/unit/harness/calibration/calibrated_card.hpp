#pragma once
/// \file
/// Calibrations of the simulated card from some benchmarks, for tests.

#include "harness/calibration/calibrate.hpp"

#include <string>
#include <vector>

namespace warpbound::harness {

models::Architecture fermi();

/// The series that a simulated machine gives for some benchmarks, or for their points that begin
/// with a name.
std::vector<RecordedSeries> measured_on(const models::Architecture& machine,
                                        const std::vector<std::string>& names,
                                        std::int64_t repetitions, const std::string& policy);
/// The series that the simulated card gives.
std::vector<RecordedSeries> measured(const std::vector<std::string>& names,
                                     std::int64_t repetitions = 400,
                                     const std::string& policy = "lrr");

inline const std::vector<std::string> some{
    "switched-off", "spacing-float-add",  "result-float-add", "dependent-add", "barrier",
    "start-order",  "crowd-switched-off", "crowd-float-add",  "result-dram",   "wake-order"};

Result<Calibration> calibrated(std::vector<RecordedSeries> series);

/// Null: not found.
const Finding* finding(const Calibration& calibration, const std::string& path);
const Unidentified* reason(const Calibration& calibration, const std::string& path);
/// Expects that the value was found; otherwise prints why it is unknown.
void expect_found(const Result<Calibration>& calibration, const std::string& path, std::int64_t lo,
                  std::int64_t hi);

} // namespace warpbound::harness
