#pragma once
/// \file
/// Text that fits into a figure.

#include <cstddef>
#include <string>

namespace warpbound::certification {

/// At most so many letters; "..", where letters are left out.
std::string shortened(const std::string& text, std::size_t letters);

} // namespace warpbound::certification
