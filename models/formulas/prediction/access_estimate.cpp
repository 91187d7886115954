#include "models/formulas/prediction/access_estimate.hpp"

#include "models/formulas/prediction/pattern_accesses.hpp"
#include "models/formulas/reuse_distance.hpp"
#include "models/formulas/stack_distance.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace warpbound::models::prediction {
namespace {

using reuse_distance::Access;
using reuse_distance::Outcome;

/// Sizes of a cache, as far as they are described. `Unit:` bytes.
struct CacheGeometry {
    std::uint64_t line = 1;
    std::uint64_t sector = 1;
    std::int64_t ways = 1;
    std::optional<std::int64_t> sets{}; ///< Of all slices; none: SDCM with `lines`.
    std::int64_t lines = 1;
};

/// One access of a line.
struct LineAccess {
    std::size_t execution = 0; ///< Whose it is.
    TouchedLine line;
};

/// An instruction executed by one warp.
struct Execution {
    Steps::Kind kind = 0;
    std::int64_t round = 0; ///< Executions of one step by all warps share it.
    std::int64_t passes = 1;
};

/// RandomSource that an access is served at each level.
struct Served {
    double l2 = 0;
    double dram = 0;
};

constexpr std::int64_t most_counted = 1 << 24; // Sets, ways or slices.

class Estimator {
public:
    Estimator(const Steps& steps, const Residency& residency, Inputs& inputs)
        : steps_{steps}, residency_{residency}, inputs_{inputs} {}

    AccessEstimates estimate();

private:
    struct Sum {
        double executions = 0;
        double passes = 0;
        LevelShares shares;
        double transactions = 0;
        double miss_registers = 0;
        double dram_transfers = 0;
        double dram_bytes = 0;

        Sum& operator+=(const Sum& other) {
            executions += other.executions;
            passes += other.passes;
            shares.l1 += other.shares.l1;
            shares.l2 += other.shares.l2;
            shares.dram += other.shares.dram;
            transactions += other.transactions;
            miss_registers += other.miss_registers;
            dram_transfers += other.dram_transfers;
            dram_bytes += other.dram_bytes;
            return *this;
        }
    };

    std::optional<std::int64_t> count(std::string_view path);
    std::optional<CacheGeometry> geometry(std::string_view level);
    void find_accesses();
    void follow();
    void execute(Steps::Kind kind, const WarpAccess& access);
    void serve();
    std::vector<Served> serve_by_l2(const std::vector<LineAccess>& missed,
                                    const CacheGeometry& l2) const;
    AccessEstimates means();
    void note_means(const std::map<std::int64_t, Sum>& of_instruction);

