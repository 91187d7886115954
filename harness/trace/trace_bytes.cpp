#include "harness/trace/trace_bytes.hpp"

#include "assembly/isa/operand_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace warpbound::harness::trace {

namespace {

constexpr std::size_t piece_size = std::size_t{1} << 18U;
constexpr std::size_t line_limit = std::size_t{1} << 20U;

Failure failed(const std::string& name, std::string_view what) {
    return Failure{fmt::format("{}: {}", what, std::strerror(errno)), name};
}

/// In the manner of FNV-1a (Fowler, Noll and Vo), but eight bytes at a time.
std::uint64_t summed(std::uint64_t sum, std::string_view text) {
    constexpr std::uint64_t prime = 0x100000001b3U;
    constexpr int half = 32;
    const auto add = [&](std::uint64_t word) {
        sum = (sum ^ word) * prime;
        sum ^= sum >> half; // Else high bits would never reach low ones.
    };
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        add(word);
    }
    for (; at < text.size(); ++at)
        add(static_cast<unsigned char>(text[at]));
    add('\n');
    return sum;
}

} // namespace

Result<TraceBytes> TraceBytes::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return failed(path, "cannot be opened");
    TraceBytes bytes;
    bytes.name_ = path;
    bytes.file_ = {new int{file}, [](const int* open) {
                       ::close(*open);
                       delete open;
                   }};
    struct stat status {};
    if (::fstat(file, &status) != 0) return failed(path, "cannot be read");
    if (!S_ISREG(status.st_mode))
        return Failure{"a plain file was expected: a trace is read in pieces, some of them again",
                       path};
    return bytes;
}

TraceBytes::TraceBytes(assembly::SourceText text)
    : name_{std::move(text.name)}, text_{std::make_shared<std::string>(std::move(text.text))} {}

Result<std::size_t> TraceBytes::read(std::uint64_t offset, std::span<char> to) const {
    if (text_) {
        const std::size_t from = std::min<std::uint64_t>(offset, text_->size());
        return text_->copy(to.data(), to.size(), from);
    }
    std::size_t filled = 0;
    while (filled < to.size()) {
        const auto got = ::pread(*file_, to.data() + filled, to.size() - filled,
                                 static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed(name_, "cannot be read");
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

Result<void> FilePart::advance(std::size_t begin) {
    text_.erase(0, begin);
    const std::size_t kept = text_.size();
    text_.resize(kept + piece_size);
    const auto got = bytes_->read(end_, {text_.data() + kept, piece_size});
    if (!got) return got.as_failure();
    text_.resize(kept + got.value());
    end_ += got.value();
    is_last_ = got.value() < piece_size;
    return boost::outcome_v2::success();
}

LineStream::LineStream(const TraceBytes& bytes, const LinePosition& from)
    : bytes_{&bytes}, part_{bytes, from.offset}, number_{from.line}, position_{from} {
    restart_sum();
}

void LineStream::restart_sum() {
    sum_ = 0xcbf29ce484222325U;
}

Result<std::optional<Line>> LineStream::next() {
    for (;;) {
        const std::string& buffer = part_.text();
        const std::size_t end = buffer.find('\n', at_);
        if (end == std::string::npos && !part_.is_last()) {
            if (buffer.size() - at_ > line_limit)
                return Failure{fmt::format("a line of more than {} bytes", line_limit),
                               bytes_->name(), number_ + 1, 1};
            if (auto advanced = part_.advance(std::exchange(at_, 0)); !advanced)
                return advanced.as_failure();
            continue;
        }
        if (end == std::string::npos && at_ == buffer.size()) return std::optional<Line>{};
        std::string_view text =
            std::string_view{buffer}.substr(at_, std::min(end, buffer.size()) - at_);
        position_ = {.offset = part_.offset_of(at_), .line = number_};
        at_ = std::min(end, buffer.size() - 1) + 1;
        ++number_;
        sum_ = summed(sum_, text);
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        if (!assembly::trimmed(text).empty())
            return std::optional<Line>{Line{bytes_->name(), text, number_}};
    }
}

BlockScan::BlockScan(const TraceBytes& bytes, const LinePosition& from)
    : part_{bytes, from.offset}, lines_{from.line} {}

Result<std::optional<LinePosition>> BlockScan::next() {
    for (;;) {
        const std::string& buffer = part_.text();
        const std::size_t mark = std::min(buffer.find('#', at_), buffer.size());
        // The part of its line that is in the buffer.
        const std::size_t newline = buffer.rfind('\n', mark);
        const std::size_t begin = newline == std::string::npos || mark == 0 ? 0 : newline + 1;
        const std::size_t end = buffer.find('\n', mark);
        if (mark < buffer.size() && (end != std::string::npos || part_.is_last())) {
            count_lines(begin);
            const std::string_view line =
                std::string_view{buffer}.substr(begin, std::min(end, buffer.size()) - begin);
            at_ = begin + line.size();
            if (assembly::trimmed(line) == begin_mark)
                return std::optional{
                    LinePosition{.offset = part_.offset_of(begin), .line = lines_}};
            continue;
        }
        // A line stream refuses a line of which it has read more, wherever its pieces end.
        if (part_.is_last() || buffer.size() - begin > line_limit + piece_size)
            return std::optional<LinePosition>{};
        count_lines(begin);
        counted_ = 0;
        at_ = mark - begin;
        if (auto advanced = part_.advance(begin); !advanced) return advanced.as_failure();
    }
}

void BlockScan::count_lines(std::size_t end) {
    const auto first = part_.text().begin() + static_cast<std::ptrdiff_t>(counted_);
    const auto last = part_.text().begin() + static_cast<std::ptrdiff_t>(end);
    lines_ += std::count(first, last, '\n');
    counted_ = end;
}

Failure LineStream::refuse_end(std::string what) const {
    return Failure{std::move(what), bytes_->name(), std::max<std::int64_t>(number_, 1), 1};
}

} // namespace warpbound::harness::trace
