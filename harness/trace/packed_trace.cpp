#include "harness/trace/packed_trace.hpp"

#include "assembly/binary/byte_reader.hpp"
#include "assembly/binary/compressed.hpp"
#include "assembly/binary/zstd_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::harness::trace {

namespace {

/// Numbers of a file, lowest byte first. Reading past the end leaves it failed.
class Numbers {
public:
    Numbers(std::string_view bytes, std::uint64_t at) : bytes_{bytes}, at_{at} {}

    template <typename Number> Number next() {
        return assembly::number_at<Number>(take(sizeof(Number)), 0).value_or(0);
    }
    /// Empty, and failed, where the file has fewer.
    std::string_view take(std::uint64_t count) {
        const auto taken = assembly::bytes_at(bytes_, at_, count);
        if (!taken) {
            failed_ = true;
            return {};
        }
        at_ += count;
        return *taken;
    }
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[nodiscard]] std::uint64_t left() const {
        return at_ > bytes_.size() ? 0 : bytes_.size() - at_;
    }

private:
    std::string_view bytes_;
    std::uint64_t at_;
    bool failed_ = false;
};

struct IndexedWarp {
    std::uint32_t instructions = 0;
    std::uint64_t offset = 0;
    std::vector<std::uint32_t> of_parts; ///< Instructions of each.
};

/// Reads a file of Accel-Sim 2.0.
class Tracez {
public:
    Tracez(const assembly::SourceText& file, std::size_t limit) : file_{file}, limit_{limit} {}

    Result<std::string> text() {
        const std::size_t end = file_.text.find('\0');
        if (end == std::string::npos)
            return refuse("has no end of the kernel's header; expected a .tracez file");
        text_ = file_.text.substr(0, end);
        Numbers start{file_.text, end + 1};
        const auto size_of_dictionary = start.next<std::uint32_t>();
        start.next<std::uint32_t>(); // Intended instructions of a part.
        const std::string_view dictionary = start.take(size_of_dictionary);
        if (start.failed()) return refuse("ends in its dictionary");
        frames_.emplace(dictionary);
        Numbers tail{file_.text, std::max<std::uint64_t>(file_.text.size(), 8) - 8};
        const auto index = tail.next<std::uint64_t>();
        if (tail.failed() || index < start.at() || index > file_.text.size() - 8)
            return refuse("does not say where its index is; was it cut?");
        Numbers numbers{std::string_view{file_.text}.substr(0, file_.text.size() - 8), index};
        const auto blocks = numbers.next<std::uint32_t>();
        for (std::uint32_t block = 0; block < blocks && !numbers.failed(); ++block)
            if (auto taken = take_block(numbers); !taken) return taken.as_failure();
        if (numbers.failed() || numbers.left() != 0)
            return refuse("has an index that does not fit the file");
        return std::move(text_);
    }

private:
    [[nodiscard]] Failure refuse(std::string what) const {
        return Failure{std::move(what), file_.name};
    }

    Result<void> append(std::string_view more) {
        if (text_.size() + more.size() > limit_)
            return refuse(fmt::format("holds more than the limit of {} bytes", limit_));
        text_ += more;
        return boost::outcome_v2::success();
    }

    Result<void> take_block(Numbers& numbers) {
        constexpr std::size_t count = 10; // Block, cluster, block in the cluster; rank.
        std::array<std::uint32_t, count> id{};
        for (auto& number : id)
            number = numbers.next<std::uint32_t>();
        const auto warps = numbers.next<std::uint32_t>();
        if (numbers.failed()) return boost::outcome_v2::success(); // Refused by the caller.
        block_ = fmt::format("{},{},{}", id[0], id[1], id[2]);
        if (auto more =
                append(fmt::format("\n#BEGIN_TB\n\nthread block = {}\ncluster id = {},{},{}\n"
                                   "cluster cta = {},{},{}\ncluster rank = {}\n",
                                   block_, id[3], id[4], id[5], id[6], id[7], id[8], id[9]));
            !more)
            return more;
        for (std::uint32_t warp = 0; warp < warps && !numbers.failed(); ++warp) {
            IndexedWarp indexed;
            indexed.instructions = numbers.next<std::uint32_t>();
            const auto parts = numbers.next<std::uint32_t>();
            indexed.offset = numbers.next<std::uint64_t>();
            for (std::uint32_t part = 0; part < parts && !numbers.failed(); ++part)
                indexed.of_parts.push_back(numbers.next<std::uint32_t>());
            if (numbers.failed()) break;
            if (auto taken = take_warp(warp, indexed); !taken) return taken;
        }
        return append("\n#END_TB\n");
    }

