#pragma once
/// \file
/// Arithmetic and memory operations that the benchmarks of all generations use.

#include "harness/suite/benchmarks/catalogue.hpp"

namespace warpbound::harness {

/// "add", "mul", "mad" or "cos" of floats.
Operation arithmetic_operation(const std::string& name, int destination, int source);

/// A load by all lanes, `words` of 4 bytes each. `line`: offset from R4 in lines, so that loads can
/// access different lines.
Operation global_load(const models::Architecture& architecture, int destination,
                      std::int64_t transactions, std::int64_t line = 0, std::int64_t words = 1);
Operation global_store(const models::Architecture& architecture, std::int64_t transactions);
/// `stride`: words between the addresses of two lanes.
Operation shared_load(int destination, std::int64_t stride);
Operation shared_store(std::int64_t stride = 1);

/// `operation` with another PTX text.
Operation as_ptx(Operation operation, std::string ptx);
/// For `Region::closing`: stores float register `result` in shared memory. ptxas 13.0 keeps such a
/// store after the instructions whose result it stores and before the clock read.
Operation closing_store(int result);
/// Loads of global memory, each `line_step` lines after the previous one, then an addition for
/// each. In PTX the additions form a chain, so that order and result are unique. `pattern`: the
/// address pattern of a load by its number; null: none is stated.
Region loads_and_sum(const models::Architecture& architecture, int loads, std::int64_t line_step,
                     models::AddressPattern (*pattern)(int number) = nullptr);

/// The region without PTX for compilers: for code that they would reorder (ptxas 13.0).
Region listing_only(Region region);

} // namespace warpbound::harness
