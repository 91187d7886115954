#include "certification/verify/interference/wave_cover.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/operand_misses.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::certification::verify {

namespace {

namespace ids = certificate_id;
using models::plus;
using models::times;

constexpr std::int64_t most_block_slots_of_cover = 256;

bool accesses_caches(const TimedCode& code) {
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i] && code.timings[i].value().through_caches) return true;
    return false;
}

/// Whether misses of constant operands count by schedulers, all of which the path of S20 visits.
bool operands_allow_cover(const TimedCode& code) {
    if (operand_terms_of(code).empty()) return true;
    return all_operands_stay(code) && schedulers_of_path(code) == schedulers_with_warps(code);
}

/// The conditions of S74, without those on lines of instructions.
bool may_be_covered(const InterferenceInputs& inputs) {
    const TimedCode& code = inputs.code;
    const LaunchGeometry& launch = code.geometry;
    // Turns of S27 and active sets of S31 have sums of their own.
    if (!inputs.suffix.empty() || inputs.policy_terms) return false;
    if (launch.waves < 2 || launch.block_slots > most_block_slots_of_cover) return false;
    return most_barriers_of_a_path(code) == 0 && !accesses_caches(code) &&
           operands_allow_cover(code);
}

/// What parts cost at most, with how many on another scheduler.
struct MostOfParts {
    models::Cycles cost{0};
    CoverParts parts;

    [[nodiscard]] bool is_before(const MostOfParts& than) const {
        if (cost != than.cost) return than.cost < cost;
        return parts.other < than.parts.other;
    }
};

MostOfParts add_parts(MostOfParts to, const PartOfCover& part, std::int64_t count, bool is_same) {
    to.cost += models::Cycles{times(part.cost, count)};
    (is_same ? to.parts.same : to.parts.other) += count;
    return to;
}

/// Which warps count on more schedulers than the one in whose part their block starts.
enum class CountedTwice {
    AtChanges, ///< Of fewer than theta blocks, at each change of the scheduler.
    Everywhere ///< All of them.
};

/// The sums of S74 for one theta.
class CoverSums {
public:
    CoverSums(const InterferenceInputs& inputs, const CertificateValues& values,
              std::int64_t beyond_path)
        : inputs_{inputs}, values_{values}, launch_{inputs.code.geometry},
          begun_{launch_.blocks_before_last()},
          on_one_{launch_.per_scheduler(launch_.warps_per_block)}, carry_in_{carry_in_of(inputs)},
          refill_{refill_on_first_path(inputs, drains_of_block(inputs))}, beyond_path_{beyond_path},
          of_beginning_{value(ids::prefix_stall)}, excess_{value(ids::own_scheduler) -
                                                           value(ids::other_schedulers)} {
        if (of_beginning_ < value(ids::stall))
            refuted(values.claim + ": " + ids::prefix_stall + " bounds less than " + ids::stall);
    }

    /// Of equally costly ends of the cover both count.
    void add_sums(std::int64_t theta, CountedTwice counted,
                  std::vector<std::vector<Term>>& sums) const {
        const std::int64_t counted_again =
            counted == CountedTwice::Everywhere ? 0 : times(theta - 1, on_one_);
        const std::int64_t of_same = plus(of_beginning_, carry_in_);
        const PartOfCover same{theta, of_same};
        const PartOfCover other{launch_.block_slots,
                                plus(plus(of_same, refill_), times(counted_again, excess_))};
        const auto cost = [&](const CoverParts& parts) {
            return plus(times(parts.same, same.cost), times(parts.other, other.cost));
        };
        const auto add = [&](const CoverParts& parts, std::int64_t refills) {
            const std::int64_t again = times(parts.other, counted_again);
            sums.push_back(terms(parts, refills,
                                 counted == CountedTwice::Everywhere
                                     ? times(begun_, launch_.warps_per_block)
                                     : plus(times(begun_, on_one_), again)));
        };
        const std::int64_t left = begun_ - launch_.block_slots;
        const CoverParts running = costliest_parts(left, same, other);
        if (left == 0) return add(running, 0);
        // The last part ends while a block slot is refilled, with one block that has not started.
        const CoverParts refilled = costliest_parts(left - 1, same, other);
        const std::int64_t most = cost(running);
        const std::int64_t with_refill = plus(cost(refilled), refill_);
        if (most >= with_refill) add(running, 0);
        if (with_refill >= most) add(refilled, 1);
    }

private:
    [[nodiscard]] std::int64_t value(const char* certificate) const {
        return cycles_of(values_, {1, 0, certificate});
    }

