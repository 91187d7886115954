#pragma once
/// \file
/// What `application` varies: parameters, machines of devices, launches of kernels.

#include "assembly/support/result.hpp"
#include "models/application/application.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::cli {

/// A choice of an axis: how it is shown, and what it changes.
struct ApplicationChoice {
    std::string value;
    std::function<void(models::application::Application&)> apply;
};
struct ApplicationAxis {
    std::string name;
    std::vector<ApplicationChoice> choices; ///< At least one.
};

/// Reads NAME=VALUE of a parameter and applies it.
Result<void> apply_set(models::application::Application& application, const std::string& text);
/// Reads NAME=A,B,.. or NAME=LO:HI[:STEP] of a parameter.
Result<ApplicationAxis> parameter_axis(const models::application::Application& application,
                                       const std::string& text);
/// Reads MACHINE,.. for all devices or DEVICE=MACHINE,..
Result<ApplicationAxis> machine_axis(const models::application::Application& application,
                                     const std::string& text);
/// Reads KERNEL=GxB,..
Result<ApplicationAxis> launch_axis(const models::application::Application& application,
                                    const std::string& text);

} // namespace warpbound::cli
