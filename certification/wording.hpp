#pragma once
/// \file
/// Phrases that several renderings share, so that a number is called the same everywhere.

#include "certification/report.hpp"

#include <fmt/format.h>

#include <string>

namespace warpbound::certification {

inline std::string verdict_of(const Report& report) {
    return report.refuted() ? "refuted" : "holds";
}

inline std::string side_name(analyzer::Side side) {
    return side == analyzer::Side::Upper ? "upper" : "lower";
}

inline std::string kind_phrase(const Report& report, const Claim& claim) {
    if (claim.kind == ClaimKind::ProvedBound) return "proved bound";
    return fmt::format("bound under {} assumptions, {} unchecked", claim.assumptions.size(),
                       report.unchecked_assumptions());
}

inline std::string launch_text(const Report& report) {
    return fmt::format("{}x{}", report.launch_blocks, report.launch_threads);
}

inline std::string address_text(std::int64_t address) {
    return fmt::format("0x{:04x}", address);
}

inline std::string quantity_phrase(const std::string& quantity) {
    return quantity == "measured-time" ? "measured time (between the two clock reads)"
                                       : "execution time";
}

} // namespace warpbound::certification