    const Steps& steps_;
    const Residency& residency_;
    Inputs& inputs_;
    std::vector<std::optional<PatternAccesses>> patterns_; ///< By step kind.
    std::optional<CacheGeometry> l1_;                      ///< If levels are counted.
    std::vector<Execution> executions_;
    std::vector<LineAccess> accesses_; ///< Through the caches.
    std::int64_t round_ = 0;
    std::vector<Sum> sums_; ///< By step kind.
    bool counts_levels_ = false;
};

std::optional<std::int64_t> Estimator::count(std::string_view path) {
    const auto value = inputs_.described_if_known(path);
    if (!value) return std::nullopt;
    if (*value < 1 || *value > most_counted) {
        inputs_.miss(fmt::format("{} of 1 to {}", path, most_counted));
        return 1;
    }
    return static_cast<std::int64_t>(*value);
}

/// Geometry of a cache; notes missing values.
std::optional<CacheGeometry> Estimator::geometry(std::string_view level) {
    const auto path = [level](std::string_view name) {
        return fmt::format("memories/{}/{}", level, name);
    };
    const auto line = inputs_.described(path("line"));
    if (!line) return std::nullopt;
    CacheGeometry found;
    found.line = static_cast<std::uint64_t>(*line);
    const auto sector = inputs_.described_if_known(path("sector"));
    found.sector = sector ? static_cast<std::uint64_t>(*sector) : found.line;
    if (!fit_together(found.line, found.sector))
        inputs_.miss(
            fmt::format("{} and sector as powers of two, 1 to 64 sectors to a line", path("line")));
    const auto sets = count(path("sets"));
    const auto slices = level == "l2" ? count(path("slices")) : std::optional{std::int64_t{1}};
    const auto ways = count(path("ways"));
    if (sets && slices && ways) {
        found.sets = *sets * *slices;
        found.ways = *ways;
        found.lines = *found.sets * *ways;
        if (*found.sets > most_counted)
            inputs_.miss(fmt::format("{} in all slices of 1 to {}", path("sets"), most_counted));
        return found;
    }
    const auto bytes = inputs_.described(path("size"));
    if (!bytes) return std::nullopt;
    found.lines = std::clamp<std::int64_t>(static_cast<std::int64_t>(*bytes) /
                                               static_cast<std::int64_t>(found.line),
                                           1, std::int64_t{1} << 40U);
    found.ways = std::min(ways.value_or(found.lines), found.lines);
    if (level == "l1") {
        found.sets = 1;
        found.ways = found.lines;
    }
    return found;
}

void Estimator::find_accesses() {
    const auto lanes =
        static_cast<std::int64_t>(inputs_.described("geometry/warp-size").value_or(1));
    const bool any = std::ranges::any_of(steps_.kinds(), through_caches);
    counts_levels_ = any && !inputs_.stated_if_any("l1-miss-rate");
    if (counts_levels_) l1_ = geometry("l1");
    for (const auto& step : steps_.kinds()) {
        patterns_.emplace_back();
        if (!step.pattern) continue;
        AccessRule rule{
            .rule = pass_rule(step.opcode_class),
            .bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(1, step.bytes_per_lane))};
        bool described = true;
        const auto size = [&](std::string_view path) {
            const auto bytes = inputs_.described(path);
            described = described && bytes.has_value();
            return static_cast<std::uint64_t>(bytes.value_or(1));
        };
        if (uses_banks(rule.rule)) {
            rule.banks = size("memories/shared/banks");
            rule.width = size("memories/shared/bank-width");
        } else if (rule.rule == PassRule::Lines || rule.rule == PassRule::GlobalAtomic) {
            rule.line = size("memories/l1/line");
        }
        if (const auto why = objection_to(rule, lanes); why && described) inputs_.miss(*why);
        const bool lines = counts_levels_ && through_caches(step) && l1_;
        patterns_.back().emplace(*step.pattern, rule, lanes, lines ? l1_->sector : 0);
    }
}

void Estimator::execute(Steps::Kind kind, const WarpAccess& access) {
    const auto& accessed = patterns_[kind]->at(access);
    for (const auto& line : accessed.lines)
        accesses_.push_back({executions_.size(), line});
    executions_.push_back({kind, round_, accessed.passes});
}

/// The accesses of all waves of blocks, in order.
void Estimator::follow() {
    std::vector<Steps::Kind> with_pattern;
    for (const Steps::Kind kind : steps_.order())
        if (patterns_[kind]) with_pattern.push_back(kind);
    std::unordered_map<std::int64_t, std::uint64_t> executed; // By address, of one wave.
    for (std::int64_t first = 0; first < residency_.blocks && !with_pattern.empty();
         first += residency_.slots) {
        executed.clear();
        const std::int64_t blocks = std::min(residency_.slots, residency_.blocks - first);
        for (const Steps::Kind kind : with_pattern) {
            const std::uint64_t before = executed[steps_.kinds()[kind].address.value_or(-1)]++;
            for (std::int64_t block = first; block < first + blocks; ++block)
                for (std::int64_t warp = 0; warp < residency_.warps_per_block; ++warp)
                    execute(kind, {.block = static_cast<std::uint64_t>(block *
                                                                       residency_.multiprocessors),
                                   .warp = static_cast<std::uint64_t>(warp),
                                   .execution = before});
            ++round_;
            if (accesses_.size() >= most_accesses || executions_.size() >= most_accesses) return;
        }
    }
}

