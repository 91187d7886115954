#pragma once
/// \file
/// One DRAM channel: banks with one open row each, a data bus, and refresh (C28).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/decode/memory_shape.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// First-ready, first-come first-served (FR-FCFS): row hits first, then the oldest transfer.
class DramChannel {
public:
    struct Transfer {
        std::uint64_t bank = 0;
        std::uint64_t row = 0;
        std::int64_t sectors = 1;
        bool write = false;
        std::uint32_t reading = 0; ///< Index of the fetch at its owner.
        int warp = 0;
    };
    struct Served {
        Transfer transfer;
        bool row_hit = false;
        std::int64_t until = 0; ///< The first cycle in which the bus is free again.
    };

    /// Draws the refresh phase.
    DramChannel(const DramShape& shape, RandomSource& random);

    /// A read or write may join the queue. Write-backs join even when the queue is full.
    [[nodiscard]] bool has_free_entry() const { return queue_.size() < shape_.queue; }
    void join(const Transfer& transfer);
    /// Starts the next transfer, if one may start now.
    std::optional<Served> serve(std::int64_t now, RandomSource& random);
    /// Until then bus or banks are occupied; `never` without transfers.
    [[nodiscard]] std::int64_t occupied_until() const {
        return queue_.empty() ? never : std::max(bus_free_at_, bank_free_at_);
    }
    /// The earliest cycle in which a transfer may start, if none joins.
    [[nodiscard]] std::int64_t next(std::int64_t now) const;

private:
    struct Bank {
        std::optional<std::uint64_t> row;
        std::int64_t free_at = 0;
    };
    [[nodiscard]] std::int64_t after_refresh(std::int64_t at) const;
    /// Removes it from the queue; the window moves on.
    void leave(std::size_t entry);
    /// Finds `bank_free_at_` again.
    void find_free_bank();
    [[nodiscard]] std::size_t window() const {
        return queue_.size() < shape_.queue ? queue_.size() : shape_.queue;
    }

    DramShape shape_;
    std::vector<Bank> banks_;
    std::vector<Transfer> queue_;        ///< The oldest first.
    std::vector<std::size_t> in_window_; ///< Transfers of the window, per bank.
    std::int64_t bank_free_at_ = never;  ///< The first cycle in which one of these banks is free.
    std::int64_t bus_free_at_ = 0;
    std::int64_t interval_ = 1;
    std::int64_t duration_ = 0;
    std::int64_t phase_ = 0;
    std::int64_t refreshes_ = 0; ///< Applied so far.
};

} // namespace warpbound::harness::simulator
