#include "harness/trace/recorded_trace.hpp"

#include "assembly/support/digest.hpp"
#include "harness/protocol/worker_pool.hpp"
#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace warpbound::harness::trace {

namespace {

/// Largest number of warps of a launch.
constexpr std::int64_t warp_limit = std::int64_t{1} << 20U;
/// What threads read before blocks are kept, unless one block is larger. Unit: bytes.
constexpr std::uint64_t batch_size = std::uint64_t{8} << 20U;

std::int64_t block_number(const SassTrace& header, const Dimensions& block) {
    return block[0] + header.grid[0] * (block[1] + header.grid[1] * block[2]);
}

Dimensions dimensions_of(const SassTrace& header, std::int64_t number) {
    const std::int64_t x = header.grid[0];
    const std::int64_t y = header.grid[1];
    return {number % x, number / x % y, number / x / y};
}

std::string to_string(const Dimensions& block) {
    return fmt::format("{},{},{}", block[0], block[1], block[2]);
}

Result<std::string> digest_of_all(const TraceBytes& bytes) {
    assembly::Digest digest;
    std::vector<char> piece(std::size_t{1} << 18U);
    for (std::uint64_t offset = 0;;) {
        const auto got = bytes.read(offset, piece);
        if (!got) return got.as_failure();
        digest.add({piece.data(), got.value()});
        offset += got.value();
        if (got.value() < piece.size()) return digest.text();
    }
}

} // namespace

Result<SassTrace> read_trace_header(const TraceBytes& bytes) {
    LineStream lines{bytes};
    SassTraceReader reader;
    for (;;) {
        auto line = lines.next();
        if (!line) return line.as_failure();
        if (!line.value()) return lines.refuse_end(reader.missing().value_or("the trace is empty"));
        const auto taken = reader.take(*line.value());
        if (!taken) return taken.as_failure();
        if (!reader.in_block()) continue;
        SassTrace header = reader.trace();
        header.blocks.clear();
        return header;
    }
}

models::Launch RecordedTrace::launch() const {
    models::Launch launch{.blocks = header_.blocks_launched(),
                          .threads = header_.block[0] * header_.block[1] * header_.block[2]};
    launch.registers = header_.registers;
    launch.shared_memory = header_.shared_memory;
    return launch;
}

std::int64_t RecordedTrace::blocks_read_again() const {
    return std::count(kept_.begin(), kept_.end(), nullptr);
}

Result<std::unique_ptr<RecordedTrace>> RecordedTrace::open(TraceBytes bytes, const Listing& listing,
                                                           std::size_t kept_limit,
                                                           const Progress& progress,
                                                           unsigned threads) {
    std::unique_ptr<RecordedTrace> trace{new RecordedTrace{std::move(bytes), listing}};
    const auto read = trace->read(kept_limit, progress, threads);
    if (!read) return read.as_failure();
    return trace;
}

/// Called at the first block, when the header is complete.
Result<void> RecordedTrace::take_header(SassTraceReader& reader) {
    const auto refuse = [this](std::string what) {
        return Failure{std::move(what), bytes_.name()};
    };
    header_ = reader.trace();
    header_.blocks.clear();
    const assembly::Function& function = *listing_.function;
    if (const auto matched = match_kernel(function, listing_.file, header_); !matched)
        return refuse(matched.error().what);
    if (header_.blocks_launched() * header_.warps_per_block() > warp_limit)
        return refuse(fmt::format("a launch of more than {} warps", warp_limit));
    entries_.resize(static_cast<std::size_t>(header_.blocks_launched()));
    kept_.resize(entries_.size());
    issued_.resize(function.instructions.size());
    return boost::outcome_v2::success();
}

Result<void> RecordedTrace::take_warp(const SassTrace& header, const ReadWarp& read,
                                      const Dimensions& number, RecordedBlock& into) const {
    const std::int64_t threads = header.block[0] * header.block[1] * header.block[2];
    const std::int64_t lanes =
        std::min(recorded_lane_count, threads - read.warp->number * recorded_lane_count);
    auto matched = match_stream(
        listing_, {.file = bytes_.name(),
                   .name = fmt::format("warp {} of block {}", read.warp->number, to_string(number)),
                   .lanes = static_cast<RecordedLanes>((std::uint64_t{1} << lanes) - 1),
                   .warp = read.warp,
                   .lines = read.lines});
    if (!matched) return matched.as_failure();
    read.warp->issues = {};
    into.warps.resize(static_cast<std::size_t>(header.warps_per_block()));
    into.warps[static_cast<std::size_t>(read.warp->number)] = std::move(matched.value());
    return boost::outcome_v2::success();
}

void RecordedTrace::note_issues(const RecordedBlock& block) {
    for (const RecordedWarp& warp : block.warps)
        for (const RecordedStretch& stretch : warp.stretches) {
            instructions_ += stretch.last - stretch.first + 1;
            std::fill(issued_.begin() + stretch.first, issued_.begin() + stretch.last + 1, true);
        }
}

Failure RecordedTrace::refuse_end(std::int64_t lines, std::string what) const {
    return Failure{std::move(what), bytes_.name(), std::max<std::int64_t>(lines, 1), 1};
}

