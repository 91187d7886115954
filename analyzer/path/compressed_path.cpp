#include "analyzer/path/compressed_path.hpp"

#include "models/units.hpp"

namespace warpbound::analyzer {

namespace {

void add_count(std::int64_t& count, std::int64_t more) {
    count = (models::Cycles{count} + models::Cycles{more}).count();
}

void expand_rule(const BlockPath& path, std::size_t rule, std::vector<std::size_t>& into) {
    for (const PathSymbol& symbol : path.rules[rule])
        if (symbol.kind == PathSymbol::Block)
            into.push_back(symbol.index);
        else
            expand_rule(path, symbol.index, into);
}

} // namespace

std::map<std::size_t, std::int64_t> counts_of(const BlockPath& path) {
    std::vector<std::int64_t> uses(path.rules.size(), 0);
    std::map<std::size_t, std::int64_t> counts;
    if (uses.empty()) return counts;
    uses.back() = 1;
    for (std::size_t rule = path.rules.size(); rule-- > 0;)
        for (const PathSymbol& symbol : path.rules[rule])
            add_count(symbol.kind == PathSymbol::Block ? counts[symbol.index] : uses[symbol.index],
                      uses[rule]);
    return counts;
}

std::optional<std::vector<std::size_t>> sequence_of(const BlockPath& path, std::size_t longest) {
    std::int64_t length = 0;
    for (const auto& [block, count] : counts_of(path))
        add_count(length, count);
    if (static_cast<std::uint64_t>(length) > longest) return std::nullopt;
    std::vector<std::size_t> sequence;
    if (!path.rules.empty()) expand_rule(path, path.rules.size() - 1, sequence);
    return sequence;
}

} // namespace warpbound::analyzer
