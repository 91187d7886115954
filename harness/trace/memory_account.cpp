#include "harness/trace/memory_account.hpp"

#include <bit>

namespace warpbound::harness::trace {

void MemoryAccount::receive(const simulator::Event& event) {
    if (const auto* accessed = std::get_if<simulator::LineAccessed>(&event)) {
        using enum simulator::CacheLevel;
        if (accessed->level == InstructionL0 || accessed->level == InstructionL1) return;
        CacheAccount& cache = accessed->level == L1 ? l1 : accessed->level == L2 ? l2 : constants;
        if (accessed->write) {
            cache.stored += std::popcount(accessed->hit | accessed->missed);
            return;
        }
        cache.hit += std::popcount(accessed->hit);
        cache.merged += std::popcount(accessed->merged);
        cache.missed += std::popcount(accessed->missed);
    } else if (const auto* served = std::get_if<simulator::DramServed>(&event)) {
        ++(served->write ? dram_writes : dram_reads);
        row_hits += served->row_hit ? 1 : 0;
    }
}

bool MemoryAccount::has_any() const {
    return l1.hit + l1.merged + l1.missed + l1.stored > 0;
}

} // namespace warpbound::harness::trace
