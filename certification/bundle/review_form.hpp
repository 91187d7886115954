#pragma once
/// \file
/// The check-list and sign-off form of a bundle's page.

#include "certification/bundle/canonical_json.hpp"

#include <string>

namespace warpbound::certification {

/// What a reviewer does and accepts, with boxes to tick and lines to sign; on paper or on screen.
/// `claims`: the content of `claims.json`.
std::string review_form(const Json& claims);

} // namespace warpbound::certification
