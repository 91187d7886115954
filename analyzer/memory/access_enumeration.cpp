#include "analyzer/memory/access_enumeration.hpp"

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/interference/resource_demand.hpp"

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_accesses = std::int64_t{1} << 16U;

} // namespace

std::optional<AccessList> AccessList::of(const Problem& problem) {
    AccessList list{problem};
    if (!list.count()) return std::nullopt;
    return list;
}

bool AccessList::is_load(std::size_t instruction) const {
    return !problem_->timings[instruction].value().enters_write_buffer;
}

std::int64_t AccessList::warps() const {
    return problem_->shape.warps();
}

bool AccessList::count() {
    const auto& blocks = problem_->request.graph->blocks;
    const auto goes_through = [&](std::size_t i) {
        return problem_->used[i] && problem_->timings[i] &&
               problem_->timings[i].value().through_caches;
    };
    executions_.assign(problem_->timings.size(), {});
    models::Cycles all{0};
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::int64_t here = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
            if (goes_through(i)) ++here;
        // Copies of called code are the same instructions (C21).
        const auto copies = blocks_at(*problem_->request.graph, blocks[block].address);
        if (here == 0 || copies.front() != block) continue;
        std::vector<std::int64_t> visits(blocks.size(), 0);
        for (const std::size_t copy : copies)
            visits[copy] = 1;
        const std::int64_t most = extreme_sum(*problem_, visits, Side::Upper);
        const std::int64_t least = extreme_sum(*problem_, visits, Side::Lower);
        all += models::Cycles{most} * here * problem_->shape.warps();
        if (models::Cycles{most_accesses} < all) return false;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!goes_through(i)) continue;
            const bool sure = !assembly::is_guarded(problem_->request.function->instructions[i]);
            executions_[i] = {sure ? least : 0, most};
        }
    }
    return true;
}

void AccessList::find_lines(std::size_t instruction, std::int64_t warp, std::int64_t execution,
                            std::vector<models::TouchedLine>& lines) const {
    const std::int64_t address = problem_->request.function->instructions[instruction].address;
    const models::AddressPattern& pattern = *problem_->request.facts->memory_at(address)->pattern;
    const models::AccessPlace place{
        .block = static_cast<std::uint64_t>(warp / problem_->shape.warps_per_block),
        .warp = static_cast<std::uint64_t>(warp % problem_->shape.warps_per_block),
        .execution = static_cast<std::uint64_t>(execution)};
    const auto lanes =
        models::addresses_of(pattern, place, models::all_lanes(problem_->shape.warp_size),
                             problem_->timings[instruction].value().access.bytes);
    models::coalesce(lanes, problem_->caches->line, problem_->caches->sector, lines);
}

} // namespace warpbound::analyzer
