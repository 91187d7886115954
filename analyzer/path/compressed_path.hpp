#pragma once
/// \file
/// A path through a control-flow graph, written as grammar rules: short however many iterations its
/// loops have.

#include "assembly/flow/block_index.hpp"
#include "assembly/support/index.hpp"
#include "assembly/support/indexed_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

using assembly::BlockIndex;

/// A rule of a path's grammar.
using RuleIndex = assembly::Index<struct PathRuleTag>;
/// A block, or an earlier rule.
using PathSymbol = std::variant<BlockIndex, RuleIndex>;
/// The symbols that a rule stands for, in order.
using PathRule = std::vector<PathSymbol>;

struct BlockPath {
    std::int64_t cost = 0;
    assembly::IndexedVector<RuleIndex, PathRule>
        rules; ///< Each uses earlier ones only; the last one is the path.
};

/// Executions per block. Errors: `std::overflow_error` beyond 2^63.
std::map<BlockIndex, std::int64_t> counts_of(const BlockPath& path);

/// Blocks in order; none when there are more than `longest`.
std::optional<std::vector<BlockIndex>> sequence_of(const BlockPath& path, std::size_t longest);

} // namespace warpbound::analyzer
