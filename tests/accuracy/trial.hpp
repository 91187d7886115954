#pragma once
/// \file
/// What the programs that compare with the simulated device share.

#include "harness/simulator/machine.hpp"
#include "models/launch/launch.hpp"
#include "tests/accuracy/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace warpbound::tests {

/// Numbers of resident warps that are compared.
inline constexpr std::array<std::int64_t, 7> compared_warps{1, 2, 4, 8, 16, 32, 48};

/// So many warps in blocks of at most eight.
inline models::Launch launch_of(std::int64_t warps) {
    const std::int64_t of_block = std::min<std::int64_t>(warps, 8);
    return {.blocks = warps / of_block, .threads = 32 * of_block};
}

/// Throws `std::runtime_error` with the failure.
template <typename Value> Value value_of(Result<Value> result, const std::string& name) {
    if (!result) throw std::runtime_error{name + ": " + to_string(result.error())};
    return std::move(result).value();
}

inline std::shared_ptr<const harness::simulator::Machine>
prepare(const AccuracyKernel& kernel, const models::Architecture& machine,
        const models::Launch& launch, const std::string& policy) {
    const harness::Kernel code{kernel.function, &kernel.graph, &kernel.facts, launch};
    return value_of(harness::simulator::Machine::prepare(
                        machine, code, value_of(models::read_policy(policy), "policy " + policy)),
                    kernel.name);
}

} // namespace warpbound::tests
