#pragma once
/// \file
/// The catalogue of microbenchmarks: one list per source file.

#include "harness/suite/emission/benchmark.hpp"

namespace warpbound::harness {

/// The experiments of Voudouris 2014.
std::vector<Benchmark> published_benchmarks();
/// Benchmarks from which `calibrate` reads values of a description.
std::vector<Benchmark> calibration_benchmarks();
/// Dependence chains of every opcode class, pairs, loops, and contention of many warps.
std::vector<Benchmark> issue_benchmarks();
/// Strides of shared memory, lines, stores, bandwidth, pointer chases through the caches.
std::vector<Benchmark> memory_benchmarks();
/// The experiments of Taylor and Li 2010.
std::vector<Benchmark> alu_fetch_benchmarks();
/// Whole launches: the experiments of Gajger 2017, and the number of multiprocessors.
std::vector<Benchmark> launch_benchmarks();
/// Copies between host and device.
std::vector<Benchmark> copy_benchmarks();
/// Geometry, latencies and outstanding misses of the caches.
std::vector<Benchmark> cache_benchmarks();
/// Size and drain time of the write buffer.
std::vector<Benchmark> store_benchmarks();
/// Loops whose times the rules of the timing contract bound on cards, too.
std::vector<Benchmark> contract_benchmarks();

/// R8 and up are written by the timed code; R2..R7 are only read.
inline constexpr int first_register = 8;

/// `operation` with a fact about the addresses that it accesses.
Operation patterned(Operation operation, const models::AddressPattern& pattern,
                    models::MemoryLevel level);

/// The numbers 1, 2 .. last.
std::vector<std::int64_t> one_to(std::int64_t last);

/// `operation` with a fact about how it uses memory.
Operation shared_access(Operation operation, std::int64_t conflict_degree);
Operation global_access(Operation operation, std::int64_t transactions, models::MemoryLevel level);

} // namespace warpbound::harness
