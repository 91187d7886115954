#pragma once
/// \file
/// What a bundle says of the tool that made it.

#include "certification/verify/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

struct ToolClaims {
    std::string version;
    std::vector<std::pair<std::string, std::string>> components; ///< Names and versions.
};

/// "claimed" where that is not this program: nothing here can confirm it.
StepResult check_tool(const ToolClaims& claimed, const Options& options);

} // namespace warpbound::certification::verify
