#pragma once
/// \file
/// The banks of the register file: one read per bank and cycle, in the order of requests. A write
/// has priority over reads (C48, C50).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator {

/// `Reader` identifies the requester of a read.
template <typename Reader> class RegisterBanks {
public:
    explicit RegisterBanks(std::size_t banks) : requests_(banks), written_at_(banks, -1) {}

    [[nodiscard]] std::size_t bank_of(std::uint16_t reg, std::size_t warp) const {
        return (reg + warp) % requests_.size();
    }
    void request(std::size_t bank, const Reader& reader) {
        requests_[bank].push_back(reader);
        ++unread_;
    }
    /// Reads requested and not served.
    [[nodiscard]] std::size_t unread() const { return unread_; }
    void write(std::size_t bank, std::int64_t at) {
        writes_.emplace_back(at, bank);
        std::push_heap(writes_.begin(), writes_.end(), std::greater<>{});
    }
    /// Serves the first reader of every bank that is not written at `now`. Requires: `now`
    /// increases from call to call.
    template <typename Served> void serve(std::int64_t now, const Served& served) {
        while (!writes_.empty() && writes_.front().first <= now) {
            written_at_[writes_.front().second] = writes_.front().first;
            std::pop_heap(writes_.begin(), writes_.end(), std::greater<>{});
            writes_.pop_back();
        }
        for (std::size_t bank = 0; bank < requests_.size(); ++bank) {
            if (requests_[bank].empty() || written_at_[bank] == now) continue;
            served(bank, requests_[bank].front());
            requests_[bank].pop_front();
            --unread_;
        }
    }

private:
    std::vector<std::deque<Reader>> requests_;
    std::size_t unread_ = 0;
    std::vector<std::pair<std::int64_t, std::size_t>> writes_; ///< Heap, the earliest first.
    std::vector<std::int64_t> written_at_;                     ///< The last write of each bank.
};

} // namespace warpbound::harness::simulator
