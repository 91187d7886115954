#pragma once
/// \file
/// Where the kept microbenchmarks are defined: one list a file.

#include "harness/suite/benchmark.hpp"

namespace warpbound::harness {

/// The experiments of Voudouris 2014.
std::vector<Benchmark> published_benchmarks();
/// Those that `calibrate` reads values of a description off.
std::vector<Benchmark> calibration_benchmarks();
/// Chains of every opcode class, pairs, loops, and what many warps do to each other.
std::vector<Benchmark> issue_benchmarks();
/// Strides of shared memory, lines, stores, bandwidth, walks through the caches.
std::vector<Benchmark> memory_benchmarks();
/// The experiments of Taylor and Li 2010.
std::vector<Benchmark> alu_fetch_benchmarks();
/// Whole launches: the experiments of Gajger 2017, and the number of multiprocessors.
std::vector<Benchmark> launch_benchmarks();
/// Copies between host and device.
std::vector<Benchmark> copy_benchmarks();
/// What the caches hold.
std::vector<Benchmark> cache_benchmarks();
/// What the write buffer holds and how fast it drains.
std::vector<Benchmark> store_benchmarks();

/// R8 and up are written by the timed code; R2..R7 are only read.
inline constexpr int first_register = 8;

/// `operation` with a fact about the addresses that it accesses.
Operation patterned(Operation operation, const models::AddressPattern& pattern,
                    models::MemoryLevel level);

/// 1, 2 .. last.
std::vector<std::int64_t> one_to(std::int64_t last);

/// `operation` with a fact about how it uses memory.
Operation shared_access(Operation operation, std::int64_t conflict_degree);
Operation global_access(Operation operation, std::int64_t transactions, models::MemoryLevel level);

} // namespace warpbound::harness
