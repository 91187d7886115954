#pragma once
/// \file
/// Groups of a description that only delay, and what it means to state that they cost nothing
/// (C17): `fetch=none`.

#include "models/architecture/architecture.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// Paths of the groups for which it is stated: "fetch", "register-file", "memories/constant".
std::vector<std::string> groups_that_cost_nothing(const Architecture& machine);

/// One sentence for each of them, for the register of assumptions.
std::vector<std::string> statements_on_costless_groups(const Architecture& machine);

/// States it: the values of the group go. Refuses a path of no group that only delays, with those
/// that there are. The digest of the description is cleared.
Result<void> make_costless(Architecture& machine, std::string_view path);

} // namespace warpbound::models
