#pragma once
/// \file
/// Access to the bytes and lines of a trace file that need not fit in memory.

#include "harness/trace/trace_text.hpp"

#include <memory>
#include <span>

namespace warpbound::harness::trace {

/// The bytes of a file or a text. May be read from several threads at once.
class TraceBytes {
public:
    /// Refuses a file that cannot be opened and anything but a regular file. The file stays open.
    static Result<TraceBytes> open(const std::string& path);
    explicit TraceBytes(assembly::SourceText text);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Fills `to` with the bytes from `offset` on. Returns their number, which is smaller at the
    /// end.
    Result<std::size_t> read(std::uint64_t offset, std::span<char> to) const;

private:
    TraceBytes() = default;

    std::string name_;
    std::shared_ptr<const int> file_; ///< Closed with the last copy.
    std::shared_ptr<const std::string> text_;
};

/// A part of a file that is moved along it, piece by piece.
class FilePart {
public:
    /// `bytes` must outlive it. Empty at first.
    FilePart(const TraceBytes& bytes, std::uint64_t offset) : bytes_{&bytes}, end_{offset} {}

    [[nodiscard]] const std::string& text() const { return text_; }
    /// The file ends with this part.
    [[nodiscard]] bool is_last() const { return is_last_; }
    [[nodiscard]] std::uint64_t offset_of(std::size_t at) const { return end_ - text_.size() + at; }
    /// Drops what lies before `begin` and appends the next piece. Refuses what cannot be read.
    Result<void> advance(std::size_t begin);

private:
    const TraceBytes* bytes_;
    std::string text_;
    std::uint64_t end_; ///< File offset behind the part.
    bool is_last_ = false;
};

/// The position of a line in a file.
struct LinePosition {
    std::uint64_t offset = 0; ///< Of its first byte.
    std::int64_t line = 0;    ///< Number of the previous line.
};

/// Returns the lines that are not blank, and keeps one piece of the file in memory.
class LineStream {
public:
    /// `bytes` must outlive it.
    explicit LineStream(const TraceBytes& bytes, const LinePosition& from = {});

    /// The next line; empty at the end. The line is valid until the next call. Refuses a line
    /// longer than 1 MiB.
    Result<std::optional<Line>> next();
    /// The position of the last returned line.
    [[nodiscard]] const LinePosition& position() const { return position_; }
    [[nodiscard]] Failure refuse_end(std::string what) const;
    /// Lines so far, blank ones included.
    [[nodiscard]] std::int64_t count() const { return number_; }
    /// Hash of the lines returned since `restart_sum`; equal lines have equal sums.
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    void restart_sum();

private:
    const TraceBytes* bytes_;
    FilePart part_;
    std::size_t at_ = 0;      ///< Position of the next line in the part.
    std::int64_t number_ = 0; ///< Lines so far.
    std::uint64_t sum_ = 0;
    LinePosition position_;
};

/// Finds where blocks begin, many times faster than lines are read.
class BlockScan {
public:
    /// `bytes` must outlive it. `from`: the beginning of a line.
    BlockScan(const TraceBytes& bytes, const LinePosition& from);

    /// The next line that is `begin_mark`; none at the end, and behind a line that `LineStream`
    /// refuses as too long.
    Result<std::optional<LinePosition>> next();

    static constexpr std::string_view begin_mark = "#BEGIN_TB";

private:
    void count_lines(std::size_t end);

    FilePart part_;
    std::size_t at_ = 0;      ///< Up to here, marks were looked for.
    std::size_t counted_ = 0; ///< Up to here, lines were counted.
    std::int64_t lines_;      ///< Before `counted_`.
};

} // namespace warpbound::harness::trace
