#pragma once
/// \file
/// Where the kept microbenchmarks are defined: one list a file.

#include "harness/suite/benchmark.hpp"

namespace warpbound::harness {

/// The experiments of Voudouris 2014.
std::vector<Benchmark> published_benchmarks();
/// Those that `calibrate` reads values of a description off.
std::vector<Benchmark> calibration_benchmarks();

/// The first clock read writes it.
inline constexpr int clock_register = 0;

/// R8 and up are written by the timed code; R2..R7 are only read.
inline constexpr int first_register = 8;

/// 1, 2 .. last.
std::vector<std::int64_t> one_to(std::int64_t last);

/// `operation` with a fact about how it uses memory.
Operation shared_access(Operation operation, std::int64_t conflict_degree);
Operation global_access(Operation operation, std::int64_t transactions, models::MemoryLevel level);

} // namespace warpbound::harness
