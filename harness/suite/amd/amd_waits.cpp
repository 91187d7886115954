#include "harness/suite/amd/amd_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpbound::harness {

namespace {

/// The largest count that an S_WAITCNT of every processor states.
std::int64_t largest_count(AmdCounter counter) {
    constexpr std::int64_t of_lds = 14;
    constexpr std::int64_t of_others = 62;
    return counter == AmdCounter::Lds ? of_lds : of_others;
}

} // namespace

AmdCounter AmdWaits::counter_of(const AmdInstruction& instruction) const {
    return instruction.counter == AmdCounter::Store && !dialect_.has_store_count
               ? AmdCounter::Vector
               : instruction.counter;
}

std::string AmdWaits::before(const AmdInstruction& instruction, std::span<const int> accessed,
                             std::span<const int> results) {
    std::map<AmdCounter, std::int64_t> most; // That may stay outstanding.
    const auto need = [&](int vgpr) {
        const auto found = outstanding_.find(vgpr);
        if (found == outstanding_.end()) return;
        const auto [counter, number] = found->second;
        const std::int64_t later = std::min(counted_[counter] - number, largest_count(counter));
        const auto [known, is_new] = most.emplace(counter, later);
        if (!is_new) known->second = std::min(known->second, later);
    };
    std::for_each(accessed.begin(), accessed.end(), need);
    std::for_each(results.begin(), results.end(), need);
    std::string text;
    for (const auto& [counter, count] : most) {
        text += fmt::format("  s_waitcnt {}({})\n",
                            counter == AmdCounter::Lds ? "lgkmcnt" : "vmcnt", count);
        const std::int64_t returned = counted_[counter] - count;
        std::erase_if(outstanding_, [counter = counter, returned](const auto& one) {
            return one.second.counter == counter && one.second.number <= returned;
        });
    }
    const bool reads_special = std::any_of(
        accessed.begin(), accessed.end(), [&](int vgpr) { return transcendental_.contains(vgpr); });
    if (reads_special && !instruction.is_transcendental && !dialect_.wait_for_special.empty()) {
        text += fmt::format("  {}\n", dialect_.wait_for_special);
        transcendental_.clear();
    }
    return text;
}

void AmdWaits::issued(const AmdInstruction& instruction, std::span<const int> results) {
    const AmdCounter counter = counter_of(instruction);
    if (counter != AmdCounter::None) ++counted_[counter];
    for (const int vgpr : results) {
        if (counter != AmdCounter::None) outstanding_[vgpr] = {counter, counted_[counter]};
        if (instruction.is_transcendental)
            transcendental_.insert(vgpr);
        else
            transcendental_.erase(vgpr);
    }
}

} // namespace warpbound::harness
