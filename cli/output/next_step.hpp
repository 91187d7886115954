#pragma once
/// \file
/// What a command prints beside its answer: notes, and the command to type next. `--quiet` leaves
/// both out.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// Adds -q, --quiet to every command that does something.
void add_quiet(CLI::App& app);
/// Whether only answers and errors are wanted.
bool is_quiet();

/// Prints the text on standard error, `printable`, unless quiet or printed before.
void print_note(std::string text);

/// The same of a formatted note: what holds for several kernels is said once.
template <typename... Arguments>
void note(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    print_note(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Says which command a user types next; the last one counts.
void suggest(std::string command);
/// Prints "next: ..." on standard error, so that results stay what they are; nothing when no
/// command was suggested, or when quiet.
void print_next_step();

/// A word as a shell reads it: in quotes where it needs them.
std::string shell_word(std::string_view word);

} // namespace warpbound::cli