/// Probability of each line missed in the L1 to hit the L2.
std::vector<Served> Estimator::serve_by_l2(const std::vector<LineAccess>& missed,
                                           const CacheGeometry& l2) const {
    std::vector<Access> stream;
    for (const auto& access : missed) {
        Access one{.line = access.line.address / l2.line,
                   .sectors = 0,
                   .time = executions_[access.execution].round};
        for (std::uint64_t left = access.line.sectors; left != 0; left &= left - 1) {
            const std::uint64_t begin =
                access.line.address +
                static_cast<std::uint64_t>(std::countr_zero(left)) * l1_->sector;
            for (std::uint64_t at = begin; at < begin + l1_->sector; at += l2.sector)
                one.sectors |= std::uint64_t{1} << at % l2.line / l2.sector;
        }
        stream.push_back(one);
    }
    std::vector<Served> served;
    if (l2.sets) {
        const auto outcomes =
            reuse_distance::outcomes(stream, {.sets = *l2.sets, .ways = l2.ways}, {.miss = 1});
        for (const Outcome& outcome : outcomes.value()) {
            const bool hits = outcome.missed == 0 && outcome.merged == 0;
            served.push_back({hits ? 1.0 : 0.0, hits ? 0.0 : 1.0});
        }
        return served;
    }
    reuse_distance::Distances distances;
    for (const auto& access : stream) {
        const auto distance = distances.of(access.line);
        const auto probability =
            distance ? stack_distance::hit_probability(*distance, l2.lines, l2.ways).value() : 0;
        served.push_back({probability, 1 - probability});
        distances.use(access.line);
    }
    return served;
}

/// Sends the accesses through both caches and adds up hits and misses.
void Estimator::serve() {
    std::vector<Access> loads;
    std::vector<std::size_t> of_load; // Index into `accesses_`.
    for (std::size_t at = 0; at < accesses_.size(); ++at) {
        const auto& [execution, line] = accesses_[at];
        if (!is_global_load(steps_.kinds()[executions_[execution].kind].opcode_class)) continue;
        loads.push_back({.line = line.address / l1_->line,
                         .sectors = line.sectors,
                         .time = executions_[execution].round});
        of_load.push_back(at);
    }
    const auto outcomes =
        reuse_distance::outcomes(loads, {.sets = *l1_->sets, .ways = l1_->ways}, {.miss = 1});

    constexpr std::size_t none = ~std::size_t{0};
    std::vector<LineAccess> sent; // To the L2.
    std::vector<std::size_t> sent_as(accesses_.size(), none);
    std::vector<std::size_t> merges_with(accesses_.size(), none); // Index into `sent`.
    std::unordered_map<std::uint64_t, std::size_t> last_sent;     // By L1 line.
    std::size_t next_load = 0;
    for (std::size_t at = 0; at < accesses_.size(); ++at) {
        LineAccess access = accesses_[at];
        if (next_load < of_load.size() && of_load[next_load] == at) {
            const Outcome& outcome = outcomes.value()[next_load++];
            if (outcome.merged != 0) merges_with[at] = last_sent.at(access.line.address);
            access.line.sectors = outcome.missed;
            if (outcome.missed == 0) continue;
            last_sent.insert_or_assign(access.line.address, sent.size());
        }
        sent_as[at] = sent.size();
        sent.push_back(access);
    }
    CacheGeometry l2;
    if (!sent.empty()) {
        const auto known = geometry("l2");
        if (!known) return;
        l2 = *known;
        if (l2.line < l1_->line) inputs_.miss("memories/l2/line of at least a line of the L1");
    }
    if (!inputs_.missing().empty()) return;
    const auto served = serve_by_l2(sent, l2);

    std::vector<double> near(executions_.size(), 1);  // RandomSource that no line comes from DRAM.
    std::vector<double> at_l1(executions_.size(), 1); // That all are in the L1.
    for (std::size_t at = 0; at < accesses_.size(); ++at) {
        const auto& [execution, line] = accesses_[at];
        Sum& sum = sums_[executions_[execution].kind];
        for (const std::size_t source : {sent_as[at], merges_with[at]}) {
            if (source == none) continue;
            near[execution] *= 1 - served[source].dram;
            at_l1[execution] = 0;
        }
        if (sent_as[at] == none) continue;
        sum.transactions += 1;
        if (!is_global_load(steps_.kinds()[executions_[execution].kind].opcode_class)) continue;
        const double from_dram = served[sent_as[at]].dram;
        const double sectors = real(std::popcount(sent[sent_as[at]].line.sectors));
        sum.miss_registers += sectors;
        sum.dram_transfers += from_dram;
        sum.dram_bytes +=
            from_dram * sectors * static_cast<double>(std::max(l1_->sector, l2.sector));
    }
    for (std::size_t execution = 0; execution < executions_.size(); ++execution) {
        const ProfileStep& step = steps_.kinds()[executions_[execution].kind];
        if (!through_caches(step) || !is_global_load(step.opcode_class)) continue;
        LevelShares& shares = sums_[executions_[execution].kind].shares;
        shares.l1 += at_l1[execution] * near[execution];
        shares.l2 += (1 - at_l1[execution]) * near[execution];
        shares.dram += 1 - near[execution];
    }
}

