#pragma once
/// \file
/// The bytes of a trace file that need not fit memory, and its lines one by one.

#include "harness/trace/trace_text.hpp"

#include <memory>
#include <span>

namespace warpbound::harness::trace {

/// A file or a text. May be read from several threads at once.
class TraceBytes {
public:
    /// Refuses what cannot be opened and what is no plain file. The file stays open.
    static Result<TraceBytes> open(const std::string& path);
    explicit TraceBytes(assembly::SourceText text);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Fills `to` from there on; fewer bytes at the end.
    Result<std::size_t> read(std::uint64_t offset, std::span<char> to) const;

private:
    TraceBytes() = default;

    std::string name_;
    std::shared_ptr<const int> file_; ///< Closed with the last copy.
    std::shared_ptr<const std::string> text_;
};

/// A line of a file.
struct LinePlace {
    std::uint64_t offset = 0; ///< Of its first byte.
    std::int64_t line = 0;    ///< Number of the line before.
};

/// Hands out lines that are not blank, and keeps one piece of the file in memory.
class LineStream {
public:
    /// `bytes` must outlive it.
    explicit LineStream(const TraceBytes& bytes, const LinePlace& from = {});

    /// None at the end. The line stands until the next one is asked for. Refuses a line longer than
    /// 1 MiB.
    Result<std::optional<Line>> next();
    /// Where the last line that was handed out begins.
    [[nodiscard]] const LinePlace& place() const { return place_; }
    [[nodiscard]] Failure refuse_end(std::string what) const;
    /// Of the lines handed out since `restart_sum`; equal lines have equal sums.
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    void restart_sum();

private:
    const TraceBytes* bytes_;
    std::string buffer_;
    std::size_t at_ = 0;      ///< In the buffer: the next line.
    std::uint64_t read_ = 0;  ///< Offset behind the buffer.
    bool ended_ = false;      ///< Nothing is behind the buffer.
    std::int64_t number_ = 0; ///< Lines so far.
    std::uint64_t sum_ = 0;
    LinePlace place_;
};

} // namespace warpbound::harness::trace
