#include "harness/simulator/pipeline/queued_reads.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

namespace {

constexpr std::int64_t most_registers = 256; ///< That an instruction reads from a bank.

} // namespace

void QueuedReads::take(std::size_t bank, std::int64_t until, std::int64_t cycles) {
    if (cycles > 0) taken_[bank].push_back({until - cycles, until});
}

bool QueuedReads::has_read(const Reader& reader, const BankRegisters& reads,
                           std::int64_t now) const {
    const std::int64_t from = reader.at - reads.registers + 1;
    std::int64_t free = now - from + 1;
    const std::deque<Span>& taken = taken_[reads.bank];
    for (auto span = taken.rbegin(); span != taken.rend() && span->until > from; ++span)
        free -=
            std::max<std::int64_t>(0, std::min(span->until, now + 1) - std::max(span->from, from));
    return free >= reads.registers;
}

void QueuedReads::forget_before(std::int64_t cycle) {
    for (std::deque<Span>& taken : taken_)
        while (!taken.empty() && taken.front().until <= cycle)
            taken.pop_front();
}

std::vector<QueuedReads::Reader> QueuedReads::take_read(std::int64_t now) {
    std::vector<Reader> read;
    std::int64_t oldest = now;
    for (const Reader& reader : readers_)
        oldest = std::min(oldest, reader.at);
    std::erase_if(readers_, [&](const Reader& reader) {
        const bool is_read =
            reader.at <= now &&
            std::all_of(reader.first, reader.first + reader.count,
                        [&](const BankRegisters& reads) { return has_read(reader, reads, now); });
        if (is_read) read.push_back(reader);
        return is_read;
    });
    forget_before(oldest - most_registers);
    return read;
}

std::int64_t QueuedReads::wake(std::int64_t now) const {
    std::int64_t wake = never;
    for (const Reader& reader : readers_)
        wake = std::min(wake, std::max(reader.at, now + 1));
    return wake;
}

} // namespace warpbound::harness::simulator
