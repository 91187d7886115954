#include "cli/options/multiprocessors.hpp"

#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

std::string refusal_of_multiprocessors(const std::string& text) {
    const bool digits = !text.empty() && text.size() < 7 && text.front() != '0' &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits || text == "all" ? "" : "expected a number of SMs, at least 1, or all";
}

Result<std::int64_t> multiprocessors_of(const std::string& text,
                                        const models::Architecture& architecture) {
    if (text != "all") return std::stoll(text);
    const auto all =
        models::require(architecture, architecture.geometry, "geometry", "multiprocessors");
    if (!all) return all.as_failure();
    if (!all.value().is_exact())
        return Failure{fmt::format("geometry/multiprocessors is {}..{}; expected one number, or a "
                                   "number with --multiprocessors",
                                   all.value().lo, all.value().hi),
                       architecture.name};
    return all.value().lo;
}

} // namespace warpbound::cli
