#include "tests/layering/shared_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <regex>
#include <string_view>

namespace warpbound::layering {
namespace {

constexpr auto joining_words = std::to_array<std::string_view>(
    {"a", "as", "at", "by", "for", "from", "has", "in", "is", "of", "on", "to", "with"});
constexpr auto keywords = std::to_array<std::string_view>(
    {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignas", "requires",
     "noexcept", "static_assert", "operator"});

template <class Words> bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Without comments and the characters of literals.
std::string code_of(const std::string& text) {
    static const std::regex comment_or_literal{
        R"re(//[^\n]*|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')re"};
    return std::regex_replace(text, comment_or_literal, " ");
}

/// Behind the parenthesis that closes the one at `open`.
std::size_t behind_parentheses(const std::string& code, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < code.size(); ++at) {
        if (code[at] == '(') ++depth;
        if (code[at] == ')' && --depth == 0) return at + 1;
    }
    return code.size();
}

/// Whether a function body may begin there, behind a parameter list.
bool has_body(const std::string& code, std::size_t from) {
    static const std::regex body{
        R"re(^\s*(const\b)?\s*(noexcept\b)?\s*(override\b|final\b)?\s*(->[^{};()]*)?\{)re"};
    return std::regex_search(code.begin() + static_cast<std::ptrdiff_t>(from), code.end(), body,
                             std::regex_constants::match_continuous);
}

} // namespace

std::set<std::string> defined_functions(const std::string& text) {
    static const std::regex called{R"re(\b([a-z][a-z0-9_]*)\()re"};
    const std::string code = code_of(text);
    std::set<std::string> names;
    for (std::sregex_iterator at{code.begin(), code.end(), called}, end; at != end; ++at) {
        const std::string name = (*at)[1];
        const auto open = static_cast<std::size_t>(at->position() + at->length() - 1);
        const bool is_member = name.back() == '_'; // Initialised before the body of a constructor.
        if (!is_member && !contains(keywords, name) &&
            has_body(code, behind_parentheses(code, open)))
            names.insert(name);
    }
    return names;
}

bool has_several_words(const std::string& name) {
    std::size_t words = 0;
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find('_', begin), name.size());
        if (!contains(joining_words, std::string_view{name}.substr(begin, end - begin))) ++words;
        begin = end + 1;
    }
    return words > 1;
}

std::vector<std::string> shared_names(const std::vector<SourceText>& ones,
                                      const std::vector<SourceText>& others,
                                      const std::set<std::string>& allowed) {
    std::map<std::string, std::string> of_ones;
    for (const SourceText& source : ones)
        for (const auto& name : defined_functions(source.text))
            if (has_several_words(name) && allowed.count(name) == 0)
                of_ones.emplace(name, source.file);
    std::vector<std::string> shared;
    for (const SourceText& source : others)
        for (const auto& name : defined_functions(source.text))
            if (const auto found = of_ones.find(name); found != of_ones.end())
                shared.push_back(name + ": defined in " + found->second + " and in " + source.file);
    return shared;
}

} // namespace warpbound::layering
