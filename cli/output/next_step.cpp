#include "cli/output/next_step.hpp"

#include "assembly/support/printable.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <set>

namespace warpbound::cli {

namespace {

bool& quiet() {
    static bool is_wanted = false;
    return is_wanted;
}

std::string& next_step() {
    static std::string command;
    return command;
}

} // namespace

void add_quiet(CLI::App& app) {
    const auto below = app.get_subcommands([](const CLI::App*) { return true; });
    for (CLI::App* command : below)
        add_quiet(*command);
    if (app.get_require_subcommand_min() == 0) // Runs by itself.
        app.add_flag("-q,--quiet", quiet(), "Only the answer and errors: no notes, no next step");
}

bool is_quiet() {
    return quiet();
}

void print_note(std::string text) {
    static std::set<std::string> printed;
    if (is_quiet()) return;
    const auto [note, is_new] = printed.insert(std::move(text));
    if (is_new) std::fputs(printable(*note).c_str(), stderr);
}

void suggest(std::string command) {
    next_step() = std::move(command);
}

void print_next_step() {
    if (!next_step().empty()) note("next: {}\n", next_step());
}

std::string shell_word(std::string_view word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-./:=,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string{word};
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? "'\\''" : std::string{c};
    return quoted + "'";
}

} // namespace warpbound::cli
