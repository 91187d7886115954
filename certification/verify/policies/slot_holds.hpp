#pragma once
/// \file
/// What instructions hold, so that slots of other warps are blocked: ports, the stages in front of
/// the units, entries of the write buffer (S17 and S50 of docs/theory).

#include "certification/verify/policies/slot_boundaries.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// By instruction. Throw `Finding` where the description lacks a value.
std::vector<Hold> held_ports(const TimedCode& code);
std::vector<Hold> held_stages(const TimedCode& code);
/// The whole buffer, while it drains as many stores as it has entries (S17, lemma 2 (b)).
std::vector<Hold> held_buffer(const TimedCode& code);

/// S50: the longest time of slots of a path through warp slots with these distances, by the reads
/// of each instruction; and by what else lies in L + 1 cycles.
DemandTable slots_of_reads(const TimedCode& code, const SlotDistance& distance);
std::int64_t slots_of_reads_left(const TimedCode& code, const SlotDistance& distance);

/// The stores of a launch, or of a multiprocessor in one wave (S17, lemmas 2 and 3).
class StoresInSlots {
public:
    explicit StoresInSlots(const TimedCode& code);

    /// Whether a store may find the buffer full.
    [[nodiscard]] bool may_wait() const { return may_wait_; }
    /// Whether K is one number.
    [[nodiscard]] bool has_known_entries() const { return entries_.lo == entries_.hi; }
    /// Blocked slots where the stores hold the buffer at so many boundaries.
    [[nodiscard]] std::int64_t blocked_of(std::int64_t boundaries) const {
        return boundaries / entries_.lo;
    }
    /// In one warp slot: by drains, or store by store.
    [[nodiscard]] std::int64_t blocked_slots_at(const SlotDistance& distance) const;
    /// Of a path through warp slots with these distances. `Unit:` core cycles.
    [[nodiscard]] std::int64_t cycles_on_path(const std::vector<SlotDistance>& distances) const;

private:
    [[nodiscard]] std::int64_t one_by_one(const std::vector<SlotDistance>& distances) const;
    [[nodiscard]] std::int64_t by_drains(std::int64_t stores, std::int64_t drains,
                                         const std::vector<SlotDistance>& distances) const;

    const TimedCode& code_;
    models::Interval entries_;
    std::int64_t of_warp_ = 0;       ///< Stores.
    std::int64_t drain_of_warp_ = 0; ///< All of them.
    std::int64_t longest_drain_ = 0;
    bool may_wait_ = false;
};

} // namespace warpbound::certification::verify
