#include "analyzer/path/compressed_path.hpp"

#include "models/units.hpp"

#include <variant>

namespace warpbound::analyzer {

namespace {

void add_count(std::int64_t& count, std::int64_t more) {
    count = (models::Cycles{count} + models::Cycles{more}).count();
}

void expand_rule(const BlockPath& path, RuleIndex rule, std::vector<BlockIndex>& into) {
    for (const PathSymbol& symbol : path.rules[rule])
        if (const auto* block = std::get_if<BlockIndex>(&symbol))
            into.push_back(*block);
        else
            expand_rule(path, std::get<RuleIndex>(symbol), into);
}

} // namespace

std::map<BlockIndex, std::int64_t> counts_of(const BlockPath& path) {
    assembly::IndexedVector<RuleIndex, std::int64_t> uses(path.rules.size(), 0);
    std::map<BlockIndex, std::int64_t> counts;
    if (uses.empty()) return counts;
    uses.back() = 1;
    for (std::size_t left = path.rules.size(); left-- > 0;) {
        const RuleIndex rule{left};
        for (const PathSymbol& symbol : path.rules[rule]) {
            const auto* block = std::get_if<BlockIndex>(&symbol);
            add_count(block != nullptr ? counts[*block] : uses[std::get<RuleIndex>(symbol)],
                      uses[rule]);
        }
    }
    return counts;
}

std::optional<std::vector<BlockIndex>> sequence_of(const BlockPath& path, std::size_t longest) {
    std::int64_t length = 0;
    for (const auto& [block, count] : counts_of(path))
        add_count(length, count);
    if (static_cast<std::uint64_t>(length) > longest) return std::nullopt;
    std::vector<BlockIndex> sequence;
    if (!path.rules.empty()) expand_rule(path, path.rules.last(), sequence);
    return sequence;
}

} // namespace warpbound::analyzer
