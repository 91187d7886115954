#include "harness/simulator/memory/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

/// The index of an unused entry, which is a free one if there is any.
template <typename Entry>
std::uint32_t take_entry(std::vector<Entry>& entries, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        entries.emplace_back();
        return static_cast<std::uint32_t>(entries.size() - 1);
    }
    const std::uint32_t entry = free.back();
    free.pop_back();
    return entry;
}

constexpr std::int64_t tie_limit = std::int64_t{1} << 30U;

} // namespace

MemorySystem::MemorySystem(Ports links, const MachineShape& machine, const RunOptions& options,
                           EventLog& log)
    : links_{std::move(links)}, shape_{&*machine.memory}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Memory, 0}},
      slices_due_(machine.memory->slices, never),
      channels_occupied_(machine.memory->dram.channels, never),
      return_free_at_(links_.answers.size(), 0) {
    for (std::size_t slice = 0; slice < shape_->slices; ++slice)
        slices_.push_back(
            Slice{.cache = Cache{shape_->l2},
                  .misses = MissTable{shape_->l2.mshr_entries, shape_->l2.mshr_merges},
                  .arriving = {},
                  .free_at = 0,
                  .blocked = false});
    for (std::size_t channel = 0; channel < shape_->dram.channels; ++channel)
        channels_.emplace_back(shape_->dram, random_);
    for (const auto& requests : links_.requests) {
        requests.read_by(*this);
        ties_.emplace_back(options.seed, StreamOf::Ties, ties_.size());
    }
}

MemorySystem::Target MemorySystem::target_of(const MemoryRequest& request) const {
    const CacheShape& l1 = shape_->l1;
    const CacheShape& l2 = shape_->l2;
    const std::uint64_t number = request.address / l2.line;
    Target target{.slice = static_cast<std::size_t>(number % shape_->slices),
                  .line = number / shape_->slices,
                  .sectors = 0};
    const std::uint64_t base = request.address % l2.line;
    for (std::uint64_t left = request.sectors; left != 0; left &= left - 1) {
        const std::uint64_t from =
            base + static_cast<std::uint64_t>(std::countr_zero(left)) * l1.sector;
        const std::uint64_t last = (from + l1.sector - 1) / l2.sector;
        for (std::uint64_t sector = from / l2.sector; sector <= last; ++sector)
            target.sectors |= std::uint64_t{1} << sector;
    }
    return target;
}

std::uint64_t MemorySystem::address_of(std::size_t slice, std::uint64_t line) const {
    return (line * shape_->slices + slice) * shape_->l2.line;
}

std::size_t MemorySystem::channel_of(std::size_t slice) const {
    return slice / (shape_->slices / shape_->dram.channels);
}

template <typename Visit>
void MemorySystem::for_each_sector(const Target& target, std::uint64_t sectors,
                                   const Visit& visit) const {
    const std::uint64_t first = target.line * (shape_->l2.line / shape_->l2.sector);
    for (; sectors != 0; sectors &= sectors - 1)
        visit(first + static_cast<std::uint64_t>(std::countr_zero(sectors)));
}

bool MemorySystem::receive() {
    bool received = false;
    for (std::size_t sm = 0; sm < links_.requests.size(); ++sm)
        for (const MemoryRequest& request : links_.requests[sm].messages()) {
            const std::size_t slice = target_of(request).slice;
            slices_[slice].arriving.push(
                Waiting{.request = request,
                        .sm = sm,
                        .tie = links_.requests.size() > 1 ? ties_[sm].uniform(0, tie_limit) : 0,
                        .sequence = sequence_++});
            keep_due(slice);
            received = true;
        }
    return received;
}

void MemorySystem::settle(std::uint32_t index, std::int64_t at) {
    Read& read = reads_[index];
    read.ready = std::max(read.ready, at);
    if (--read.missing == 0)
        due_.push(Due{
            .at = read.ready, .kind = Due::Kind::Leave, .sequence = sequence_++, .index = index});
}

/// Enters the queue of the slice's channel.
void MemorySystem::transfer(const Target& target, bool is_write, std::uint32_t fetch, int warp) {
    const std::uint64_t block =
        address_of(target.slice, target.line) / (shape_->dram.row * shape_->dram.channels);
    const std::size_t channel = channel_of(target.slice);
    channels_[channel].join({.bank = block % shape_->dram.banks,
                             .row = block / shape_->dram.banks,
                             .sectors = std::popcount(target.sectors),
                             .write = is_write,
                             .reading = fetch,
                             .warp = warp});
    channels_occupied_[channel] = channels_[channel].occupied_until();
}

