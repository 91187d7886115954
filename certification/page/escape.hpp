#pragma once
/// \file
/// Text that is safe inside XML.

#include <string>

namespace warpbound::certification {

/// `printable`, with the characters that XML would read as markup written out.
std::string escape(const std::string& text);

} // namespace warpbound::certification
