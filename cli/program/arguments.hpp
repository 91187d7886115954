#pragma once
/// \file
/// The arguments as typed, before they are parsed: other spellings of commands and options, and
/// unknown ones, which are reported in the order typed and with a suggestion.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// The name among `known` that is most like `typed`; nothing when none is alike.
std::optional<std::string> most_alike(std::string_view typed,
                                      const std::vector<std::string>& known);

/// The arguments in the spelling that the parser knows: `help COMMAND` is `COMMAND --help`,
/// `--json` is `--format json`, and names that nvcc and Nsight Compute give an option stand for
/// ours. `arguments`: without the program's name.
std::vector<std::string> usual_spelling(const CLI::App& app, std::vector<std::string> arguments);

/// What is wrong with the first unknown command or option, with what was probably meant; empty:
/// all are known. Requires: arguments in their usual spelling.
std::string first_unknown(const CLI::App& app, const std::vector<std::string>& arguments);

} // namespace warpbound::cli
