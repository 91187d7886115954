#include "analyzer/interference/certified_sums.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

std::string certificate_id(const char* sum, models::Warps rotation_warps) {
    return fmt::format("execution-time-upper-{}{}", sum,
                       rotation_warps > models::Warps{0}
                           ? fmt::format("-round-robin-of-{}", rotation_warps.count())
                           : "");
}

std::string beyond_limit(const std::string& sum, std::int64_t limit) {
    return fmt::format("{}-{}", sum, limit);
}

bool is_of_counted_warps(const std::string& certificate) {
    return certificate == certificate_id("guarded-stall") ||
           certificate == certificate_id("demand-beyond-ports") ||
           certificate == certificate_id("interval-beyond-ports") ||
           certificate.starts_with(certificate_id("intervals-beyond-"));
}

} // namespace warpbound::analyzer