    Result<void> take_warp(std::uint32_t number, const IndexedWarp& warp) {
        const auto refuse_warp = [&](std::string_view what) {
            return refuse(fmt::format("warp {} of block {} {}", number, block_, what));
        };
        Numbers numbers{file_.text, warp.offset};
        if (numbers.next<std::uint32_t>() != warp.instructions ||
            numbers.next<std::uint32_t>() != warp.of_parts.size() || numbers.failed())
            return refuse_warp("is not where the index says, or has other numbers");
        if (auto more = append(fmt::format("\nwarp = {}\ninsts = {}\n", number, warp.instructions));
            !more)
            return more;
        std::uint64_t sum = 0;
        for (const std::uint32_t expected : warp.of_parts) {
            const std::string_view frame = numbers.take(numbers.next<std::uint32_t>());
            if (numbers.failed()) return refuse_warp("is cut off");
            auto part = frames_->unpack(frame, limit_ - text_.size());
            if (!part) return refuse_warp(fmt::format("has {}", part.error().what));
            std::string& lines = part.value();
            if (!lines.empty() && lines.back() != '\n') lines += '\n';
            if (std::count(lines.begin(), lines.end(), '\n') != expected)
                return refuse_warp(fmt::format("has a part of {} lines, not the {} announced",
                                               std::count(lines.begin(), lines.end(), '\n'),
                                               expected));
            sum += expected;
            if (auto more = append(lines); !more) return more;
        }
        if (sum != warp.instructions)
            return refuse_warp(
                fmt::format("has {} instructions, not the {} announced", sum, warp.instructions));
        return boost::outcome_v2::success();
    }

    const assembly::SourceText& file_;
    std::size_t limit_;
    std::string text_;
    std::string block_; ///< Of the block that is read.
    std::optional<assembly::ZstdFrames> frames_;
};

bool is_packed(const std::filesystem::path& file) {
    const auto extension = file.extension();
    return extension == ".tracez" || extension == ".xz" || extension == ".gz";
}

Result<assembly::SourceText> unpacked(const std::filesystem::path& file, std::size_t limit) {
    auto source = assembly::read_source(file, limit);
    if (!source) return source;
    auto text = file.extension() == ".tracez"
                    ? text_of_tracez(source.value(), limit)
                    : assembly::decompressed(std::move(source.value().text), limit);
    if (!text) {
        Failure failure = text.error();
        failure.where = file.string();
        return failure;
    }
    return assembly::SourceText{file.string(), std::move(text).value()};
}

} // namespace

bool is_trace_name(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const auto ends = [&](std::string_view with) {
        return name.size() >= with.size() &&
               std::string_view{name}.substr(name.size() - with.size()) == with;
    };
    return ends(".traceg") || ends(".tracez") || ends(".traceg.xz") || ends(".traceg.gz") ||
           (name.rfind("kernelslist", 0) == 0 && ends(".g"));
}

Result<std::string> text_of_tracez(const assembly::SourceText& file, std::size_t limit) {
    return Tracez{file, limit}.text();
}

Result<TraceBytes> open_trace(const std::filesystem::path& file, std::size_t limit) {
    if (!is_packed(file)) return TraceBytes::open(file.string());
    auto text = unpacked(file, limit);
    if (!text) return text.as_failure();
    return TraceBytes{std::move(text).value()};
}

Result<assembly::SourceText> read_trace_text(const std::filesystem::path& file) {
    if (!is_packed(file)) return assembly::read_source(file);
    return unpacked(file, assembly::source_size_limit);
}

} // namespace warpbound::harness::trace
