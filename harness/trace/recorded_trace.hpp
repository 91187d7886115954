#pragma once
/// \file
/// A recorded trace prepared for replay: a launch whose warps follow the trace.

#include "harness/recorded_launch.hpp"
#include "harness/trace/sass_trace_reader.hpp"
#include "harness/trace/stream_match.hpp"
#include "harness/trace/trace_bytes.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// The header of a trace, before its first block. Refuses what the reader refuses there.
Result<SassTrace> read_trace_header(const TraceBytes& bytes);

/// The file is read once, when it is opened, its blocks by several threads. Blocks are kept in a
/// packed form up to `kept_limit` bytes. The others are read again from the file when they become
/// resident, and are freed when their last warp has ended. So memory holds 48 bytes per block (and
/// 64 more while the file is opened), the kept blocks, and the blocks that are resident in a run,
/// whatever the size of the file.
class RecordedTrace final : public RecordedLaunch {
public:
    static constexpr std::size_t default_kept_limit = std::size_t{256} << 20U;

    /// Called periodically with the number of bytes read; returns false to stop.
    using Progress = std::function<bool(std::uint64_t)>;

    /// Refuses what `read_sass_trace` and `match_stream` refuse, a trace of another kernel or
    /// machine generation than the listing's, blocks or warps of the launch that were not recorded,
    /// and a stop by `progress`. Objects that the listing refers to must outlive the result, which
    /// does not depend on the number of threads.
    static Result<std::unique_ptr<RecordedTrace>> open(TraceBytes bytes, const Listing& listing,
                                                       std::size_t kept_limit = default_kept_limit,
                                                       const Progress& progress = {},
                                                       unsigned threads = 1);

    [[nodiscard]] Result<std::shared_ptr<const RecordedBlock>>
    block(std::int64_t number) const override;
    [[nodiscard]] bool issues(std::size_t instruction) const override {
        return issued_[instruction];
    }

    /// The header of the trace, without blocks.
    [[nodiscard]] const SassTrace& header() const { return header_; }
    [[nodiscard]] models::Launch launch() const;
    /// Empty flow facts; their digest is that of the file.
    [[nodiscard]] const models::FlowFacts& facts() const { return facts_; }
    /// Instructions issued by all warps.
    [[nodiscard]] std::int64_t instructions() const { return instructions_; }
    /// Number of blocks that are not kept.
    [[nodiscard]] std::int64_t blocks_read_again() const;

private:
    struct Entry {
        LinePosition begin; ///< Of its #BEGIN_TB.
        std::uint64_t sum = 0;
        bool found = false;
    };

    RecordedTrace(TraceBytes bytes, const Listing& listing)
        : bytes_{std::move(bytes)}, listing_{listing} {}

    /// A block as one thread reads it.
    struct ReadBlock {
        RecordedBlock block;
        Dimensions number{};
        Entry entry;
        std::int64_t numbered = 0; ///< The line that states its number.
        std::int64_t last = 0;     ///< The last line that was read.
    };

    Result<void> read(std::size_t kept_limit, const Progress& progress, unsigned threads);
    /// Reads up to the first block. None: there is no block.
    Result<std::optional<LinePosition>> read_header();
    Result<void> take_header(SassTraceReader& reader);
    /// `alone`: what follows the block is of no concern.
    [[nodiscard]] Result<ReadBlock> read_block(const LinePosition& begin, bool alone) const;
    Result<void> take_block(ReadBlock read, std::size_t kept_limit);
    [[nodiscard]] Failure refuse_end(std::int64_t lines, std::string what) const;
    [[nodiscard]] Result<void> take_warp(const SassTrace& header, const ReadWarp& read,
                                         const Dimensions& number, RecordedBlock& into) const;
    void note_issues(const RecordedBlock& block);
    Result<void> set_facts();

    TraceBytes bytes_;
    Listing listing_;
    SassTrace header_;
    std::optional<SassTraceReader> before_blocks_; ///< The reader state at the first block.
    std::vector<Entry> entries_;                   ///< By number of the block.
    std::vector<std::shared_ptr<const RecordedBlock>> kept_;
    std::vector<bool> issued_; ///< Per instruction.
    models::FlowFacts facts_;
    std::int64_t instructions_ = 0;
    std::size_t kept_size_ = 0; ///< Bytes of kept blocks.
};

} // namespace warpbound::harness::trace