Result<std::optional<LinePosition>> RecordedTrace::read_header() {
    LineStream lines{bytes_};
    SassTraceReader reader;
    for (;;) {
        auto next = lines.next();
        if (!next) return next.as_failure();
        if (!next.value()) break;
        before_blocks_.emplace(reader);
        const auto taken = reader.take(*next.value());
        if (!taken) return taken.as_failure();
        if (!reader.in_block()) continue;
        if (const auto begun = take_header(reader); !begun) return begun.as_failure();
        return std::optional{lines.position()};
    }
    if (auto missing = reader.missing()) return lines.refuse_end(std::move(*missing));
    return lines.refuse_end("no block is recorded");
}

Result<void> RecordedTrace::read(std::size_t kept_limit, const Progress& progress,
                                 unsigned threads) {
    const auto first = read_header();
    if (!first) return first.as_failure();
    BlockScan scan{bytes_, *first.value()};
    std::int64_t last_line = 0;
    for (auto begin = scan.next(); !begin || begin.value();) {
        if (!begin) return begin.as_failure();
        std::vector<LinePosition> batch;
        const std::uint64_t from = begin.value()->offset;
        for (; begin && begin.value() && begin.value()->offset - from <= batch_size;
             begin = scan.next())
            batch.push_back(*begin.value());
        Batch<ReadBlock> read =
            WorkerPool<ReadBlock>{[&](std::int64_t i) {
                                      return read_block(batch[static_cast<std::size_t>(i)], false);
                                  },
                                  0, static_cast<std::int64_t>(batch.size())}
                .run(threads);
        for (ReadBlock& block : read.done) {
            last_line = block.last;
            if (const auto taken = take_block(std::move(block), kept_limit); !taken)
                return taken.as_failure();
        }
        if (read.exception) std::rethrow_exception(read.exception);
        if (read.failure) return *read.failure;
        if (progress && !progress(batch.back().offset))
            return Failure{"stopped while it was read", bytes_.name()};
    }
    for (std::size_t index = 0; index < entries_.size(); ++index)
        if (!entries_[index].found)
            return refuse_end(
                last_line,
                fmt::format("block {} is not recorded; expected all {} blocks of the launch",
                            to_string(dimensions_of(header_, static_cast<std::int64_t>(index))),
                            entries_.size()));
    return set_facts();
}

Result<void> RecordedTrace::take_block(ReadBlock read, std::size_t kept_limit) {
    const auto index = static_cast<std::size_t>(block_number(header_, read.number));
    if (entries_[index].found)
        return Failure{"the block appears twice", bytes_.name(), read.numbered, 1};
    RecordedBlock& block = read.block;
    block.warps.resize(static_cast<std::size_t>(header_.warps_per_block()));
    for (std::size_t warp = 0; warp < block.warps.size(); ++warp)
        if (block.warps[warp].stretches.empty())
            return Failure{fmt::format("warp {} of block {} is not recorded; expected all warps of "
                                       "the launch",
                                       warp, to_string(read.number)),
                           bytes_.name(), read.entry.begin.line + 1, 1};
    entries_[index] = read.entry;
    note_issues(block);
    std::size_t size = sizeof block;
    for (const RecordedWarp& warp : block.warps)
        size += warp.size();
    if (kept_size_ + size > kept_limit) return boost::outcome_v2::success();
    kept_size_ += size;
    kept_[index] = std::make_shared<const RecordedBlock>(std::move(block));
    return boost::outcome_v2::success();
}

Result<void> RecordedTrace::set_facts() {
    facts_.kernel = listing_.function->name;
    facts_.name = bytes_.name();
    auto digest = digest_of_all(bytes_);
    if (!digest) return digest.as_failure();
    facts_.digest = std::move(digest.value());
    return boost::outcome_v2::success();
}

Result<RecordedTrace::ReadBlock> RecordedTrace::read_block(const LinePosition& begin,
                                                           bool alone) const {
    LineStream lines{bytes_, begin};
    SassTraceReader reader{*before_blocks_};
    ReadBlock read;
    read.entry = {.begin = begin, .sum = 0, .found = true};
    for (bool ended = false;;) {
        auto next = lines.next();
        if (!next) return next.as_failure();
        read.last = lines.count();
        if (!next.value() && ended) return read;
        if (!next.value()) return lines.refuse_end(*reader.missing());
        const bool begins = !reader.in_block();
        const auto taken = reader.take(*next.value());
        if (!taken) return taken.as_failure();
        if (ended) return read; // The next block begins.
        if (begins) lines.restart_sum();
        const TracedBlock& block = reader.trace().blocks.back();
        if (read.numbered == 0 && reader.has_block_number()) {
            read.numbered = lines.count();
            read.number = block.number;
        }
        if (const auto completed = reader.completed()) {
            const auto matched = take_warp(header_, *completed, read.number, read.block);
            if (!matched) return matched.as_failure();
        }
        if (reader.in_block()) continue;
        read.entry.sum = lines.sum();
        if (alone) return read;
        ended = true;
    }
}

Result<std::shared_ptr<const RecordedBlock>> RecordedTrace::block(std::int64_t number) const {
    const auto index = static_cast<std::size_t>(number);
    if (number < 0 || index >= entries_.size())
        return Failure{
            fmt::format("block {} is not among the {} that are recorded", number, entries_.size()),
            bytes_.name()};
    if (kept_[index]) return kept_[index];
    const Entry& entry = entries_[index];
    auto read = read_block(entry.begin, true);
    if (!read || read.value().entry.sum != entry.sum)
        return Failure{"the trace was changed after it was opened", bytes_.name(),
                       entry.begin.line + 1, 1};
    return std::make_shared<const RecordedBlock>(std::move(read.value().block));
}

} // namespace warpbound::harness::trace
