#include "cli/program/help_format.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warpbound::cli {

namespace {

constexpr std::size_t option_indent = 2;
constexpr std::size_t text_column = 26;

/// The group of an option that does not stand under "Options".
constexpr std::array<std::pair<std::string_view, std::string_view>, 35> groups{{
    {"--kernel", "Kernel"},
    {"--all", "Kernel"},
    {"--target", "Kernel"},
    {"--arg", "Kernel"},
    {"--constant", "Kernel"},
    {"--flow-facts", "Kernel"},
    {"--source", "Kernel"},
    {"--cubin", "Kernel"},
    {"--listing", "Kernel"},
    {"--profile", "Kernel"},
    {"--architecture", "Machine"},
    {"--assume", "Machine"},
    {"--policy", "Machine"},
    {"--policies", "Machine"},
    {"--multiprocessors", "Machine"},
    {"--clock", "Machine"},
    {"--launch", "Launch"},
    {"--grid", "Launch"},
    {"--block", "Launch"},
    {"--dynamic-shared-memory", "Launch"},
    {"--launch-cost", "Launch"},
    {"--transfer", "Launch"},
    {"--workload", "Launch"},
    {"--deadline", "Requirement"},
    {"--requirements", "Requirement"},
    {"--check", "Requirement"},
    {"--runs", "Observed runs"},
    {"--seed", "Observed runs"},
    {"--draw", "Observed runs"},
    {"--threads", "Observed runs"},
    {"--campaign", "Observed runs"},
    {"--repetitions", "Observed runs"},
    {"--output", "Output"},
    {"--format", "Output"},
    {"--quiet", "Output"},
}};

std::string group_of(const CLI::Option& option) {
    for (const std::string& name : option.get_lnames())
        for (const auto& [known, group] : groups)
            if (known.substr(2) == name) return std::string{group};
    return option.get_group();
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options)
        names.push_back(option->get_name());
    std::sort(names.begin(), names.end());
    return names;
}

class HelpFormat : public CLI::Formatter {
public:
    /// With one empty line between groups.
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
        constexpr std::string_view two_empty_lines = "\n\n\n";
        for (std::size_t at = 0; (at = text.find(two_empty_lines, at)) != std::string::npos;)
            text.erase(at, 1);
        return text;
    }

    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        std::string name = is_positional ? option->get_name(true) : option->get_name(false, true);
        std::replace(name.begin(), name.end(), ',', ' ');
        const std::string value = is_positional ? std::string{} : value_name(*option);
        std::string line = std::string(option_indent, ' ') + name;
        if (!value.empty()) line += " " + value;
        const std::string text = wrapped(description_of(*option), help_width(), text_column);
        if (line.size() + 2 > text_column)
            line += "\n" + std::string(text_column, ' ');
        else
            line.resize(text_column, ' ');
        return line + text + "\n";
    }

    std::string make_description(const CLI::App* app) const override {
        const std::string description = app->get_description();
        std::string text;
        std::string_view rest{description};
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            text += wrapped(rest.substr(0, end), help_width(), 0) + "\n";
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return text;
    }

    std::string make_subcommand(const CLI::App* command) const override {
        std::string line = std::string(option_indent, ' ') + command->get_name();
        line.resize(std::max(text_column, line.size() + 2), ' ');
        return line + wrapped(command->get_description(), help_width(), text_column) + "\n";
    }
};

} // namespace

std::size_t help_width() {
    constexpr std::size_t least = 40;
    constexpr std::size_t usual = 80;
    constexpr std::size_t most = 120;
    winsize size{};
    std::size_t columns = 0;
    if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (const char* stated = std::getenv("COLUMNS"); columns == 0 && stated != nullptr) {
        const std::string_view text{stated};
        std::from_chars(text.data(), text.data() + text.size(), columns);
    }
    return columns == 0 ? usual : std::clamp(columns, least, most);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string lines;
    std::size_t column = indent;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (column > indent && column + 1 + word.size() > width) {
            lines += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += word.size();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string value_name(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return {};
    const std::string type = option.get_type_name();
    if (const std::size_t choices = type.find('{'); choices != std::string::npos)
        return type.substr(choices, type.find('}', choices) + 1 - choices);
    const std::string plain = type.substr(0, type.find(':'));
    return plain == "INT" || plain == "UINT" || plain == "FLOAT" ? "N" : plain;
}

std::string description_of(const CLI::Option& option) {
    std::string text = option.get_description();
    std::vector<std::string> notes;
    if (option.get_required()) notes.emplace_back("required");
    if (!option.get_default_str().empty())
        notes.push_back(fmt::format("default {}", option.get_default_str()));
    if (!option.get_needs().empty())
        notes.push_back(fmt::format("with {}", fmt::join(names_of(option.get_needs()), ", ")));
    if (!option.get_excludes().empty())
        notes.push_back(
            fmt::format("not with {}", fmt::join(names_of(option.get_excludes()), ", ")));
    if (!notes.empty()) text += fmt::format(" ({})", fmt::join(notes, "; "));
    return text;
}

void set_help_format(CLI::App& app) {
    const auto format = std::make_shared<HelpFormat>();
    const auto apply = [&](CLI::App& command) {
        command.formatter(format);
        for (CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
            option->group(group_of(*option));
    };
    apply(app);
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        apply(*command);
        for (CLI::App* below : command->get_subcommands([](CLI::App*) { return true; }))
            apply(*below);
    }
}

} // namespace warpbound::cli
