#include "models/facts/loop_extent.hpp"

#include <algorithm>
#include <cctype>
#include <set>

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
        if (!is_directive) continue;
        const std::size_t word = code_.find_first_not_of(" \t#", from);
        if (word > to || std::string_view{code_}.substr(word, 6) != "pragma")
            directives_.push_back(static_cast<std::int64_t>(number + 1));
        blank(from, to);
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

bool CodeText::has_directive(std::int64_t first, std::int64_t last) const {
    const auto found = std::lower_bound(directives_.begin(), directives_.end(), first);
    return found != directives_.end() && *found <= last;
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

namespace {

/// Finds where statements end, as offsets of their last characters.
class StatementEnds {
public:
    explicit StatementEnds(const CodeText& text) : text_{text}, code_{text.code()} {}

    /// After `(..)`, which begins at or after `at`: offset of its end.
    [[nodiscard]] std::optional<std::size_t> parentheses(std::size_t at) const {
        const std::size_t open = skip_blanks(code_, at);
        if (open == code_.size() || code_[open] != '(') return std::nullopt;
        return text_.closing(open);
    }

    [[nodiscard]] std::optional<std::size_t> statement(std::size_t at, int depth = 0) const {
        constexpr int deepest = 100;
        at = skip_blanks(code_, at);
        if (at == code_.size() || depth == deepest) return std::nullopt;
        if (code_[at] == '{') return text_.closing(at);
        if (has_word(code_, at, "do")) {
            const auto repeat = closing_while(at, depth);
            return repeat ? semicolon(*repeat) : std::nullopt;
        }
        for (const std::string_view word : {"for", "while", "switch", "if"})
            if (has_word(code_, at, word)) return after_condition(at + word.size(), word, depth);
        return semicolon(at);
    }

    /// Offset of the `while` that closes the `do` at `at`.
    [[nodiscard]] std::optional<std::size_t> closing_while(std::size_t at, int depth = 0) const {
        const auto body = statement(at + 2, depth + 1);
        if (!body) return std::nullopt;
        const std::size_t repeat = skip_blanks(code_, *body + 1);
        return has_word(code_, repeat, "while") ? std::optional{repeat} : std::nullopt;
    }

private:
    [[nodiscard]] std::optional<std::size_t> after_condition(std::size_t at, std::string_view word,
                                                             int depth) const {
        const std::size_t constexpr_word = skip_blanks(code_, at);
        if (has_word(code_, constexpr_word, "constexpr")) at = constexpr_word + 9;
        const auto condition = parentheses(at);
        const auto end = condition ? statement(*condition + 1, depth + 1) : std::nullopt;
        if (!end || word != "if") return end;
        const std::size_t other = skip_blanks(code_, *end + 1);
        return has_word(code_, other, "else") ? statement(other + 4, depth + 1) : end;
    }

    [[nodiscard]] std::optional<std::size_t> semicolon(std::size_t at) const {
        const std::size_t stop = std::min(code_.size(), at + longest_loop);
        while (at < stop && code_[at] != ';') {
            const bool opens = std::string_view{"([{"}.find(code_[at]) != std::string_view::npos;
            const auto close = opens ? text_.closing(at) : std::optional{at};
            if (!close || code_[at] == '}') return std::nullopt;
            at = *close + 1;
        }
        return at < stop ? std::optional{at} : std::nullopt;
    }

    const CodeText& text_;
    std::string_view code_;
};

} // namespace

std::optional<std::vector<LoopExtent>> loop_statements(const CodeText& text, std::size_t limit) {
    const StatementEnds ends{text};
    const std::string_view code = text.code();
    std::vector<LoopExtent> found;
    std::size_t words = 0;
    std::set<std::size_t> closing; // `while` of a `do`
    for (std::size_t at = 0; at < code.size(); ++at) {
        if (code[at] != 'f' && code[at] != 'w' && code[at] != 'd') continue;
        const bool is_do = has_word(code, at, "do");
        const bool is_for = has_word(code, at, "for");
        if ((!is_do && !is_for && !has_word(code, at, "while")) || closing.count(at) > 0) continue;
        if (++words > limit) return std::nullopt;
        LoopExtent extent{text.line_at(at), is_do, text.line_at(at), text.line_at(at), 0};
        if (is_do) {
            const auto repeat = ends.closing_while(at);
            if (!repeat) continue;
            closing.insert(*repeat);
            extent.branch_line = text.line_at(*repeat);
        } else {
            const auto header = ends.parentheses(at + (is_for ? 3 : 5));
            if (!header) continue;
            extent.header_last = text.line_at(*header);
        }
        const auto end = ends.statement(at);
        if (!end) continue;
        extent.last = text.line_at(*end);
        if (!text.has_directive(extent.first, extent.last)) found.push_back(extent);
    }
    return found;
}

} // namespace warpbound::models
