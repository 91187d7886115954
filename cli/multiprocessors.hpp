#pragma once
/// \file
/// How many SMs a launch runs on, as users say it.

#include "assembly/support/result.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <string>

namespace warpbound::cli {

/// Why the text says no number of SMs; empty: it says one, or "all".
std::string refusal_of_multiprocessors(const std::string& text);
/// How many SMs are asked for. Requires: nothing to refuse in the text. Refuses "all" of a machine
/// whose number is not exact.
Result<std::int64_t> multiprocessors_of(const std::string& text,
                                        const models::Architecture& architecture);

} // namespace warpbound::cli
