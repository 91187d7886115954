#pragma once
/// \file
/// A user's kernel that scales four bytes, and the clock of the stand-in driver.

#include "assembly/support/source_text.hpp"
#include "harness/host_clock.hpp"
#include "harness/user_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace warpbound::tests {

/// The clock of the stand-in: waiting takes no time.
inline harness::HostClock played_clock() {
    void* const driver = dlopen(WARPBOUND_TEST_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    const auto now = reinterpret_cast<double (*)()>(dlsym(driver, "stand_in_now"));
    const auto pass = reinterpret_cast<void (*)(double)>(dlsym(driver, "stand_in_pass"));
    return {[now] { return static_cast<std::int64_t>(now()); },
            [now, pass](std::int64_t moment) {
                if (static_cast<double>(moment) > now()) pass(static_cast<double>(moment) - now());
            }};
}

inline std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

/// `scale(float* data, int n, float factor)` on four bytes.
inline harness::UserKernel scale() {
    const auto image = assembly::read_source(WARPBOUND_TEST_DATA "/two_kernels.sm_80.cubin");
    if (!image) throw std::runtime_error{to_string(image.error())};
    harness::UserKernel kernel;
    kernel.name = "scale";
    kernel.image = image.value().text;
    kernel.parameters.resize(16);
    kernel.buffers.push_back({"data", 0, bytes_of({1, 2, 3, 4})});
    return kernel;
}

} // namespace warpbound::tests
