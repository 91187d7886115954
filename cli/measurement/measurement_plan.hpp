#pragma once
/// \file
/// The points of `measure --plan`: kernels, devices, launches and release patterns.

#include "assembly/support/result.hpp"
#include "cli/kernel_measurement/measured_kernel_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::cli {

struct MeasurementPoint {
    MeasuredKernelOptions kernel; ///< With at most one release pattern.
    std::string device;           ///< Empty: the command states it.
    std::string module_name;      ///< As the plan writes it.
};

struct MeasurementPlan {
    std::vector<MeasurementPoint> points; ///< Kernels, then devices, launches, release patterns.
    std::int64_t repetitions = 0;
    std::int64_t warm_up = 10;
};

/// Reads `<measurement-plan repetitions [warm-up]>` with elements `<kernel module name [grid block]
/// [dynamic-shared-memory] [arguments] [outputs]/>` and the axes `<device name/>`, `<launch grid
/// block/>`, `<release pattern/>`. Paths are relative to the plan. Refuses unknown elements and
/// attributes, a plan without kernels, a kernel without launch, more than 100,000 points, and
/// release patterns on a simulated device.
Result<MeasurementPlan> read_measurement_plan(const std::string& path);

/// How messages and campaigns name a point. Two points of a plan differ in it.
std::string point_name(const MeasurementPlan& plan, const MeasurementPoint& point);

} // namespace warpbound::cli
