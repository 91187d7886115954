#include "harness/simulator/pipeline/write_ports.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

void WritePorts::settle(Bank& bank, std::int64_t now) const {
    constexpr std::int64_t kept = 256; // More registers than an instruction writes to a bank.
    std::int64_t oldest = now;
    for (const Result& result : results_)
        oldest = std::min(oldest, result.at);
    while (!bank.due.empty() && bank.due.top() <= now) {
        bank.last = std::max(bank.due.top(), bank.last + 1);
        bank.taken.push_back(bank.last);
        bank.due.pop();
    }
    while (!bank.taken.empty() && bank.taken.front() < oldest - kept)
        bank.taken.pop_front();
}

void WritePorts::write(std::int64_t now, const Writes& writes, std::int64_t at) {
    for (std::size_t i = 0; i < writes.count; ++i) {
        Bank& bank = banks_[writes.first[i].bank];
        settle(bank, now);
        bank.due.push(at);
    }
}

bool WritePorts::become_due(int warp, std::int64_t number, std::int64_t at) {
    const auto found = std::find_if(results_.begin(), results_.end(), [&](const Result& result) {
        return result.warp == warp && result.number == number;
    });
    if (found == results_.end()) return false;
    found->at = at;
    return true;
}

bool WritePorts::has_written(const Result& result, const BankRegisters& write,
                             std::int64_t now) const {
    const std::int64_t from = result.at - write.registers + 1;
    const std::deque<std::int64_t>& taken = banks_[write.bank].taken;
    const auto first = std::lower_bound(taken.begin(), taken.end(), from);
    const auto end = std::upper_bound(first, taken.end(), now);
    return now - from + 1 - (end - first) >= write.registers;
}

std::vector<WritePorts::Result> WritePorts::take_written(std::int64_t now) {
    std::vector<Result> written;
    if (std::none_of(results_.begin(), results_.end(),
                     [&](const Result& result) { return result.at <= now; }))
        return written;
    for (Bank& bank : banks_)
        settle(bank, now);
    std::erase_if(results_, [&](const Result& result) {
        const bool is_written =
            result.at <= now &&
            std::all_of(
                result.writes.first, result.writes.first + result.writes.count,
                [&](const BankRegisters& write) { return has_written(result, write, now); });
        if (is_written) written.push_back(result);
        return is_written;
    });
    return written;
}

std::int64_t WritePorts::wake(std::int64_t now) const {
    std::int64_t wake = never;
    for (const Result& result : results_)
        if (result.at != never) wake = std::min(wake, std::max(result.at, now + 1));
    return wake;
}

} // namespace warpbound::harness::simulator
