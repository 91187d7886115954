#pragma once
/// \file
/// The bundle made again from its inputs by this program, and compared byte for byte.

#include "certification/verify/options.hpp"

namespace warpbound::certification::verify {

/// `tool_version`: that made the bundle, as it says; another one may make other bytes.
StepResult check_again(const Files& files, const std::string& tool_version, const Options& options);

} // namespace warpbound::certification::verify
