#pragma once
/// \file
/// Help texts: options in groups, wrapped to the width of the terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace warpbound::cli {

/// Columns of standard output: those of the terminal, else of COLUMNS, else 80; 40 to 120.
std::size_t help_width();

/// Lines of at most `width` columns, each but the first after `indent` blanks; words are kept
/// whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// What an option takes: "N", "{text,json}"; empty for a flag.
std::string value_name(const CLI::Option& option);
/// The description with its default, and the options that it needs or excludes.
std::string description_of(const CLI::Option& option);

/// Gives the program and its commands this form of help, and every option its group.
void set_help_format(CLI::App& app);

} // namespace warpbound::cli
