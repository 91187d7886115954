#pragma once
/// \file
/// Whether headers reach the standard headers whose names they use, through what they include.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::layering {

/// A header as it is written.
struct HeaderText {
    std::string file;
    std::string text;
    std::set<std::string> includes; ///< As written, quoted or not.
};

/// For each name of the standard library that a header uses and that no header which it includes,
/// directly or through headers of this project, declares: "file: std::name needs <header>". What
/// standard headers include of each other does not count: it differs between libraries.
std::vector<std::string> missing_standard_headers(const std::vector<HeaderText>& headers);

} // namespace warpbound::layering