/// Fills sectors into the cache; evicted dirty sectors are written back to DRAM.
void MemorySystem::fill_cache(const Target& target, bool dirty, int warp) {
    const auto evicted = slices_[target.slice].cache.fill(target.line, target.sectors, dirty);
    if (evicted && evicted->dirty != 0)
        transfer({.slice = target.slice, .line = evicted->line, .sectors = evicted->dirty}, true, 0,
                 warp);
}

bool MemorySystem::write(Slice& slice, const Target& target, const MemoryRequest& request,
                         std::int64_t now) {
    if (!channels_[channel_of(target.slice)].has_free_entry()) return false;
    const std::uint64_t hit = target.sectors & slice.cache.present(target.line);
    if (shape_->l2_write_allocate || hit == target.sectors) {
        fill_cache(target, shape_->l2_write_back, request.warp);
        if (!shape_->l2_write_back) transfer(target, true, 0, request.warp);
    } else {
        transfer(target, true, 0, request.warp);
    }
    report(target, request, hit, 0, now);
    return true;
}

bool MemorySystem::read(Slice& slice, const Target& target, const Waiting& waiting,
                        std::int64_t now) {
    const std::uint64_t hit = target.sectors & slice.cache.present(target.line);
    std::uint64_t added = 0;
    bool merges = true;
    const std::uint64_t first = target.line * (shape_->l2.line / shape_->l2.sector);
    for (std::uint64_t left = target.sectors & ~hit; left != 0; left &= left - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(left));
        const MissTable::Entry* const entry = slice.misses.find(first + bit);
        if (entry == nullptr)
            added |= std::uint64_t{1} << bit;
        else
            merges = merges && slice.misses.can_merge(*entry);
    }
    if (!merges || slice.misses.free_entries() < static_cast<std::size_t>(std::popcount(added)) ||
        (added != 0 && !channels_[channel_of(target.slice)].has_free_entry()))
        return false;
    const std::uint64_t merged = target.sectors & ~hit & ~added;
    if (hit != 0) slice.cache.touch(target.line);
    const std::int64_t back = random_.draw(shape_->transit);
    const std::int64_t transits = waiting.request.transit + back;
    const std::uint32_t index = take_entry(reads_, free_reads_);
    reads_[index] = Read{.id = waiting.request.id,
                         .sm = waiting.sm,
                         .transits = transits,
                         .back = back,
                         .sectors = std::popcount(waiting.request.sectors),
                         .missing = 1,
                         .ready = now};
    std::int64_t ready = now;
    if (hit != 0 || merged != 0) ready = now + random_.draw(shape_->l2.latency) - transits;
    for_each_sector(target, merged, [&](std::uint64_t sector) {
        MissTable::Entry& entry = *slice.misses.find(sector);
        entry.waiting.push_back(index);
        if (entry.filled_at == never)
            ++reads_[index].missing;
        else
            ready = std::max(ready, entry.filled_at);
    });
    for_each_sector(target, added, [&](std::uint64_t sector) {
        slice.misses.add(sector, index);
        ++reads_[index].missing;
    });
    if (added != 0) {
        const std::uint32_t fetch = take_entry(fetches_, free_fetches_);
        fetches_[fetch] = Fetch{
            .slice = target.slice, .line = target.line, .sectors = added, .transits = transits};
        transfer({.slice = target.slice, .line = target.line, .sectors = added}, false, fetch,
                 waiting.request.warp);
    }
    report(target, waiting.request, hit, merged, now);
    settle(index, ready);
    return true;
}

void MemorySystem::report(const Target& target, const MemoryRequest& request, std::uint64_t hit,
                          std::uint64_t merged, std::int64_t now) {
    if (!log_->has_listener()) return;
    log_->add(LineAccessed{.cycle = now,
                           .warp = request.warp,
                           .level = CacheLevel::L2,
                           .unit = static_cast<int>(target.slice),
                           .address = address_of(target.slice, target.line),
                           .write = request.write,
                           .hit = hit,
                           .merged = merged,
                           .missed = target.sectors & ~hit & ~merged});
}

bool MemorySystem::serve_slice(std::size_t index, std::int64_t now) {
    Slice& slice = slices_[index];
    const Waiting waiting = slice.arriving.top();
    const Target target = target_of(waiting.request);
    const bool done = waiting.request.write ? write(slice, target, waiting.request, now)
                                            : read(slice, target, waiting, now);
    slice.blocked = !done;
    if (!done) {
        slices_due_[index] = never;
        return false;
    }
    slice.arriving.pop();
    slice.free_at = now + random_.draw_share(shape_->l2.service, std::popcount(target.sectors),
                                             shape_->l2.sectors_per_line());
    keep_due(index);
    links_.answers[waiting.sm].put({.kind = MemoryAnswer::Kind::Accepted, .id = 0, .at = now});
    return true;
}

