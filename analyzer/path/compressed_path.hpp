#pragma once
/// \file
/// A path through a control-flow graph, written as grammar rules: short however many iterations its
/// loops have.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct PathSymbol {
    enum Kind { Block, Rule } kind = Block;
    std::size_t index = 0; ///< Of a block, or of an earlier rule.

    friend bool operator<(const PathSymbol& a, const PathSymbol& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
    }
};
/// The symbols that a rule stands for, in order.
using PathRule = std::vector<PathSymbol>;

struct BlockPath {
    std::int64_t cost = 0;
    std::vector<PathRule> rules; ///< Each uses earlier ones only; the last one is the path.
};

/// Executions per block. Errors: `std::overflow_error` beyond 2^63.
std::map<std::size_t, std::int64_t> counts_of(const BlockPath& path);

/// Blocks in order; none when there are more than `longest`.
std::optional<std::vector<std::size_t>> sequence_of(const BlockPath& path, std::size_t longest);

} // namespace warpbound::analyzer
