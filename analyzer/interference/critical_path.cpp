#include "analyzer/interference/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::times;

/// Collects terms; leaves out those of nothing.
class Terms {
public:
    explicit Terms(const Interference& cost) : cost_{cost} {}

    void add(const char* text, std::int64_t count, std::int64_t cycles,
             std::string certificate = {}) {
        if (count > 0 && cycles > 0)
            terms_.push_back({text, count, cycles, std::move(certificate)});
    }
    void add_stalls(std::int64_t blocks) {
        add(cost_.turns_of > 0
                ? "delays of the critical chain in a block, with a turn of every other "
                  "warp before each choice (loose round robin)"
                : "delays of the critical chain in a block, beyond its own work",
            blocks, cost_.stall, certificate("stall"));
    }
    /// Of so many warps, of which so many delay the chain as warps of its scheduler.
    void add_work(std::int64_t warps, std::int64_t on_scheduler) {
        seen_ = models::plus(seen_, on_scheduler);
        add(cost_.turns_of > 0
                ? "ports that a warp takes from those of its scheduler beyond issue "
                  "slots, each with the turns that follow"
                : "issue slots and ports that a warp takes from those of its scheduler",
            on_scheduler, cost_.same, certificate("demand-own-scheduler"));
        add(cost_.turns_of > 0
                ? "ports of the multiprocessor that a warp takes from those of other schedulers, "
                  "each with the turns that follow"
                : "ports of the multiprocessor that a warp takes from those of other schedulers",
            warps - on_scheduler, cost_.other, certificate("demand-other-schedulers"));
    }
    /// Of so many warps the part between two barriers in which the chain goes over to another
    /// scheduler, so that warps of both count (S13).
    void add_cut_parts(std::int64_t warps) {
        add(cost_.turns_of > 0
                ? "ports that a warp takes between two barriers while the chain goes over to "
                  "another scheduler, each with the turns that follow"
                : "issue slots and ports that a warp takes between two barriers while the chain "
                  "goes over to another scheduler",
            warps, cost_.part, certificate("barrier-interval"));
    }
    void add_cut_work(std::int64_t warps) {
        add(cost_.turns_of > 0
                ? "ports of a warp whose block is cut at the start of the last one, with turns"
                : "issue slots and ports of a warp whose block is cut at the start of the last one",
            warps, cost_.same, certificate("demand-own-scheduler"));
    }
    void add_changes(std::int64_t windows) {
        add("an instruction issued before the chain went over to another warp", windows - 1,
            cost_.straddle);
    }
    void add_refills(std::int64_t blocks, const LaunchGeometry& shape) {
        add("replacement and start of a block", blocks, shape.refill.hi);
    }
    void add_drains(std::int64_t warps) {
        add(cost_.turns_of > 0 ? "drains of the stores of a warp, with the turns that follow"
                               : "drains of the stores of a warp",
            warps, cost_.drain, certificate("drain"));
    }
    /// While the chain's warp stands outside, as many others as the active set holds wait there
    /// (S31). `own`: of the counted warps those that are the chain's for all of their time;
    /// `blocks`: that the chain passes.
    void add_active_set(std::int64_t own, std::int64_t blocks) {
        if (cost_.active == 0) return;
        const std::int64_t others = seen_ - own;
        const std::int64_t times_full = others / cost_.active + (others % cost_.active > 0 ? 1 : 0);
        add("waits of a warp inside the active set, of as many at a time as it holds", times_full,
            cost_.inside, certificate("within-active-set"));
        add("ports of the chain's own warp, for which warps in the active set wait", blocks,
            cost_.held, certificate("residual-occupancy"));
    }
    std::vector<BoundTerm> take() { return std::move(terms_); }

private:
    [[nodiscard]] std::string certificate(const char* sum) const {
        return certificate_id(sum, cost_.turns_of);
    }

    const Interference& cost_;
    std::vector<BoundTerm> terms_;
    std::int64_t seen_ = 0; ///< Warps that delay the chain as warps of its scheduler.
};

/// How the warps of blocks beside the chain count, of which windows on several schedulers may see
/// more than one has.
enum class Beside {
    Blocks, ///< With all of their work in every window.
    Parts   ///< Parts between barriers once, but for those in which the chain changes windows.
};