void MemorySystem::unblock(std::size_t channel) {
    const std::size_t per_channel = shape_->slices / shape_->dram.channels;
    for (std::size_t slice = channel * per_channel; slice < (channel + 1) * per_channel; ++slice)
        unblock_slice(slice);
}

bool MemorySystem::serve_channel(std::size_t index, std::int64_t now) {
    const auto served = channels_[index].serve(now, random_);
    if (!served) return false;
    channels_occupied_[index] = channels_[index].occupied_until();
    unblock(index);
    const DramChannel::Transfer& transfer = served->transfer;
    if (log_->has_listener())
        log_->add(DramServed{.cycle = now,
                             .warp = transfer.warp,
                             .channel = static_cast<int>(index),
                             .bank = static_cast<int>(transfer.bank),
                             .row = transfer.row,
                             .row_hit = served->row_hit,
                             .write = transfer.write,
                             .until = served->until});
    if (transfer.write) return true;
    const Fetch& fetch = fetches_[transfer.reading];
    const std::int64_t at = now + random_.draw(shape_->dram.latency) - fetch.transits;
    const Target target{.slice = fetch.slice, .line = fetch.line, .sectors = fetch.sectors};
    for_each_sector(target, fetch.sectors, [&](std::uint64_t sector) {
        MissTable::Entry& entry = *slices_[fetch.slice].misses.find(sector);
        entry.filled_at = at;
        for (const std::uint32_t read : entry.waiting)
            settle(read, at);
    });
    due_.push(
        Due{.at = at, .kind = Due::Kind::Fill, .sequence = sequence_++, .index = transfer.reading});
    return true;
}

void MemorySystem::fill(std::uint32_t index, std::int64_t now) {
    const Fetch fetch = fetches_[index];
    free_fetches_.push_back(index);
    const Target target{.slice = fetch.slice, .line = fetch.line, .sectors = fetch.sectors};
    fill_cache(target, false, 0);
    for_each_sector(target, fetch.sectors,
                    [&](std::uint64_t sector) { slices_[fetch.slice].misses.remove(sector); });
    unblock_slice(fetch.slice);
    if (log_->has_listener())
        log_->add(LineFilled{.cycle = now,
                             .warp = 0,
                             .level = CacheLevel::L2,
                             .unit = static_cast<int>(fetch.slice),
                             .address = address_of(fetch.slice, fetch.line),
                             .sectors = fetch.sectors});
}

void MemorySystem::leave(std::uint32_t index, std::int64_t now) {
    const Read& read = reads_[index];
    std::int64_t& free_at = return_free_at_[read.sm];
    const std::int64_t start = std::max(now, free_at);
    free_at = start +
              random_.draw_share(shape_->link_service, read.sectors, shape_->l1.sectors_per_line());
    links_.answers[read.sm].put(
        {.kind = MemoryAnswer::Kind::Coming, .id = read.id, .at = start + read.back});
    free_reads_.push_back(index);
}

void MemorySystem::keep_due(std::size_t index) {
    const Slice& slice = slices_[index];
    slices_due_[index] = slice.arriving.empty() || slice.blocked
                             ? never
                             : std::max(slice.arriving.top().request.at, slice.free_at);
}

void MemorySystem::tick(std::int64_t now) {
    if (!receive() && now < wake_) return;
    bool progress = true;
    while (progress) {
        progress = false;
        while (!due_.empty() && due_.top().at <= now) {
            const Due due = due_.top();
            due_.pop();
            progress = true;
            if (due.kind == Due::Kind::Fill)
                fill(due.index, now);
            else
                leave(due.index, now);
        }
        for (std::size_t slice = 0; slice < slices_.size(); ++slice)
            if (slices_due_[slice] <= now && serve_slice(slice, now)) progress = true;
        for (std::size_t channel = 0; channel < channels_.size(); ++channel)
            if (channels_occupied_[channel] <= now && serve_channel(channel, now)) progress = true;
    }
    wake_ = due_.empty() ? never : due_.top().at;
    for (const std::int64_t due : slices_due_)
        wake_ = std::min(wake_, due);
    for (std::size_t channel = 0; channel < channels_.size(); ++channel)
        if (channels_occupied_[channel] < wake_)
            wake_ = std::min(wake_, channels_[channel].next(now + 1));
}

} // namespace warpbound::harness::simulator
