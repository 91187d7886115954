#pragma once
/// \file
/// The memory system shared by all SMs: the slices of the L2, the DRAM channels, and the response
/// links (C27 to C29).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/memory/cache.hpp"
#include "harness/simulator/memory/dram_channel.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/memory/miss_table.hpp"

#include <deque>
#include <queue>
#include <tuple>
#include <vector>

namespace warpbound::harness::simulator {

/// A slice serves requests in their order of arrival. The order of requests of several SMs that
/// arrive in the same cycle is drawn, from a stream of each SM: so it does not depend on when the
/// requests of other SMs are received.
class MemorySystem final : public Component {
public:
    struct Ports {
        std::vector<Sink<MemoryRequest>> requests; ///< Per SM.
        std::vector<Source<MemoryAnswer>> answers; ///< Per SM.
    };
    /// Requires: the machine has a memory shape.
    MemorySystem(Ports links, const MachineShape& machine, const RunOptions& options,
                 EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    struct Waiting {
        MemoryRequest request;
        std::size_t sm = 0;
        std::int64_t tie = 0; ///< Random tie break.
        std::uint64_t sequence = 0;
        friend bool operator>(const Waiting& a, const Waiting& b) {
            return std::tie(a.request.at, a.tie, a.sm, a.sequence) >
                   std::tie(b.request.at, b.tie, b.sm, b.sequence);
        }
    };
    struct Slice {
        Cache cache;
        MissTable misses;
        std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> arriving;
        std::int64_t free_at = 0;
        bool blocked = false;
    };
    /// A read of an SM that a slice has accepted.
    struct Read {
        std::uint32_t id = 0; ///< Its index at the load/store unit.
        std::size_t sm = 0;
        std::int64_t transits = 0; ///< Cycles in the interconnect, both directions.
        std::int64_t back = 0;     ///< Of them, for the response.
        std::int64_t sectors = 0;  ///< Of the L1 that return.
        std::uint32_t missing =
            0;                  ///< Sectors whose time is unknown, plus one while it is looked up.
        std::int64_t ready = 0; ///< When it leaves for the SM.
    };
    /// Outstanding sectors of one L2 line from DRAM.
    struct Fetch {
        std::size_t slice = 0;
        std::uint64_t line = 0; ///< Number in the slice.
        std::uint64_t sectors = 0;
        std::int64_t transits = 0; ///< Of the read that missed.
    };
    struct Due {
        enum class Kind { Fill, Leave };
        std::int64_t at = 0;
        Kind kind = Kind::Fill;
        std::uint64_t sequence = 0;
        std::uint32_t index = 0;
        friend bool operator>(const Due& a, const Due& b) {
            return std::tie(a.at, a.kind, a.sequence) > std::tie(b.at, b.kind, b.sequence);
        }
    };
    /// The slice, line and sectors of the L2 that a request accesses.
    struct Target {
        std::size_t slice = 0;
        std::uint64_t line = 0; ///< Number in the slice.
        std::uint64_t sectors = 0;
    };

    bool receive();
    [[nodiscard]] Target target_of(const MemoryRequest& request) const;
    [[nodiscard]] std::uint64_t address_of(std::size_t slice, std::uint64_t line) const;
    [[nodiscard]] std::size_t channel_of(std::size_t slice) const;
    /// Keeps when the first request of the slice is due. Call it after each change of the slice.
    void keep_due(std::size_t slice);
    /// Lets a slice that had to wait try again.
    void unblock_slice(std::size_t slice) {
        slices_[slice].blocked = false;
        keep_due(slice);
    }
    /// Returns false when the first request of the slice must wait.
    bool serve_slice(std::size_t slice, std::int64_t now);
    bool read(Slice& slice, const Target& target, const Waiting& waiting, std::int64_t now);
    bool write(Slice& slice, const Target& target, const MemoryRequest& request, std::int64_t now);
    void report(const Target& target, const MemoryRequest& request, std::uint64_t hit,
                std::uint64_t merged, std::int64_t now);
    void fill_cache(const Target& target, bool dirty, int warp);
    void transfer(const Target& target, bool is_write, std::uint32_t fetch, int warp);
    bool serve_channel(std::size_t channel, std::int64_t now);
    void fill(std::uint32_t fetch, std::int64_t now);
    void leave(std::uint32_t read, std::int64_t now);
    void settle(std::uint32_t read, std::int64_t at);
    void unblock(std::size_t channel);
    template <typename Visit>
    void for_each_sector(const Target& target, std::uint64_t sectors, const Visit& visit) const;

    Ports links_;
    const MemoryShape* shape_;
    EventLog* log_;
    RandomSource random_;
    std::vector<RandomStream> ties_; ///< Per SM.
    std::vector<Slice> slices_;
    std::vector<DramChannel> channels_;
    std::vector<std::int64_t> slices_due_;        ///< `never` without requests, or while blocked.
    std::vector<std::int64_t> channels_occupied_; ///< `DramChannel::occupied_until`.
    std::vector<std::int64_t> return_free_at_;    ///< Per SM.
    std::vector<Read> reads_;                     ///< Includes free entries.
    std::vector<std::uint32_t> free_reads_;
    std::vector<Fetch> fetches_; ///< Includes free entries.
    std::vector<std::uint32_t> free_fetches_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    std::uint64_t sequence_ = 0;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator
