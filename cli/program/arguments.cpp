#include "cli/program/arguments.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace warpbound::cli {

namespace {

/// Names that users of other tools type, and ours.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> other_names{{
    {"-arch", "--architecture"},              // nvcc
    {"--gpu-architecture", "--architecture"}, // nvcc
    {"--gpu-name", "--architecture"},         // ptxas
    {"--kernel-name", "--kernel"},            // ncu
    {"--grid-size", "--grid"},
    {"--block-size", "--block"},
    {"--dynamic-smem", "--dynamic-shared-memory"},
    {"--iterations", "--runs"},
    {"--out", "--output"},
    {"--set", "--assume"}, // `predict` has a --set of its own
}};

/// Least number of letters to insert, remove, replace or exchange with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                best[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = best[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            best[i][j] = std::min({best[i - 1][j] + 1, best[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best[i][j] = std::min(best[i][j], best[i - 2][j - 2] + 1);
        }
    return best[a.size()][b.size()];
}

/// The name of an option, without `=value`.
std::string_view name_in(std::string_view argument) {
    return argument.substr(0, argument.find('='));
}

bool looks_like_option(std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-' &&
           std::isdigit(static_cast<unsigned char>(argument[1])) == 0 && argument[1] != '.';
}

const CLI::App* command_called(const CLI::App& app, const std::string& name) {
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const CLI::App* each) { return each->get_name() == name; });
    return found == all.end() ? nullptr : *found;
}

const CLI::Option* option_called(const CLI::App& command, std::string_view name) {
    return command.get_option_no_throw(std::string{name});
}

/// Commands and options below the program, in the order typed.
class Scan {
public:
    Scan(const CLI::App& app, const std::vector<std::string>& arguments)
        : command_{&app}, arguments_{arguments} {}

    std::string first_unknown() {
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            const std::string& argument = arguments_[i];
            if (argument == "--") return {};
            if (looks_like_option(argument)) {
                const CLI::Option* const option = known_option(argument);
                if (option == nullptr) return unknown_option(argument);
                if (takes_next(*option, argument)) ++i;
            } else if (has_commands()) {
                const CLI::App* const next = command_called(*command_, argument);
                if (next != nullptr)
                    command_ = next;
                else if (!takes_arguments())
                    return unknown_command(argument);
            }
        }
        return {};
    }

private:
    [[nodiscard]] bool has_commands() const {
        return !command_->get_subcommands([](const CLI::App*) { return true; }).empty();
    }
    /// Whether an argument that is no command may be the command's own.
    [[nodiscard]] bool takes_arguments() const {
        const auto own = [](const CLI::Option* option) { return option->get_positional(); };
        return !command_->get_options(own).empty();
    }
    /// A short option may have its value behind it: -oFILE.
    [[nodiscard]] const CLI::Option* known_option(std::string_view argument) const {
        const bool is_long = argument.substr(0, 2) == "--";
        return option_called(*command_, is_long ? name_in(argument) : argument.substr(0, 2));
    }
    [[nodiscard]] static bool takes_next(const CLI::Option& option, std::string_view argument) {
        const bool has_value = argument.substr(0, 2) == "--"
                                   ? argument.find('=') != std::string_view::npos
                                   : argument.size() > 2;
        return option.get_items_expected_min() > 0 && !has_value;
    }
    [[nodiscard]] std::string unknown_option(std::string_view argument) const {
        std::vector<std::string> names;
        for (const CLI::Option* option : command_->get_options({}))
            for (const std::string& name : option->get_lnames())
                names.push_back("--" + name);
        const auto meant = most_alike(name_in(argument), names);
        const std::string of = command_->get_parent() == nullptr
                                   ? std::string{}
                                   : fmt::format(" of {}", command_->get_name());
        return fmt::format("{} is no option{}{}", name_in(argument), of,
                           meant ? fmt::format("; did you mean {}?", *meant) : std::string{});
    }
    [[nodiscard]] std::string unknown_command(const std::string& argument) const {
        std::vector<std::string> names;
        for (const CLI::App* each : command_->get_subcommands([](const CLI::App*) { return true; }))
            names.push_back(each->get_name());
        const auto meant = most_alike(argument, names);
        return fmt::format("{} is no command{}", argument,
                           meant ? fmt::format("; did you mean {}?", *meant)
                                 : fmt::format("; expected one of {}", joined(names)));
    }
    static std::string joined(const std::vector<std::string>& names) {
        return std::accumulate(names.begin(), names.end(), std::string{},
                               [](std::string all, const std::string& name) {
                                   return all.empty() ? name : std::move(all) + ", " + name;
                               });
    }

    const CLI::App* command_;
    const std::vector<std::string>& arguments_;
};

/// The command that the arguments name; null without one.
const CLI::App* named_command(const CLI::App& app, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments)
        if (!looks_like_option(argument)) return command_called(app, argument);
    return nullptr;
}

} // namespace

std::optional<std::string> most_alike(std::string_view typed,
                                      const std::vector<std::string>& known) {
    constexpr std::size_t shortest_prefix = 4;
    const std::string* best = nullptr;
    std::size_t least = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string& name : known) {
        const std::size_t distance =
            typed.size() >= shortest_prefix && name.substr(0, typed.size()) == typed
                ? 1
                : edit_distance(typed, name);
        if (distance >= least || distance >= typed.size()) continue;
        least = distance;
        best = &name;
    }
    return best == nullptr ? std::nullopt : std::optional{*best};
}

std::vector<std::string> usual_spelling(const CLI::App& app, std::vector<std::string> arguments) {
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    const CLI::App* const command = named_command(app, arguments);
    if (command == nullptr) return arguments;
    std::vector<std::string> usual;
    for (std::string& argument : arguments) {
        const std::string_view name = name_in(argument);
        if (name == "--json" && option_called(*command, "--json") == nullptr &&
            option_called(*command, "--format") != nullptr) {
            usual.insert(usual.end(), {"--format", "json"});
            continue;
        }
        const auto other = std::find_if(other_names.begin(), other_names.end(),
                                        [&](const auto& each) { return each.first == name; });
        if (other != other_names.end() && option_called(*command, name) == nullptr &&
            option_called(*command, other->second) != nullptr)
            argument = std::string{other->second} + argument.substr(name.size());
        usual.push_back(std::move(argument));
    }
    return usual;
}

std::string first_unknown(const CLI::App& app, const std::vector<std::string>& arguments) {
    return Scan{app, arguments}.first_unknown();
}

} // namespace warpbound::cli
