#pragma once
/// \file
/// The load/store unit of an SM: coalescing, the L1 with its MSHR, the write buffer, the link to
/// the L2 (C23 to C26).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/memory/cache.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/memory/miss_table.hpp"

#include <deque>
#include <queue>
#include <vector>

namespace warpbound::harness::simulator {

/// Loads stay in order, and so do stores. When a load and a store can both proceed in a cycle, the
/// first one is drawn. The order of accesses that several schedulers issued in one step is drawn,
/// too.
class LoadStoreUnit final : public Component {
public:
    struct Ports {
        std::vector<Sink<MemoryIssue>> issues; ///< Per scheduler, or of the operand collectors.
        std::vector<Source<ResultNotified>> results; ///< To each sender.
        Source<EntriesFreed> freed;
        Source<MemoryRequest> requests;
        Sink<MemoryAnswer> answers;
    };
    /// `index` is that of the SM. Requires: the machine has a memory shape.
    LoadStoreUnit(std::size_t index, Ports links, const MachineShape& machine,
                  const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    /// When the last load of the launch had its result and its last store drained here; 0 without
    /// any.
    [[nodiscard]] std::int64_t completion(std::size_t launch) const {
        return launch < accesses_.size() ? accesses_[launch].completion : 0;
    }
    /// No load of the launch waits for its result time, and no store of it waits to drain.
    [[nodiscard]] bool is_quiet(std::size_t launch) const {
        return launch >= accesses_.size() || accesses_[launch].unfinished == 0;
    }

private:
    struct Load {
        MemoryIssue issue;
        std::size_t sender = 0;
        std::vector<models::TouchedLine> lines;
        std::size_t next = 0;     ///< Index of the next line.
        std::int64_t arrival = 0; ///< Of that line at the L1.
        std::uint32_t missing = 0;
        std::int64_t result = 0;
    };
    struct Store {
        MemoryIssue issue;
        std::vector<models::TouchedLine> lines;
        std::size_t next = 0;
    };
    /// An outstanding read.
    struct Read {
        std::uint64_t line = 0; ///< Address.
        std::uint64_t sectors = 0;
    };
    struct Arrival {
        std::int64_t at = 0;
        std::uint32_t read = 0;
        friend bool operator>(const Arrival& a, const Arrival& b) {
            return std::pair{a.at, a.read} > std::pair{b.at, b.read};
        }
    };

    bool receive(std::int64_t now);
    void accept(const MemoryIssue& issue, std::size_t sender, std::int64_t now);
    void receive_answer(const MemoryAnswer& answer);
    void fill(std::int64_t now);
    void begin_store(std::int64_t now);
    [[nodiscard]] std::int64_t load_due() const;
    [[nodiscard]] std::int64_t store_due() const;
    /// Both return false when the access must wait for an answer.
    bool access_line(std::int64_t now);
    bool drain(std::int64_t now);
    void send(std::int64_t now, MemoryRequest request);
    void settle(std::uint32_t load, std::int64_t at);
    void notify_result(std::uint32_t load);
    /// The accesses of a launch.
    struct LaunchAccesses {
        std::int64_t unfinished = 0; ///< Loads without a result time, stores not drained.
        std::int64_t completion = 0;
        bool begun = false; ///< Some access came to this L1.
    };
    LaunchAccesses& accesses_of(std::size_t launch);
    void finish(std::size_t launch, std::int64_t at);
    template <typename Visit>
    void for_each_sector(std::uint64_t line, std::uint64_t sectors, const Visit& visit) const;

    std::size_t index_;
    Ports links_;
    const MachineShape* machine_;
    const MemoryShape* shape_;
    EventLog* log_;
    RandomSource random_;
    Cache cache_;
    MissTable misses_;

    std::vector<Load> loads_; ///< Includes free entries.
    std::vector<std::uint32_t> free_loads_;
    std::deque<std::uint32_t> load_queue_;
    bool load_blocked_ = false;
    std::int64_t l1_free_at_ = 0;

    std::deque<Store> stores_;
    bool store_blocked_ = false;
    std::int64_t store_due_ = never;
    std::vector<LaunchAccesses> accesses_; ///< Per launch.

    std::vector<Read> reads_; ///< Includes free entries.
    std::vector<std::uint32_t> free_reads_;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::size_t in_flight_ = 0; ///< Transactions that no slice has accepted yet.
    std::int64_t link_free_at_ = 0;

    std::vector<std::pair<std::size_t, MemoryIssue>> received_;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator
