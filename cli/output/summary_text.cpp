#include "cli/output/summary_text.hpp"

#include "harness/protocol/run_order.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::cli {

std::vector<std::vector<std::int64_t>> summarised_runs(const std::vector<harness::Sample>& samples,
                                                       std::string_view quantity) {
    const bool latest = quantity == to_string(harness::Quantity::Clocks) ||
                        quantity == to_string(harness::Quantity::CheckedRegion);
    std::vector<std::vector<std::int64_t>> runs;
    for (const auto& sample : samples)
        if (const auto largest = harness::run_time(sample))
            runs.push_back(latest ? std::vector{*largest} : sample.times);
    return runs;
}

std::vector<std::int64_t> summarised_times(const std::vector<harness::Sample>& samples,
                                           std::string_view quantity) {
    std::vector<std::int64_t> times;
    for (const auto& run : summarised_runs(samples, quantity))
        times.insert(times.end(), run.begin(), run.end());
    return times;
}

std::string summary_heading(const std::string& label) {
    return fmt::format("{:<40} {:>6} {:>9} {:>12} {:>9} {:>9} {:>9} {:>8} {:>5}\n", label, "count",
                       "best", "mean", "p99", "worst", "st.dev", "distinct", "modes");
}

std::string summary_label(const std::string& name, std::string_view quantity) {
    const auto unit = harness::unit_of(quantity);
    return unit == "cycles" ? name : fmt::format("{}, {}", name, unit);
}

std::string summary_row(const std::string& label, const harness::Summary& summary) {
    return fmt::format("{:<40} {:>6} {:>9} {:>12.2f} {:>9} {:>9} {:>9.2f} {:>8} {:>5}\n", label,
                       summary.count, summary.best, summary.mean, summary.p99, summary.worst,
                       summary.standard_deviation, summary.distinct, summary.modes.size());
}

std::string summary_details(const harness::Summary& summary) {
    constexpr std::size_t few = 12;
    std::string out;
    if (summary.distinct == 1)
        return fmt::format("  constant: {} cycles in all {} observations\n", summary.best,
                           summary.count);
    if (!summary.values.empty() && summary.values.size() <= few) {
        out += "  distinct values:";
        for (const auto& [value, count] : summary.values)
            out += fmt::format(" {} x{}", value, count);
        out += "\n";
    }
    if (summary.modes.size() > 1)
        for (const auto& mode : summary.modes)
            out += fmt::format("  mode {}..{}: {} observations, first at index {}\n", mode.lowest,
                               mode.highest, mode.count, mode.first_run);
    return out;
}

nlohmann::ordered_json summary_json(const harness::Summary& summary, std::string_view unit) {
    nlohmann::ordered_json modes = nlohmann::ordered_json::array();
    for (const auto& mode : summary.modes)
        modes.push_back({{"lowest", mode.lowest},
                         {"highest", mode.highest},
                         {"count", mode.count},
                         {"first-index", mode.first_run},
                         {"last-index", mode.last_run}});
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const auto& [value, count] : summary.values)
        values.push_back({{"value", value}, {"count", count}});
    return {{"kind", "observed"},
            {"unit", unit},
            {"count", summary.count},
            {"best", summary.best},
            {"mean", summary.mean},
            {"median", summary.median},
            {"p90", summary.p90},
            {"p99", summary.p99},
            {"worst", summary.worst},
            {"standard-deviation", summary.standard_deviation},
            {"distinct", summary.distinct},
            {"values", values},
            {"modes", modes}};
}

} // namespace warpbound::cli
