#pragma once
/// \file
/// Words and numbers of the lines of a trace file; refusals have line and column.

#include "assembly/support/source_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::harness::trace {

/// A word of a line and its first column.
struct Word {
    std::string_view text;
    std::int64_t column = 1;
};

/// One line, word by word. The file's name must outlive it.
class Line {
public:
    Line(const std::string& file, std::string_view text, std::int64_t number)
        : file_{&file}, text_{text}, number_{number} {}

    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::int64_t number() const { return number_; }

    [[nodiscard]] Failure refuse(std::string what, std::int64_t column = 1) const {
        return Failure{std::move(what), *file_, number_, column};
    }
    /// The next word; empty at the end of the line.
    Word next();
    /// A part of the line as a word.
    [[nodiscard]] Word word(std::string_view part) const {
        return Word{part, part.empty() ? 1 : part.data() - text_.data() + 1};
    }
    /// The next word as a number from `lo` to `hi`; `what` names it in a refusal.
    Result<std::int64_t> decimal(std::string_view what, std::int64_t lo, std::int64_t hi) {
        return decimal(next(), what, lo, hi);
    }
    [[nodiscard]] Result<std::int64_t> decimal(const Word& word, std::string_view what,
                                               std::int64_t lo, std::int64_t hi) const;
    /// The next word as a hexadecimal number, with or without 0x.
    Result<std::uint64_t> hexadecimal(std::string_view what, std::uint64_t hi);

private:
    const std::string* file_;
    std::string_view text_;
    std::int64_t number_;
    std::size_t at_ = 0;
};

/// Returns the lines of a text that are not blank. The text must outlive this object and the lines.
class Lines {
public:
    explicit Lines(const assembly::SourceText& source) : source_{source} {}

    std::optional<Line> next();
    /// A refusal at the end of the text.
    [[nodiscard]] Failure refuse_end(std::string what) const {
        return Failure{std::move(what), source_.name, std::max<std::int64_t>(number_, 1), 1};
    }

private:
    const assembly::SourceText& source_;
    std::size_t at_ = 0;
    std::int64_t number_ = 0;
};

} // namespace warpbound::harness::trace
