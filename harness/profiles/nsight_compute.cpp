/// \file
/// CSV of Nsight Compute.
#include "harness/profiles/profiler_table.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

#include <fmt/format.h>

#include <set>

namespace warpbound::harness::profiles {

namespace {

/// "(256, 1, 1)" or "(256,1,1)".
std::optional<Extents> read_triple(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    Extents extents{};
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::size_t comma = text.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == extents.size())) return std::nullopt;
        std::string_view part = text.substr(0, comma);
        while (!part.empty() && part.front() == ' ')
            part.remove_prefix(1);
        const auto number = whole_number(part);
        if (!number || *number < 1) return std::nullopt;
        extents[i] = *number;
        if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
    }
    return extents;
}

/// Where the columns of Nsight Compute are. The raw page has a column for each metric, with units
/// in the first record; the page of details has a record for each metric.
struct MetricColumns {
    std::size_t id = 0;
    std::size_t kernel = 0;
    std::optional<std::size_t> grid;
    std::optional<std::size_t> block;
    std::optional<std::size_t> device;
    std::optional<std::size_t> capability;
    std::optional<std::size_t> raw; ///< The duration; else the page is that of details.
    std::size_t metric = 0;
    std::size_t unit = 0;
    std::size_t value = 0;
};

Result<MetricColumns> metric_columns(const ProfilerTable& table) {
    MetricColumns columns;
    const auto id = table.place("ID");
    const auto kernel = table.any_of({"Kernel Name", "Function Name"});
    if (!id || !kernel) return table.lacks("Kernel Name");
    columns.id = *id;
    columns.kernel = *kernel;
    columns.grid = table.any_of({"Grid Size", "launch__grid_dim"});
    columns.block = table.any_of({"Block Size", "launch__block_dim"});
    columns.device = table.place("Device");
    columns.capability = table.place("CC");
    columns.raw = table.place(duration_metric);
    if (columns.raw) return columns;
    const auto metric = table.place("Metric Name");
    const auto unit = table.place("Metric Unit");
    const auto value = table.place("Metric Value");
    if (!metric || !unit || !value)
        return table.lacks("gpu__time_duration.sum; `ncu --metrics gpu__time_duration.sum --csv` "
                           "writes it");
    columns.metric = *metric;
    columns.unit = *unit;
    columns.value = *value;
    return columns;
}

ProfiledSeries profiled_kernel(const MetricColumns& columns, const CsvRecord& record) {
    ProfiledSeries series;
    series.name = record[columns.kernel].text;
    const auto grid = columns.grid ? read_triple(record[*columns.grid].text) : std::nullopt;
    const auto block = columns.block ? read_triple(record[*columns.block].text) : std::nullopt;
    if (grid && block) series.launch = launch_text(*grid, *block, 0);
    if (columns.device) series.device = "GPU " + record[*columns.device].text;
    if (columns.capability)
        series.device += fmt::format(", compute capability {}", record[*columns.capability].text);
    return series;
}

/// The time of each kernel, by its number in the file.
class MetricReader {
public:
    MetricReader(const ProfilerTable& table, const MetricColumns& columns)
        : table_{&table}, columns_{columns} {}

    Result<void> take(const CsvRecord& record) {
        if (columns_.raw && record[columns_.id].text.empty()) {
            unit_ = record[*columns_.raw].text;
            return boost::outcome_v2::success();
        }
        if (!columns_.raw && record[columns_.metric].text != duration_metric &&
            record[columns_.metric].text != "Duration")
            return boost::outcome_v2::success();
        if (!columns_.raw && !seen_.insert(record[columns_.id].text).second)
            return boost::outcome_v2::success(); // Duration beside the metric.
        const CsvField& value = record[columns_.raw ? *columns_.raw : columns_.value];
        const std::string& unit = columns_.raw ? unit_ : record[columns_.unit].text;
        const auto time = nanoseconds_of(value.text, unit);
        if (!time)
            return table_->refuse(
                fmt::format("'{}' in '{}' is no time; expected s, ms, us or ns", value.text, unit),
                value);
        if (record[columns_.kernel].text.empty())
            return table_->refuse("expected the name of a kernel", record[columns_.kernel]);
        collected_.add(profiled_kernel(columns_, record), *time);
        return boost::outcome_v2::success();
    }
    [[nodiscard]] std::vector<ProfiledSeries> series() { return collected_.take(); }

private:
    const ProfilerTable* table_;
    MetricColumns columns_;
    std::string unit_;
    std::set<std::string> seen_;
    SeriesByLaunch collected_;
};

} // namespace

Result<Profile> read_nsight_compute(const std::string& path) {
    std::optional<MetricReader> metrics;
    const auto read = read_table(
        path,
        [&](const ProfilerTable& table) -> Result<void> {
            const auto columns = metric_columns(table);
            if (!columns) return columns.as_failure();
            metrics.emplace(table, columns.value());
            return boost::outcome_v2::success();
        },
        [&](const CsvRecord& record) { return metrics->take(record); });
    if (!read) return read.as_failure();
    Profile profile;
    profile.profiler = "Nsight Compute";
    profile.conditions = nsight_compute_conditions;
    profile.series = metrics->series();
    return profile;
}

} // namespace warpbound::harness::profiles
