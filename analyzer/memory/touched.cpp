#include "analyzer/memory/touched.hpp"

#include "analyzer/flow_facts.hpp"
#include "analyzer/problem.hpp"
#include "analyzer/warp_work.hpp"
#include "models/address_pattern.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_accesses = std::int64_t{1} << 16U;

/// A line of the L1, as all accesses together use it.
struct LineUse {
    std::uint64_t sectors = 0; ///< Touched by loads.
    bool alike = true;         ///< Every load that touches it touches these sectors.
    std::int64_t stores = 0;
};

class Lists {
public:
    explicit Lists(const Problem& problem) : problem_{problem}, caches_{*problem.caches} {}

    std::optional<Touched> find() {
        if (!count_executions()) return std::nullopt;
        for_each_access([&](std::size_t instruction, bool load) { keep(instruction, load); });
        Touched touched;
        touched.transactions = transactions();
        touched.most_sectors = most_sectors_;
        touched.always_misses.assign(problem_.timings.size(), false);
        for (std::size_t i = 0; i < executions_.size(); ++i)
            touched.always_misses[i] = executions_[i] > 0 && is_load(i);
        for_each_access([&](std::size_t instruction, bool) {
            if (!touches_alone()) touched.always_misses[instruction] = false;
        });
        return touched;
    }

private:
    [[nodiscard]] bool is_load(std::size_t i) const {
        return !problem_.timings[i].value().enters_write_buffer;
    }

    /// By a warp, at most, over all call sites: copies of called code are the same instructions
    /// (C21). False when there are too many in all.
    bool count_executions() {
        const auto& blocks = problem_.request.graph->blocks;
        executions_.assign(problem_.timings.size(), 0);
        models::Cycles all{0};
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            std::int64_t here = 0;
            for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
                if (problem_.used[i] && problem_.timings[i] &&
                    problem_.timings[i].value().through_caches)
                    ++here;
            const auto copies = blocks_at(*problem_.request.graph, blocks[block].address);
            if (here == 0 || copies.front() != block) continue;
            std::vector<std::int64_t> visits(blocks.size(), 0);
            for (const std::size_t copy : copies)
                visits[copy] = 1;
            const std::int64_t times = extreme_sum(problem_, visits, Side::Upper);
            all += models::Cycles{times} * here * problem_.shape.warps();
            if (models::Cycles{most_accesses} < all) return false;
            for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
                if (problem_.used[i] && problem_.timings[i] &&
                    problem_.timings[i].value().through_caches)
                    executions_[i] = times;
        }
        return true;
    }

    /// Calls `each(instruction, whether it is a load)` with the access's lines in `lines_`.
    template <class Each> void for_each_access(Each each) {
        const auto& function = *problem_.request.function;
        for (std::size_t i = 0; i < executions_.size(); ++i) {
            if (executions_[i] == 0) continue;
            const auto& pattern =
                *problem_.request.facts->memory_at(function.instructions[i].address)->pattern;
            const std::uint64_t bytes = problem_.timings[i].value().access.bytes;
            models::AccessPlace place;
            for (place.block = 0; place.block < unsigned_of(problem_.shape.blocks); ++place.block)
                for (place.warp = 0; place.warp < unsigned_of(problem_.shape.warps_per_block);
                     ++place.warp)
                    for (place.execution = 0; place.execution < unsigned_of(executions_[i]);
                         ++place.execution) {
                        const auto lanes = models::addresses_of(
                            pattern, place, models::all_lanes(problem_.shape.warp_size), bytes);
                        models::coalesce(lanes, caches_.line, caches_.sector, lines_);
                        each(i, is_load(i));
                    }
        }
    }

    static std::uint64_t unsigned_of(std::int64_t count) {
        return static_cast<std::uint64_t>(count);
    }

    /// Pieces of memory that come into a cache together at most: a sector of either level.
    template <class Each> void for_each_piece(const models::TouchedLine& line, Each each) const {
        const std::uint64_t piece = std::max(caches_.sector, caches_.second_sector);
        std::uint64_t before = ~std::uint64_t{0};
        for (std::uint64_t rest = line.sectors; rest != 0; rest &= rest - 1) {
            const auto sector = static_cast<std::uint64_t>(std::countr_zero(rest));
            const std::uint64_t number = (line.address + sector * caches_.sector) / piece;
            if (number != before) each(number);
            before = number;
        }
    }

    void keep(std::size_t, bool load) {
        ++access_;
        for (const models::TouchedLine& line : lines_) {
            LineUse& use = uses_[line.address];
            if (load) {
                use.alike = use.alike && (use.sectors == 0 || use.sectors == line.sectors);
                use.sectors |= line.sectors;
                most_sectors_ = std::max<std::int64_t>(most_sectors_, std::popcount(line.sectors));
            } else {
                ++use.stores;
            }
            for_each_piece(line, [&](std::uint64_t piece) {
                // Lines of one access may share a sector of the L2.
                auto& [accesses, last] = pieces_[piece];
                if (last != access_) ++accesses;
                last = access_;
            });
        }
    }

    /// Whether the last line access of `lines_` touches a sector that no other access touches.
    [[nodiscard]] bool touches_alone() const {
        bool alone = false;
        for_each_piece(lines_.back(),
                       [&](std::uint64_t piece) { alone = alone || pieces_.at(piece).first == 1; });
        // An earlier line of the same access may have asked for a sector that both share.
        return alone && caches_.second_sector <= caches_.line;
    }

    [[nodiscard]] std::optional<std::int64_t> transactions() const {
        if (caches_.sets == 0) return std::nullopt;
        std::unordered_map<std::uint64_t, std::int64_t> lines_of_set;
        std::int64_t sum = 0;
        for (const auto& [address, use] : uses_) {
            if (use.sectors == 0) continue;
            if (++lines_of_set[address / caches_.line % caches_.sets] > caches_.ways)
                return std::nullopt;
            const std::int64_t at_once = use.alike ? 1 : std::popcount(use.sectors);
            sum += at_once * (1 + (caches_.write_evict ? use.stores : 0));
        }
        return sum;
    }

    const Problem& problem_;
    const CacheValues& caches_;
    std::vector<std::int64_t> executions_;   ///< Per instruction.
    std::vector<models::TouchedLine> lines_; ///< Of the access that is looked at.
    std::unordered_map<std::uint64_t, LineUse> uses_;
    /// Accesses that touch a piece, and the last of them.
    std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> pieces_;
    std::int64_t access_ = 0;
    std::int64_t most_sectors_ = 1;
};

} // namespace

std::optional<Touched> touched_by(const Problem& problem) {
    return Lists{problem}.find();
}

} // namespace warpbound::analyzer
