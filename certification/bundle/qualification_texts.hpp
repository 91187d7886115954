#pragma once
/// \file
/// What the tool says of itself in every bundle: documents of `docs/qualification/`, as they were
/// when the tool was built.

#include <string_view>

namespace warpbound::certification {

extern const std::string_view known_problems;           ///< `known-problems.md`
extern const std::string_view operational_requirements; ///< `requirements.md`

} // namespace warpbound::certification
