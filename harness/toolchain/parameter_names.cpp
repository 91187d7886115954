#include "harness/toolchain/parameter_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpbound::harness::toolchain {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// Comments and the insides of literals as blanks.
std::string without_comments(std::string_view text) {
    std::string out{text};
    const auto blank = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < std::min(end, out.size()); ++i)
            if (out[i] != '\n') out[i] = ' ';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t end = i;
        if (text.substr(i, 2) == "//") {
            end = std::min(text.find('\n', i), text.size());
        } else if (text.substr(i, 2) == "/*") {
            end = std::min(text.find("*/", i), text.size() - 2) + 2;
        } else if (text[i] == '"') {
            for (end = i + 1; end < text.size() && text[end] != '"'; ++end)
                if (text[end] == '\\') ++end;
            ++end;
        }
        if (end == i) continue;
        blank(i, end);
        i = end - 1;
    }
    return out;
}

/// After the bracket that closes the one at `open`; nothing where there is none.
std::optional<std::size_t> after_closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && --depth == 0) return i + 1;
    }
    return std::nullopt;
}

/// The identifier that ends at `end`, blanks aside.
std::string_view word_before(std::string_view text, std::size_t end) {
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0)
        --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(text[begin - 1]))
        --begin;
    return text.substr(begin, end - begin);
}

/// The name of a declared parameter; empty where it has none.
std::string name_of(std::string_view declaration) {
    declaration = declaration.substr(0, declaration.find('='));
    if (declaration.find('(') != std::string_view::npos) return {};
    const std::string_view whole = declaration.substr(0, declaration.find('['));
    const std::string_view name = word_before(whole, whole.size());
    constexpr std::array<std::string_view, 10> types{
        "int", "char", "long", "short", "unsigned", "signed", "float", "double", "bool", "const"};
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
        std::find(types.begin(), types.end(), name) != types.end())
        return {};
    // A single word is a type.
    const std::string_view type =
        whole.substr(0, static_cast<std::size_t>(name.data() - whole.data()));
    return type.find_first_not_of(" \t\r\n") == std::string_view::npos ? std::string{}
                                                                       : std::string{name};
}

std::vector<std::string> names_in(std::string_view list) {
    std::vector<std::string> names;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        const char c = i < list.size() ? list[i] : ',';
        if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
        if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
        if (c != ',' || (depth != 0 && i < list.size())) continue;
        const std::string_view one = list.substr(begin, i - begin);
        begin = i + 1;
        const bool is_blank = one.find_first_not_of(" \t\r\n") == std::string_view::npos;
        if (!is_blank && word_before(one, one.size()) != "void") names.push_back(name_of(one));
    }
    return names;
}

/// The parameter list of the kernel declared after `from`, and its name.
std::optional<std::pair<std::string_view, std::string_view>> declaration(std::string_view text,
                                                                         std::size_t from) {
    constexpr std::array<std::string_view, 5> attributes{
        "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__", "__attribute__"};
    for (std::size_t open = text.find('(', from); open != std::string_view::npos;) {
        const auto end = after_closing(text, open);
        if (!end) return std::nullopt;
        const std::string_view name = word_before(text, open);
        if (std::find(attributes.begin(), attributes.end(), name) == attributes.end())
            return std::pair{name, text.substr(open + 1, *end - open - 2)};
        open = text.find('(', *end);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::vector<std::string>> parameter_names(std::string_view source,
                                                        const std::string& kernel) {
    const std::string text = without_comments(source);
    std::optional<std::vector<std::string>> names;
    for (const std::string_view keyword : {"__global__", ".entry"})
        for (std::size_t at = text.find(keyword); at != std::string::npos;
             at = text.find(keyword, at + keyword.size())) {
            const auto found = declaration(text, at + keyword.size());
            if (!found || found->first != kernel) continue;
            auto these = names_in(found->second);
            if (names && *names != these) return std::nullopt;
            names = std::move(these);
        }
    return names;
}

} // namespace warpbound::harness::toolchain
