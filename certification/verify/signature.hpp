#pragma once
/// \file
/// Whether a bundle's signature is one over its manifest, by the key that was expected.

#include "certification/verify/verdict.hpp"

#include <optional>

namespace warpbound::certification::verify {

/// `public_key`: 64 hexadecimal digits; none: any key. A wrong signature and another key are
/// tampered, an absent one is incomplete where a key was given.
StepResult check_signature(const Files& files, const std::optional<std::string>& public_key);

} // namespace warpbound::certification::verify