/// The critical chain stays with one warp in each of its windows. In a window it is delayed by the
/// warps of that one's scheduler, and by what the others take of the multiprocessor's ports (S11 to
/// S14).
std::vector<BoundTerm> on_one_multiprocessor(const LaunchGeometry& shape, const Interference& cost,
                                             Beside beside) {
    Terms terms{cost};
    terms.add_stalls(shape.waves());
    const std::int64_t per_block = shape.warps_per_block;
    const std::int64_t windows = times(cost.windows_of_block, shape.waves());
    std::int64_t chained = 1;
    if (windows == 1) {
        terms.add_work(shape.warps(), shape.on_one_scheduler(shape.warps()));
    } else {
        // Of a block that is on the chain for all of its time, every window sees another part of
        // the work; of the others, windows on several schedulers may see all of it.
        const std::int64_t together = shape.on_one_scheduler(per_block);
        if (shape.waves() > 1) chained = shape.resident == 1 ? shape.blocks : 0;
        const std::int64_t rest = shape.blocks - chained;
        if (beside == Beside::Parts) {
            terms.add_work(shape.warps(), times(shape.blocks, together));
            const std::int64_t places = rest == 0 ? 0 : shape.waves() > 1 ? shape.resident : rest;
            terms.add_cut_parts(times(times(places, windows - 1), together));
        } else {
            const std::int64_t seen =
                together >= per_block / windows + 1 ? per_block : windows * together;
            terms.add_work(shape.warps(), chained * together + rest * std::min(seen, per_block));
        }
        // Of a block that is cut at the start of the last one both parts count with all of its own
        // work (S14).
        if (shape.waves() > 1 && shape.resident > 1) terms.add_cut_work(2);
        terms.add_changes(windows);
        terms.add_refills(shape.waves() - 1, shape);
    }
    terms.add_active_set(chained, shape.waves());
    terms.add_drains(shape.warps());
    return terms.take();
}

/// Of the warps of `blocks` blocks in the slots of one multiprocessor, those that a chain through
/// one slot in so many windows sees on its scheduler (S20).
std::int64_t seen_on_scheduler(const LaunchGeometry& shape, std::int64_t blocks,
                               std::int64_t windows) {
    const std::int64_t per_block = shape.warps_per_block;
    // The warp of a slot always has the same scheduler.
    if (per_block == 1)
        return std::min(blocks, blocks * shape.on_one_scheduler(shape.resident) / shape.resident);
    const std::int64_t all = blocks * per_block;
    if (windows > all) return all;
    const std::int64_t meetings = blocks + (shape.resident - 1) * (windows - 1);
    return std::min(all, times(meetings, shape.on_one_scheduler(per_block)));
}

/// Up to the start of the last block the chain is on the multiprocessor that began the fewest
/// blocks, from then on where the launch ends (S20).
std::vector<BoundTerm> from_place_to_place(const LaunchGeometry& shape, const Interference& cost,
                                           Beside beside) {
    Terms terms{cost};
    const std::int64_t waves = shape.waves();
    const std::int64_t before = (shape.blocks - 1) / shape.multiprocessors;
    const std::int64_t per_block = shape.warps_per_block;
    const std::int64_t windows_before = times(cost.windows_of_block, waves - 1);
    terms.add_stalls(waves);
    if (beside == Beside::Parts) {
        const std::int64_t together = shape.on_one_scheduler(per_block);
        const auto add_work = [&](std::int64_t blocks, std::int64_t windows) {
            terms.add_work(blocks * per_block, blocks * together);
            terms.add_cut_parts(times(times(shape.resident - 1, windows - 1), together));
        };
        add_work(before, windows_before);
        add_work(shape.resident, cost.windows_of_block);
    } else {
        terms.add_work(before * per_block, seen_on_scheduler(shape, before, windows_before));
        const LaunchGeometry last = shape.fullest();
        terms.add_work(last.warps(),
                       cost.windows_of_block == 1
                           ? last.on_one_scheduler(last.warps())
                           : seen_on_scheduler(last, last.blocks, cost.windows_of_block));
    }
    terms.add_active_set(0, waves);
    terms.add_changes(times(cost.windows_of_block, waves));
    terms.add_refills(waves - 1, shape);
    const std::int64_t counted = (before + shape.resident) * per_block;
    const models::Cycles in_parts =
        models::Cycles{cost.drain} * counted + models::Cycles{cost.left_in_buffer};
    if (in_parts < models::Cycles{cost.drain} * shape.warps()) {
        terms.add_drains(counted);
        terms.add("drains of the entries that are in a write buffer when the last block starts", 1,
                  cost.left_in_buffer);
    } else {
        terms.add_drains(shape.warps());
    }
    return terms.take();
}

} // namespace

std::string certificate_id(const char* sum, std::int64_t turns_of) {
    return fmt::format("execution-time-upper-{}{}", sum,
                       turns_of > 0 ? fmt::format("-round-robin-of-{}", turns_of) : "");
}

bool changes_scheduler(const LaunchGeometry& shape, std::int64_t barriers) {
    return (barriers > 0 || shape.waves() > 1) &&
           shape.on_one_scheduler(shape.warps_per_block) < shape.warps_per_block;
}

std::vector<BoundTerm> upper_terms(const LaunchGeometry& shape, const Interference& cost) {
    std::vector<std::vector<BoundTerm>> sums;
    const auto add_sums = [&](Beside beside) {
        if (shape.multiprocessors == 1 || shape.waves() == 1)
            sums.push_back(on_one_multiprocessor(
                shape.multiprocessors == 1 ? shape : shape.fullest(), cost, beside));
        if (shape.waves() > 1) sums.push_back(from_place_to_place(shape, cost, beside));
    };
    add_sums(Beside::Blocks);
    // What is waited for inside an active set is known of whole blocks only.
    if (changes_scheduler(shape, cost.windows_of_block - 1) && cost.active == 0)
        add_sums(Beside::Parts);
    return *std::min_element(sums.begin(), sums.end(), [](const auto& one, const auto& other) {
        return sum_of(one) < sum_of(other);
    });
}

} // namespace warpbound::analyzer
