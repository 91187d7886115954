#pragma once
/// \file
/// CUDA C++ source text as far as facts in comments need it: comments apart from code, and the
/// lines that a loop takes.

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
    /// Words `for`, `while` and `do` in a line: their offsets in the code.
    [[nodiscard]] std::vector<std::size_t> loop_words(std::int64_t line) const;
    [[nodiscard]] std::string_view code() const { return code_; }
    [[nodiscard]] std::int64_t line_at(std::size_t offset) const;
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
    std::vector<SourceComment> comments_;
};

/// The lines of a loop statement, as far as its text tells.
struct LoopExtent {
    bool is_do = false;
    /// The line whose branch repeats the loop: that of `for` or `while`, of a `do` its closing
    /// `while`.
    std::int64_t branch_line = 0;
    std::int64_t header_last = 0; ///< Last line of `for (..)` or `while (..)`.
    std::int64_t body_last = 0;   ///< Last line of the body; `header_last` when it is not known.
};

/// The first loop statement of the line; nothing where none begins there, or where its text does
/// not end.
std::optional<LoopExtent> loop_extent(const CodeText& code, std::int64_t line);

} // namespace warpbound::models