/// Notes the estimates of each instruction among the used inputs.
void Estimator::note_means(const std::map<std::int64_t, Sum>& of_instruction) {
    for (const auto& [address, sum] : of_instruction) {
        if (sum.executions == 0) continue;
        const auto note = [&, at = address](const char* what, double value, const char* unit,
                                            const char* source) {
            inputs_.use(
                {fmt::format("0x{:04x} {}", at, what), value / sum.executions, unit, source});
        };
        note("passes", sum.passes, "1", "address pattern, mean (estimate)");
        const double served = sum.shares.l1 + sum.shares.l2 + sum.shares.dram;
        if (served == 0) continue;
        constexpr const char* source = "reuse distances of its pattern (estimate)";
        note("from L1", sum.shares.l1, "1", source);
        note("from L2", sum.shares.l2, "1", source);
        note("from DRAM", sum.shares.dram, "1", source);
        note("misses of L1", sum.transactions, "1", source);
    }
}

AccessEstimates Estimator::means() {
    std::map<std::int64_t, Sum> of_instruction; // By address.
    for (std::size_t kind = 0; kind < sums_.size(); ++kind)
        of_instruction[steps_.kinds()[kind].address.value_or(-1)] += sums_[kind];
    note_means(of_instruction);
    AccessEstimates found(steps_.kinds().size());
    for (std::size_t kind = 0; kind < found.size(); ++kind) {
        const ProfileStep& step = steps_.kinds()[kind];
        if (!step.pattern) continue;
        // Executions beyond `most_accesses` are assumed to be like the instruction's others.
        const Sum& all = of_instruction[step.address.value_or(-1)];
        const Sum& sum = sums_[kind].executions > 0 ? sums_[kind] : all;
        if (sum.executions == 0) continue;
        AccessEstimate mean{.passes = sum.passes / sum.executions};
        if (through_caches(step) && counts_levels_) {
            if (is_global_load(step.opcode_class))
                mean.shares = LevelShares{.l1 = sum.shares.l1 / sum.executions,
                                          .l2 = sum.shares.l2 / sum.executions,
                                          .dram = sum.shares.dram / sum.executions};
            mean.transactions = sum.transactions / sum.executions;
            mean.through_caches = true;
            mean.miss_registers = sum.miss_registers / sum.executions;
            mean.dram_transfers = sum.dram_transfers / sum.executions;
            mean.dram_bytes = sum.dram_bytes / sum.executions;
        }
        found[kind] = mean;
    }
    return found;
}

AccessEstimates Estimator::estimate() {
    find_accesses();
    if (!inputs_.missing().empty()) return {};
    follow();
    sums_.resize(steps_.kinds().size());
    for (const auto& execution : executions_) {
        sums_[execution.kind].executions += 1;
        sums_[execution.kind].passes += real(execution.passes);
    }
    if (counts_levels_) serve();
    if (!inputs_.missing().empty()) return {};
    return means();
}

} // namespace

bool through_caches(const ProfileStep& step) {
    return step.level == MemoryLevel::Any && step.pattern &&
           (is_global_load(step.opcode_class) || is_global_store(step.opcode_class));
}

bool has_patterns(const Steps& steps) {
    return std::ranges::any_of(steps.kinds(),
                               [](const ProfileStep& step) { return step.pattern.has_value(); });
}

AccessEstimates estimate_accesses(const Steps& steps, const Residency& residency, Inputs& inputs) {
    return Estimator{steps, residency, inputs}.estimate();
}

} // namespace warpbound::models::prediction
