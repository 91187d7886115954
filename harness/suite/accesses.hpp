#pragma once
/// \file
/// Arithmetic and memory operations that every generation's benchmarks are built of.

#include "harness/suite/catalogue.hpp"

namespace warpbound::harness {

/// "add", "mul", "mad" or "cos" of floats.
Operation arithmetic_operation(const std::string& name, int destination, int source);

/// A load for all lanes, `words` of 4 bytes each. `line`: of how many lines behind R4 it starts, so
/// that loads can keep apart.
Operation global_load(const models::Architecture& architecture, int destination,
                      std::int64_t transactions, std::int64_t line = 0, std::int64_t words = 1);
Operation global_store(const models::Architecture& architecture, std::int64_t transactions);
/// `stride`: words between the addresses of two lanes.
Operation shared_load(int destination, std::int64_t stride);
Operation shared_store(std::int64_t stride = 1);

/// `operation` with another form in PTX.
Operation as_ptx(Operation operation, std::string ptx);
/// For `Region::closing`: stores float register `result` in shared memory. ptxas 13.0 leaves such a
/// store behind what it stores and before the clock read.
Operation closing_store(int result);
/// So many loads of global memory, each `line_step` lines behind the one before, then an addition
/// for each. In PTX they add up, so that there is one order and one result. `pattern`: of each load
/// by its number; null: no pattern is stated.
Region loads_and_sum(const models::Architecture& architecture, int loads, std::int64_t line_step,
                     models::AddressPattern (*pattern)(int number) = nullptr);

/// Without PTX: what a compiler would put in another order (ptxas 13.0).
Region listing_only(Region region);

} // namespace warpbound::harness
