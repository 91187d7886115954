#include "analyzer/interference/certified_sums.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

std::string certificate_id(const char* sum, models::Warps rotation_warps) {
    return fmt::format("execution-time-upper-{}{}", sum,
                       rotation_warps > models::Warps{0}
                           ? fmt::format("-round-robin-of-{}", rotation_warps.count())
                           : "");
}

} // namespace warpbound::analyzer
