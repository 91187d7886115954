/// \file
/// `warpbound manual` and `warpbound completion`: manual pages and shell completion, made of the
/// help texts.

#include "cli/program/command.hpp"
#include "cli/program/help_format.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace warpbound::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Text as troff takes it: backslashes, hyphens and dots at the start of a line are escaped.
std::string troff(std::string_view text) {
    std::string escaped;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) escaped += "\\&";
        if (text[i] == '\\' || text[i] == '-') escaped += '\\';
        escaped += text[i];
    }
    return escaped;
}

std::string option_entry(const CLI::Option& option, bool is_positional) {
    const std::string name = is_positional ? option.get_name(true) : option.get_name(false, true);
    const std::string value = is_positional ? std::string{} : value_name(option);
    return fmt::format(".TP\n.B {}{}\n{}\n", troff(name), value.empty() ? "" : " " + troff(value),
                       troff(description_of(option)));
}

std::string sections_of(const CLI::App& command) {
    std::string page;
    std::map<std::string, std::string> groups;
    for (const CLI::Option* option : command.get_options({})) {
        const bool is_positional = option->get_positional();
        groups[is_positional ? "Arguments" : option->get_group()] +=
            option_entry(*option, is_positional);
    }
    for (const auto& [group, entries] : groups)
        page += fmt::format(".SH {}\n{}", troff(group), entries);
    return page;
}

std::string manual_page(const CLI::App& app, const CLI::App* command) {
    const CLI::App& shown = command == nullptr ? app : *command;
    const std::string title =
        command == nullptr ? std::string{"warpbound"} : "warpbound-" + command->get_name();
    std::string page =
        fmt::format(".TH {} 1 \"\" \"warpbound {}\"\n.SH NAME\n{} \\- {}\n", troff(title), version,
                    troff(title), troff(shown.get_description()));
    page += fmt::format(".SH SYNOPSIS\n.B warpbound {}\n[OPTIONS]\n",
                        command == nullptr ? "COMMAND" : troff(command->get_name()));
    page += sections_of(shown);
    const auto below = commands_of(shown);
    if (!below.empty()) page += ".SH COMMANDS\n";
    for (const CLI::App* each : below)
        page += fmt::format(".TP\n.B {}\n{}\n", troff(each->get_name()),
                            troff(each->get_description()));
    if (!shown.get_footer().empty())
        page += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", troff(shown.get_footer()));
    return page;
}

/// Long names of a command's options, and of its subcommands.
std::vector<std::string> words_of(const CLI::App& command) {
    std::vector<std::string> words;
    for (const CLI::App* below : commands_of(command))
        words.push_back(below->get_name());
    for (const CLI::Option* option : command.get_options({}))
        for (const std::string& name : option->get_lnames())
            words.push_back("--" + name);
    return words;
}

std::string bash_completion(const CLI::App& app) {
    std::string cases;
    for (const CLI::App* command : commands_of(app))
        cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(),
                             fmt::join(words_of(*command), " "));
    return fmt::format("_warpbound() {{\n"
                       "  local word=${{COMP_WORDS[COMP_CWORD]}} words=\"{}\"\n"
                       "  [ \"$COMP_CWORD\" -gt 1 ] && case ${{COMP_WORDS[1]}} in\n{}  esac\n"
                       "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                       "  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
                       "}}\n"
                       "complete -o filenames -F _warpbound warpbound\n",
                       fmt::join(words_of(app), " "), cases);
}

std::string fish_completion(const CLI::App& app) {
    std::string lines;
    const auto quoted = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2)
            text.insert(at, "\\");
        return text;
    };
    for (const CLI::App* command : commands_of(app)) {
        lines += fmt::format("complete -c warpbound -n __fish_use_subcommand -f -a {} -d '{}'\n",
                             command->get_name(), quoted(command->get_description()));
        for (const CLI::Option* option : command->get_options({}))
            for (const std::string& name : option->get_lnames())
                lines += fmt::format(
                    "complete -c warpbound -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                    command->get_name(), name, option->get_items_expected_max() == 0 ? "" : " -r",
                    quoted(option->get_description()));
    }
    return lines;
}

/// A file `_warpbound` of a folder in `fpath`; sourced, it registers itself.
std::string zsh_completion(const CLI::App& app) {
    const auto described = [](const std::string& name, const std::string& text) {
        std::string quoted;
        for (const char c : text.substr(0, text.find('\n')))
            quoted += c == '\'' ? "'\\''" : c == ':' ? "\\:" : std::string{c};
        return fmt::format("'{}:{}'", name, quoted);
    };
    std::string commands;
    std::string cases;
    for (const CLI::App* command : commands_of(app)) {
        commands += "      " + described(command->get_name(), command->get_description()) + "\n";
        cases += fmt::format("    {}) words_of_command=({}) ;;\n", command->get_name(),
                             fmt::join(words_of(*command), " "));
    }
    return fmt::format("#compdef warpbound\n"
                       "_warpbound() {{\n"
                       "  local -a commands words_of_command\n"
                       "  if (( CURRENT == 2 )); then\n"
                       "    commands=(\n{}    )\n"
                       "    _describe command commands\n"
                       "    return\n"
                       "  fi\n"
                       "  case ${{words[2]}} in\n{}  esac\n"
                       "  compadd -a words_of_command\n"
                       "  _files\n"
                       "}}\n"
                       "if [ \"$funcstack[1]\" = _warpbound ]; then _warpbound \"$@\"\n"
                       "else compdef _warpbound warpbound\nfi\n",
                       commands, cases);
}

std::string completion(const CLI::App& app, const std::string& shell) {
    if (shell == "fish") return fish_completion(app);
    if (shell == "zsh") return zsh_completion(app);
    return bash_completion(app);
}

Exit print_manual(const CLI::App& app, const std::string& name) {
    if (name.empty()) return write_result(manual_page(app, nullptr));
    for (const CLI::App* command : commands_of(app))
        if (command->get_name() == name) return write_result(manual_page(app, command));
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app))
        names.push_back(command->get_name());
    say("warpbound: {} is no command; expected one of {}\n", name, fmt::join(names, ", "));
    return Exit::Usage;
}

} // namespace

void add_manual(CLI::App& app, Invocation& invocation) {
    auto name = std::make_shared<std::string>();
    CLI::App* manual =
        app.add_subcommand("manual", "Print the manual page of the program or of a command");
    manual->add_option("COMMAND", *name, "A command; without one, the program");
    manual->footer("Example: warpbound manual analyze | man -l -");
    manual->callback([name, &app, &invocation] {
        invocation.run = [name, &app] { return print_manual(app, *name); };
    });
    auto shell = std::make_shared<std::string>();
    CLI::App* completing = app.add_subcommand(
        "completion", "Print the completion of commands and options for a shell");
    completing->add_option("SHELL", *shell, "Shell")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completing->footer("Example: source <(warpbound completion bash)");
    completing->callback([shell, &app, &invocation] {
        invocation.run = [shell, &app] { return write_result(completion(app, *shell)); };
    });
}

} // namespace warpbound::cli
