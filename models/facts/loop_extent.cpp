#include "models/facts/loop_extent.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpbound::models {

namespace {

/// Characters of a loop that is read; bounds the time that many comments take.
constexpr std::size_t longest_loop = 100'000;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t skip_blanks(std::string_view code, std::size_t at) {
    return std::min(code.find_first_not_of(" \t\r\n\v\f", at), code.size());
}

bool has_word(std::string_view code, std::size_t at, std::string_view word) {
    return code.substr(at, word.size()) == word &&
           (at + word.size() == code.size() || !is_word(code[at + word.size()])) &&
           (at == 0 || !is_word(code[at - 1]));
}

} // namespace

CodeText::CodeText(std::string_view text) : text_{text}, code_{text} {
    line_starts_.push_back(0);
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == '\n') line_starts_.push_back(at + 1);
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view two = text.substr(at, 2);
        if (two == "//" || two == "/*")
            at = comment_at(at);
        else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_word(text[at - 1]))))
            at = literal_at(at);
        else
            ++at;
    }
    blank_preprocessor_lines();
}

std::size_t CodeText::comment_at(std::size_t at) {
    const bool to_line_end = text_[at + 1] == '/';
    const std::size_t end = std::min(text_.find(to_line_end ? "\n" : "*/", at + 2), text_.size());
    comments_.push_back({line_at(at), text_.substr(at + 2, end - at - 2)});
    const std::size_t after = std::min(to_line_end ? end : end + 2, text_.size());
    blank(at, after);
    return after;
}

std::size_t CodeText::literal_at(std::size_t at) {
    std::size_t end = at + 1;
    if (text_[at] == '"' && at > 0 && text_[at - 1] == 'R') { // R"delimiter( .. )delimiter"
        const std::size_t open = text_.find('(', at);
        if (open == std::string_view::npos) return end;
        const std::string close = ")" + std::string{text_.substr(at + 1, open - at - 1)} + "\"";
        const std::size_t found = text_.find(close, open);
        end = found == std::string_view::npos ? text_.size() : found + close.size();
    } else {
        while (end < text_.size() && text_[end] != text_[at] && text_[end] != '\n')
            end += text_[end] == '\\' ? 2U : 1U;
        end = std::min(end + 1, text_.size());
    }
    blank(at, end);
    return end;
}

void CodeText::blank(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at)
        if (code_[at] != '\n') code_[at] = ' ';
}

void CodeText::blank_preprocessor_lines() {
    bool continues = false;
    for (std::size_t number = 0; number < line_starts_.size(); ++number) {
        const std::size_t from = line_starts_[number];
        const std::size_t to =
            number + 1 < line_starts_.size() ? line_starts_[number + 1] : code_.size();
        const std::size_t first = code_.find_first_not_of(" \t", from);
        const bool is_directive = continues || (first < to && code_[first] == '#');
        std::size_t last = to;
        while (last > from && (code_[last - 1] == '\n' || code_[last - 1] == '\r'))
            --last;
        continues = is_directive && last > from && code_[last - 1] == '\\';
        if (is_directive) blank(from, to);
    }
}

std::int64_t CodeText::line_count() const {
    return static_cast<std::int64_t>(line_starts_.size());
}

std::string_view CodeText::line(std::int64_t line) const {
    const auto number = static_cast<std::size_t>(line);
    const std::size_t from = line_starts_[number - 1];
    const std::size_t to = number < line_starts_.size() ? line_starts_[number] : code_.size();
    return std::string_view{code_}.substr(from, to - from);
}

std::optional<std::int64_t> CodeText::code_from(std::int64_t first) const {
    for (std::int64_t at = first; at <= line_count(); ++at)
        if (skip_blanks(line(at), 0) < line(at).size()) return at;
    return std::nullopt;
}

std::vector<std::size_t> CodeText::loop_words(std::int64_t number) const {
    std::vector<std::size_t> found;
    const std::size_t from = line_starts_[static_cast<std::size_t>(number - 1)];
    const std::size_t to = from + line(number).size();
    constexpr std::array<std::string_view, 3> words{"for", "while", "do"};
    for (std::size_t at = from; at < to; ++at)
        if (std::any_of(words.begin(), words.end(),
                        [&](std::string_view word) { return has_word(code_, at, word); }))
            found.push_back(at);
    return found;
}

std::int64_t CodeText::line_at(std::size_t offset) const {
    return std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
           line_starts_.begin();
}

std::optional<std::size_t> CodeText::closing(std::size_t open) const {
    std::string expected;
    const std::size_t end = std::min(code_.size(), open + longest_loop);
    for (std::size_t at = open; at < end; ++at) {
        const char c = code_[at];
        if (c == '(' || c == '[' || c == '{')
            expected.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
        else if (c == ')' || c == ']' || c == '}') {
            if (expected.empty() || expected.back() != c) return std::nullopt;
            expected.pop_back();
            if (expected.empty()) return at;
        }
    }
    return std::nullopt;
}

std::optional<LoopExtent> loop_extent(const CodeText& text, std::int64_t line) {
    const auto words = text.loop_words(line);
    if (words.empty()) return std::nullopt;
    const std::string_view code = text.code();
    const std::size_t word = words.front();
    if (has_word(code, word, "do")) {
        const std::size_t open = skip_blanks(code, word + 2);
        if (open == code.size() || code[open] != '{') return std::nullopt;
        const auto close = text.closing(open);
        if (!close) return std::nullopt;
        const std::size_t repeat = skip_blanks(code, *close + 1);
        if (!has_word(code, repeat, "while")) return std::nullopt;
        const std::int64_t last = text.line_at(repeat);
        return LoopExtent{true, last, line, last};
    }
    const std::size_t open = code.find('(', word);
    const auto close = open == std::string_view::npos ? std::nullopt : text.closing(open);
    if (!close) return std::nullopt;
    LoopExtent extent{false, line, text.line_at(*close), text.line_at(*close)};
    const std::size_t body = skip_blanks(code, *close + 1);
    const std::size_t end = body < code.size() && code[body] == '{'
                                ? text.closing(body).value_or(*close)
                                : std::min(code.find_first_of(";{", body), code.size() - 1);
    extent.body_last = std::max(extent.header_last, text.line_at(end));
    return extent;
}

} // namespace warpbound::models