    /// `with_own`: warps of blocks that began before the last one, counted with W.
    [[nodiscard]] std::vector<Term> terms(const CoverParts& parts, std::int64_t refills,
                                          std::int64_t with_own) const {
        const std::int64_t resident = launch_.resident_warps();
        const std::int64_t warps = plus(times(begun_, launch_.warps_per_block), resident);
        const std::int64_t met = plus(with_own, launch_.per_scheduler(resident));
        const std::int64_t of_cover = plus(plus(parts.same, parts.other), 1);
        std::vector<Term> terms{{of_cover, 0, ids::prefix_stall},
                                {1, 0, ids::stall},
                                {met, 0, ids::own_scheduler},
                                {std::max<std::int64_t>(0, warps - met), 0, ids::other_schedulers},
                                {of_cover, carry_in_, ""},
                                {1, beyond_path_, ""}};
        for (Term& term :
             refill_terms_of(inputs_, plus(parts.other, refills), drains_of_block(inputs_)))
            terms.push_back(std::move(term));
        for (Term& term : drain_terms_of(inputs_.code, inputs_.tables, inputs_.suffix,
                                         time_hiding_drains(inputs_)))
            terms.push_back(std::move(term));
        return terms;
    }

    const InterferenceInputs& inputs_;
    const CertificateValues& values_;
    const LaunchGeometry& launch_;
    std::int64_t begun_;        ///< k.
    std::int64_t on_one_;       ///< h.
    std::int64_t carry_in_;     ///< Of a part.
    std::int64_t refill_;       ///< Before the start of the last block.
    std::int64_t beyond_path_;  ///< Of lines at schedulers that S20 does not visit.
    std::int64_t of_beginning_; ///< S*.
    std::int64_t excess_;       ///< W - W'.
};

} // namespace

CoverParts costliest_parts(std::int64_t starts, const PartOfCover& same, const PartOfCover& other) {
    // As many starts are in a round of parts of either kind. Of the costlier kind more than one
    // round is taken where there is room: of the other kind less than a round is.
    const std::int64_t round = times(same.starts, other.starts);
    const MostOfParts all_same = add_parts({}, same, other.starts, true);
    const MostOfParts all_other = add_parts({}, other, same.starts, false);
    const bool takes_same = !all_other.is_before(all_same);
    const std::int64_t rounds = std::max<std::int64_t>(0, starts / round - 1);
    std::vector<MostOfParts> most(static_cast<std::size_t>(starts - times(rounds, round)) + 1);
    for (std::size_t taken = 1; taken < most.size(); ++taken) {
        most[taken] = most[taken - 1];
        const auto consider = [&](const PartOfCover& part, bool is_same) {
            const auto needed = static_cast<std::size_t>(part.starts);
            if (needed > taken) return;
            const MostOfParts with = add_parts(most[taken - needed], part, 1, is_same);
            if (with.is_before(most[taken])) most[taken] = with;
        };
        consider(same, true);
        consider(other, false);
    }
    CoverParts parts = most.back().parts;
    if (takes_same)
        parts.same = plus(parts.same, times(rounds, other.starts));
    else
        parts.other = plus(parts.other, times(rounds, same.starts));
    return parts;
}

std::vector<std::vector<Term>> cover_terms_of(const InterferenceInputs& inputs,
                                              const CertificateValues& values) {
    if (find_certificate(inputs.code.kernel, ids::prefix_stall) == nullptr) return {};
    if (!may_be_covered(inputs)) return {};
    const std::optional<std::int64_t> beyond_path = fetch_beyond_path(inputs.code);
    if (!beyond_path) return {};
    const CoverSums cover{inputs, values, *beyond_path};
    std::vector<std::vector<Term>> sums;
    for (std::int64_t theta = 1; theta <= inputs.code.geometry.block_slots; ++theta)
        for (const CountedTwice counted : {CountedTwice::AtChanges, CountedTwice::Everywhere})
            cover.add_sums(theta, counted, sums);
    return sums;
}

} // namespace warpbound::certification::verify
