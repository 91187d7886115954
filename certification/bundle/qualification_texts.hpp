#pragma once
/// \file
/// Documents of `docs/qualification/` that every bundle contains, as of the build of the tool.

#include <string_view>

namespace warpbound::certification {

extern const std::string_view known_problems;           ///< `known-problems.md`
extern const std::string_view operational_requirements; ///< `requirements.md`

} // namespace warpbound::certification
