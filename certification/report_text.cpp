#include "certification/wording.hpp"

#include <algorithm>

namespace warpbound::certification {

namespace {

constexpr std::size_t listed_blocks = 12;

std::string headline(const Report& report) {
    std::string out = fmt::format("{} on {}, launch {}, policy {}: {}\n", report.kernel,
                                  report.architecture, launch_text(report), report.policy,
                                  report.refuted() ? "REFUTED by an observation" : "holds");
    for (const auto& claim : report.claims)
        out += fmt::format("  {} {:>12} cycles  {} of {} ({}; {}{})\n", claim.id, claim.value,
                           side_name(claim.side) + " bound", quantity_phrase(claim.quantity),
                           kind_phrase(report, claim), claim.proof,
                           claim.limit_reached ? ", a limit stopped the search for a tighter one"
                                               : "");
    return out;
}

std::string observed(const Report& report) {
    std::string out;
    for (const auto& times : report.observations) {
        out += fmt::format("\nobserved {}: {} on {} ({})\n", quantity_phrase(times.quantity),
                           times.count, times.device, times.protocol);
        out += fmt::format(
            "  best {}  mean {:.1f}  median {}  p99 {}  worst {}  distinct {}  modes {}\n",
            times.best, times.mean, times.median, times.p99, times.worst, times.distinct,
            times.modes);
        const Claim* upper = report.claim(times.quantity, analyzer::Side::Upper);
        if (upper != nullptr && times.worst > 0)
            out +=
                fmt::format("  upper bound / observed worst = {:.3f}\n",
                            static_cast<double>(upper->value) / static_cast<double>(times.worst));
        if (times.outside_bounds > 0)
            out += fmt::format(
                "  REFUTED: {} observations lie outside the bounds, the first at index {}\n",
                times.outside_bounds, times.first_outside_run.value_or(0));
    }
    return out;
}

std::string estimates(const Report& report) {
    if (report.estimates.empty()) return {};
    std::string out = "\npublished formulas (estimates, not bounds)\n";
    for (const auto& estimate : report.estimates)
        out += estimate.refusal.empty()
                   ? fmt::format("  {:<10} {:<8} {:>12.1f} cycles  {}\n", estimate.model,
                                 estimate.variant, estimate.value, estimate.source)
                   : fmt::format("  {:<10} not applicable: {}\n", estimate.model, estimate.refusal);
    return out;
}

std::string worst_path(const Report& report) {
    std::string out;
    if (!report.worst_path.empty()) {
        auto blocks = report.worst_path;
        std::stable_sort(blocks.begin(), blocks.end(), [](const PathBlock& a, const PathBlock& b) {
            return a.cycles > b.cycles;
        });
        out += "\nworst path, most expensive blocks first\n";
        for (std::size_t i = 0; i < std::min(listed_blocks, blocks.size()); ++i)
            out += fmt::format("  {}  x{:<9} {:>12} cycles\n", address_text(blocks[i].address),
                               blocks[i].count, blocks[i].cycles);
    }
    std::int64_t total = 0;
    for (const auto& [category, cycles] : report.stack)
        total += cycles;
    if (total > 0) out += "\nwhere the cycles of the worst path go\n";
    for (const auto& [category, cycles] : report.stack)
        if (total > 0)
            out += fmt::format("  {:<20} {:>12}  {}\n", category, cycles,
                               std::string(static_cast<std::size_t>(40 * cycles / total), '#'));
    return out;
}

std::string footing(const Report& report) {
    std::string out = "\nassumptions\n";
    for (const auto& assumption : report.assumptions)
        out += fmt::format("  {} [{}] {}\n", assumption.id, analyzer::to_string(assumption.status),
                           assumption.text);
    out += "\ninputs\n";
    for (const auto& input : report.inputs)
        out += fmt::format("  {:<13} {}  {}\n", input.role, input.name, input.digest);
    out += fmt::format("  seed {}; warpbound {}", report.seed, report.tool_version);
    for (const auto& version : report.versions)
        out += ", " + version;
    return out + "\n";
}

} // namespace

std::string render_text(const Report& report) {
    return headline(report) + observed(report) + estimates(report) + worst_path(report) +
           footing(report);
}

} // namespace warpbound::certification
