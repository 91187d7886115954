#pragma once
/// \file
/// Search for the fixed latency of a class over stall counts: the least distance at which a
/// consumer reads the result and not what its register held before.

#include "harness/suite/emission/benchmark.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {

/// Longest distance that is tried. `Unit:` core cycles.
inline constexpr std::int64_t longest_search = 64;
/// Distance after which every result of the search kernel itself is taken as ready.
inline constexpr std::int64_t settled = 96;
/// Runs of each distance: of a latency drawn from few values each shows.
inline constexpr std::int64_t runs_of_a_distance = 60;

/// The classes of fixed latency that have a search: "search-float-add/stall=4".
std::vector<std::string> searched_classes();
/// Cycles between the clock reads of a search kernel beyond those of an empty region, as stated.
std::int64_t stated_cycles_of_search(std::int64_t stall);

/// Their benchmarks, without `stated_prefix`.
std::vector<Benchmark> stall_searches();

} // namespace warpbound::harness
