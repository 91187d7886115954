#pragma once
/// \file
/// The number of SMs of a launch as users write it: a number or "all".

#include "assembly/support/result.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <string>

namespace warpbound::cli {

/// Why the text is neither a number of SMs nor "all"; empty when it is.
std::string refusal_of_multiprocessors(const std::string& text);
/// The requested number of SMs. Requires: `refusal_of_multiprocessors` is empty. Refuses "all" of a
/// machine whose number of SMs is not exact.
Result<std::int64_t> multiprocessors_of(const std::string& text,
                                        const models::Architecture& architecture);

} // namespace warpbound::cli
