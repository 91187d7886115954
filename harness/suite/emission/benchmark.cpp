#include "harness/suite/emission/benchmark.hpp"

namespace warpbound::harness {

std::int64_t axis_value(const Axes& axes, std::string_view name, std::int64_t otherwise) {
    for (const auto& [axis, value] : axes)
        if (axis == name) return value;
    return otherwise;
}

} // namespace warpbound::harness
