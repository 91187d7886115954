#pragma once
/// \file
/// A cursor over the characters of a text that need not fit in memory, with line and column.

#include "harness/trace/trace_bytes.hpp"

#include <array>
#include <optional>
#include <string>

namespace warpbound::harness {

/// A position in a text.
struct TextPosition {
    std::int64_t line = 1;
    std::int64_t column = 1;
};

class TextCursor {
public:
    /// `bytes` must outlive it.
    explicit TextCursor(const trace::TraceBytes& bytes) : bytes_{&bytes} { fill(); }

    /// Empty at the end, and if the text could not be read.
    [[nodiscard]] std::optional<char> peek() const {
        return at_ < size_ ? std::optional{buffer_[at_]} : std::nullopt;
    }
    /// Requires: not at the end.
    void advance() {
        if (buffer_[at_] == '\n') {
            ++position_.line;
            position_.column = 1;
        } else {
            ++position_.column;
        }
        ++passed_;
        if (++at_ == size_) fill();
    }
    [[nodiscard]] TextPosition position() const { return position_; }
    /// Characters passed so far.
    [[nodiscard]] std::uint64_t passed() const { return passed_; }
    /// Why the text could not be read further.
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
    [[nodiscard]] Failure refuse(std::string what, TextPosition at) const {
        return Failure{std::move(what), bytes_->name(), at.line, at.column};
    }
    [[nodiscard]] Failure refuse(std::string what) const {
        return refuse(std::move(what), position_);
    }

private:
    void fill() {
        at_ = size_ = 0;
        auto read = bytes_->read(passed_, buffer_);
        if (read)
            size_ = read.value();
        else
            failure_ = read.error();
    }

    const trace::TraceBytes* bytes_;
    std::array<char, 65536> buffer_{};
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    std::uint64_t passed_ = 0;
    TextPosition position_;
    std::optional<Failure> failure_;
};

} // namespace warpbound::harness
