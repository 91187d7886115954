#include "harness/copy.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

std::string to_string(const Copy& copy) {
    return fmt::format("copy {} {} bytes", to_string(copy.direction), copy.bytes);
}

} // namespace warpbound::harness
