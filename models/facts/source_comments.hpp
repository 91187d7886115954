#pragma once
/// \file
/// Flow facts written as comments of CUDA C++ source: `// warpbound: loop max 128`.

#include "assembly/support/source_text.hpp"
#include "models/facts/loop_extent.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace warpbound::models {

inline constexpr std::size_t source_file_limit = std::size_t{4} << 20U; ///< Unit: bytes.
inline constexpr std::size_t fact_comment_limit = 1'000;                ///< Of a file.
inline constexpr std::size_t loop_statement_limit = 10'000;             ///< Of a file.

/// The body of the loop executes at most `max` times each time the loop is entered.
struct LoopComment {
    std::int64_t max = 0;
    std::optional<std::int64_t> min;
    /// The loop: the one that begins on the line or whose `do` is closed there, else the innermost
    /// one around the line. None: there is none.
    std::optional<LoopExtent> loop;
    std::int64_t branch_line = 0;  ///< The line whose branch repeats it.
    std::vector<LoopExtent> inner; ///< The loop statements inside it.
    std::int64_t enclosing = 0;    ///< Number of loop statements around it.
};

/// The active lanes of a warp agree in every decision of the line.
struct UniformComment {};

struct FactComment {
    std::int64_t line = 0;      ///< Of the comment.
    std::int64_t code_line = 0; ///< The line that it is about: its own, or the next with code.
    std::variant<LoopComment, UniformComment> fact;
};

/// The facts of all comments that begin with `warpbound:`, in order. Refuses, with the line: a fact
/// of no known form, a range of a parameter (no analysis uses it), a comment without code after it,
/// two facts of one form about a line, a loop bound about a line with several loops, and more than
/// the limits.
Result<std::vector<FactComment>> read_fact_comments(const assembly::SourceText& source);

} // namespace warpbound::models
