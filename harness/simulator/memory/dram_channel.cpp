#include "harness/simulator/memory/dram_channel.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

DramChannel::DramChannel(const DramShape& shape, RandomSource& random)
    : shape_{shape}, banks_(shape.banks),
      in_window_(shape.banks, 0), interval_{random.draw_capacity(shape.refresh_interval)},
      duration_{random.draw(shape.refresh_duration)}, phase_{random.draw(0, interval_ - 1)} {}

std::int64_t DramChannel::after_refresh(std::int64_t at) const {
    const std::int64_t since = (at + phase_) % interval_;
    return since < duration_ ? at + duration_ - since : at;
}

std::int64_t DramChannel::next(std::int64_t now) const {
    if (queue_.empty()) return never;
    return after_refresh(std::max(now, occupied_until()));
}

void DramChannel::join(const Transfer& transfer) {
    queue_.push_back(transfer);
    if (queue_.size() > shape_.queue) return;
    ++in_window_[transfer.bank];
    bank_free_at_ = std::min(bank_free_at_, banks_[transfer.bank].free_at);
}

void DramChannel::leave(std::size_t entry) {
    --in_window_[queue_[entry].bank];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(entry));
    if (queue_.size() >= shape_.queue) ++in_window_[queue_[shape_.queue - 1].bank];
}

void DramChannel::find_free_bank() {
    bank_free_at_ = never;
    for (std::size_t bank = 0; bank < banks_.size(); ++bank)
        if (in_window_[bank] > 0) bank_free_at_ = std::min(bank_free_at_, banks_[bank].free_at);
}

std::optional<DramChannel::Served> DramChannel::serve(std::int64_t now, RandomSource& random) {
    if (next(now) > now) return std::nullopt;
    if (const std::int64_t refreshes = (now + phase_) / interval_;
        duration_ > 0 && refreshes != refreshes_) {
        refreshes_ = refreshes; // A refresh closes all rows.
        for (Bank& bank : banks_)
            bank.row.reset();
    }
    std::optional<std::size_t> chosen;
    for (std::size_t entry = 0; entry < window(); ++entry) {
        const Bank& bank = banks_[queue_[entry].bank];
        if (bank.free_at > now) continue;
        if (!chosen) chosen = entry;
        if (bank.row == queue_[entry].row) {
            chosen = entry;
            break;
        }
    }
    const Transfer transfer = queue_[*chosen];
    leave(*chosen);
    Bank& bank = banks_[transfer.bank];
    const bool row_hit = bank.row == transfer.row;
    bus_free_at_ = now + transfer.sectors * random.draw(shape_.row_hit);
    bank.free_at =
        row_hit ? bus_free_at_ : std::max(bus_free_at_, now + random.draw(shape_.row_miss));
    bank.row = transfer.row;
    find_free_bank();
    return Served{.transfer = transfer, .row_hit = row_hit, .until = bus_free_at_};
}

} // namespace warpbound::harness::simulator
