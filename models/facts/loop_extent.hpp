#pragma once
/// \file
/// CUDA C++ source text as far as facts in comments need it: comments apart from code, and the
/// lines that a loop takes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

struct SourceComment {
    std::int64_t line = 0; ///< Where it begins.
    std::string_view text; ///< Without its marks; into the source text.
};

/// A source text with comments, strings and preprocessor lines blanked out of the code.
class CodeText {
public:
    explicit CodeText(std::string_view text);

    [[nodiscard]] const std::vector<SourceComment>& comments() const { return comments_; }
    [[nodiscard]] std::int64_t line_count() const;
    /// The code of a line. Requires: 1 <= line <= line_count().
    [[nodiscard]] std::string_view line(std::int64_t line) const;
    /// The line, if it has code, else the next one that has; nothing at the end of the text.
    [[nodiscard]] std::optional<std::int64_t> code_from(std::int64_t line) const;
    [[nodiscard]] std::string_view code() const { return code_; }
    [[nodiscard]] std::int64_t line_at(std::size_t offset) const;
    /// Whether a preprocessor directive other than #pragma is on one of the lines.
    [[nodiscard]] bool has_directive(std::int64_t first, std::int64_t last) const;
    /// Offset of the bracket that closes the one at `open`; nothing when there is none within
    /// 100,000 characters.
    [[nodiscard]] std::optional<std::size_t> closing(std::size_t open) const;

private:
    std::size_t comment_at(std::size_t at);
    std::size_t literal_at(std::size_t at);
    void blank(std::size_t from, std::size_t to);
    void blank_preprocessor_lines();

    std::string_view text_;
    std::string code_;
    std::vector<std::size_t> line_starts_;
    std::vector<std::int64_t> directives_; ///< Their lines, increasing, without #pragma.
    std::vector<SourceComment> comments_;
};

/// The lines of a loop statement.
struct LoopExtent {
    std::int64_t first = 0; ///< Where it begins.
    bool is_do = false;
    /// The line whose branch repeats the loop: that of `for` or `while`, of a `do` its closing
    /// `while`.
    std::int64_t branch_line = 0;
    std::int64_t header_last = 0; ///< Last line of `for (..)` or `while (..)`, or of `do`.
    std::int64_t last = 0;        ///< Last line of the statement.

    [[nodiscard]] bool contains(std::int64_t line) const { return first <= line && line <= last; }
    [[nodiscard]] bool contains(const LoopExtent& other) const {
        return first <= other.first && other.last <= last;
    }
};

/// The loop statements of a text, in order of their beginning. Without those whose text does not
/// end, or has preprocessor directives in it other than #pragma. Nothing when the text has more
/// loop words than `limit`.
std::optional<std::vector<LoopExtent>> loop_statements(const CodeText& code, std::size_t limit);

} // namespace warpbound::models
