#pragma once
/// \file
/// The characters of a text that need not fit memory, one by one, with their place.

#include "harness/trace/trace_bytes.hpp"

#include <array>
#include <optional>
#include <string>

namespace warpbound::harness {

/// Where something stands in a text.
struct TextPlace {
    std::int64_t line = 1;
    std::int64_t column = 1;
};

class TextCursor {
public:
    /// `bytes` must outlive it.
    explicit TextCursor(const trace::TraceBytes& bytes) : bytes_{&bytes} { fill(); }

    /// Nothing at the end, or where the text could not be read.
    [[nodiscard]] std::optional<char> peek() const {
        return at_ < size_ ? std::optional{buffer_[at_]} : std::nullopt;
    }
    /// Requires: not at the end.
    void advance() {
        if (buffer_[at_] == '\n') {
            ++place_.line;
            place_.column = 1;
        } else {
            ++place_.column;
        }
        ++passed_;
        if (++at_ == size_) fill();
    }
    [[nodiscard]] TextPlace place() const { return place_; }
    /// Characters passed so far.
    [[nodiscard]] std::uint64_t passed() const { return passed_; }
    /// Why the text could not be read further.
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
    [[nodiscard]] Failure refuse(std::string what, TextPlace at) const {
        return Failure{std::move(what), bytes_->name(), at.line, at.column};
    }
    [[nodiscard]] Failure refuse(std::string what) const { return refuse(std::move(what), place_); }

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
    TextPlace place_;
    std::optional<Failure> failure_;
};

} // namespace warpbound::harness
