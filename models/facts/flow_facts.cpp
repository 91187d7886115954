#include "models/facts/flow_facts.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::models {

std::string_view to_string(FactOrigin origin) {
    switch (origin) {
    case FactOrigin::User:
        return "user";
    case FactOrigin::Static:
        return "static";
    case FactOrigin::Arguments:
        return "arguments";
    case FactOrigin::Trace:
        return "trace";
    case FactOrigin::Statements:
        return "statements";
    case FactOrigin::BarrierRule:
        return "barrier-rule";
    case FactOrigin::NormalEnd:
        return "normal-end";
    }
    return "user";
}

std::string_view to_string(FactStatus status) {
    switch (status) {
    case FactStatus::Unchecked:
        return "unchecked";
    case FactStatus::TraceConsistent:
        return "trace-consistent";
    case FactStatus::Proved:
        return "proved";
    case FactStatus::Refuted:
        return "refuted";
    }
    return "unchecked";
}

std::string_view to_string(MemoryLevel level) {
    switch (level) {
    case MemoryLevel::Any:
        return "any";
    case MemoryLevel::L1:
        return "l1";
    case MemoryLevel::L2:
        return "l2";
    case MemoryLevel::Dram:
        return "dram";
    }
    return "any";
}

Failure refused(const FlowFacts& facts, const FactSource& from, std::string what) {
    return Failure{std::move(what), from.file == 0 ? facts.name : facts.sources[from.file - 1].name,
                   from.line, 0};
}

const LoopFact* FlowFacts::loop_at(std::int64_t header) const {
    const auto found = std::ranges::find(loops, header, &LoopFact::header);
    return found == loops.end() ? nullptr : &*found;
}

const MemoryFact* FlowFacts::memory_at(std::int64_t address) const {
    const auto found = std::ranges::find(memory, address, &MemoryFact::at);
    return found == memory.end() ? nullptr : &*found;
}

bool FlowFacts::is_divergent(std::int64_t at) const {
    return std::ranges::find(divergents, at, &DivergentFact::at) != divergents.end();
}

bool FlowFacts::is_uniform(std::int64_t at) const {
    return std::ranges::find(uniforms, at, &UniformFact::at) != uniforms.end();
}

bool FlowFacts::is_never(std::int64_t address) const {
    return std::ranges::find(nevers, address, &NeverFact::block) != nevers.end();
}

bool has_divergent_branch(const assembly::Function& function, const FlowFacts& facts) {
    return std::ranges::any_of(facts.divergents, [&](const DivergentFact& fact) {
        const auto index = function.index_of(fact.at);
        if (!index) return true;
        const assembly::ControlFlow flow = function.instructions[*index].control_flow;
        return flow != assembly::ControlFlow::None && flow != assembly::ControlFlow::Exit;
    });
}

std::int64_t RepresentativeFact::blocks() const {
    std::int64_t product = 1;
    for (std::size_t dimension = 0; dimension < first.size(); ++dimension)
        product *= std::max<std::int64_t>(0, last[dimension] - first[dimension] + 1);
    return product;
}

bool RepresentativeFact::has(std::int64_t block, const std::optional<GridShape>& grid) const {
    std::array<std::int64_t, 3> index{block, 0, 0};
    if (grid)
        index = {block % grid->blocks[0], block / grid->blocks[0] % grid->blocks[1],
                 block / grid->blocks[0] / grid->blocks[1]};
    for (std::size_t dimension = 0; dimension < index.size(); ++dimension)
        if (index[dimension] < first[dimension] || index[dimension] > last[dimension]) return false;
    return true;
}

} // namespace warpbound::models
