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

/// Without PTX: what a compiler would put in another order (ptxas 13.0).
Region listing_only(Region region);

} // namespace warpbound::harness
