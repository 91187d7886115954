#pragma once
/// \file
/// Whether the files are those that were written: digests, root, chain of steps, nothing more and
/// nothing less.

#include "certification/verify/verdict.hpp"

#include <optional>

namespace warpbound::certification::verify {

/// `report_id`: the root that was published elsewhere; none: only what the bundle says of itself.
StepResult check_digests(const Files& files, const std::optional<std::string>& report_id);

} // namespace warpbound::certification::verify
