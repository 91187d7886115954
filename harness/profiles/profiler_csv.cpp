/// \file
/// CSV of Nsight Systems' statistics, of records of CUPTI, and of Nsight Compute.
#include "harness/campaign/csv_records.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <set>
#include <tuple>

namespace warpbound::harness::profiles {

namespace {

using Extents = std::array<std::int64_t, 3>;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failed != std::errc{} || stopped != text.data() + text.size())
        return std::nullopt;
    return number;
}

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

/// The cells of a line in which no cell holds a comma.
std::set<std::string> cells_of(std::string_view line) {
    std::set<std::string> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        std::string_view cell = line.substr(0, comma);
        while (!cell.empty() && (cell.back() == '\r' || cell.back() == '"'))
            cell.remove_suffix(1);
        if (!cell.empty() && cell.front() == '"') cell.remove_prefix(1);
        cells.emplace(cell);
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

/// A table with a heading; lines of messages stand before it, and between its records.
class ProfilerTable {
public:
    explicit ProfilerTable(TextCursor& cursor) : cursor_{&cursor}, records_{cursor} {}

    Result<void> read_heading(std::int64_t line) {
        while (cursor_->peek() && cursor_->position().line < line)
            skip_line();
        auto record = records_.next();
        if (!record) return record.as_failure();
        heading_ = std::move(record).value();
        if (heading_.empty()) return cursor_->refuse("no heading");
        return boost::outcome_v2::success();
    }
    /// Empty at the end. Refuses a record of another length than the heading.
    Result<CsvRecord> next() {
        while (cursor_->peek() == '=' || cursor_->peek() == '\n' || cursor_->peek() == '\r')
            skip_line();
        auto record = records_.next();
        if (record && !record.value().empty() && record.value().size() != heading_.size())
            return cursor_->refuse(fmt::format("a record of {} fields; the heading has {}",
                                               record.value().size(), heading_.size()),
                                   record.value().front().at);
        return record;
    }
    [[nodiscard]] std::optional<std::size_t> place(std::string_view column) const {
        const auto found =
            std::find_if(heading_.begin(), heading_.end(),
                         [&](const CsvField& field) { return field.text == column; });
        if (found == heading_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - heading_.begin());
    }
    /// The first of these columns that there is.
    [[nodiscard]] std::optional<std::size_t>
    any_of(std::initializer_list<std::string_view> columns) const {
        for (const auto column : columns)
            if (const auto found = place(column)) return found;
        return std::nullopt;
    }
    [[nodiscard]] Failure refuse(std::string what, const CsvField& at) const {
        return cursor_->refuse(std::move(what), at.at);
    }
    [[nodiscard]] Failure lacks(std::string_view columns) const {
        return cursor_->refuse(fmt::format("no column {}", columns), heading_.front().at);
    }

private:
    void skip_line() {
        while (cursor_->peek() && cursor_->peek() != '\n')
            cursor_->advance();
        if (cursor_->peek()) cursor_->advance();
    }

    TextCursor* cursor_;
    CsvRecords records_;
    CsvRecord heading_;
};

Result<Extents> extents_at(const ProfilerTable& table, const CsvRecord& record,
                           const std::array<std::optional<std::size_t>, 3>& places) {
    Extents extents{};
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (!places[i]) return Extents{}; // Not recorded.
        const CsvField& field = record[*places[i]];
        if (field.text.empty()) return Extents{}; // Of a copy.
        const auto number = whole_number(field.text);
        if (!number || *number < 0)
            return table.refuse("expected a number of blocks or threads", field);
        extents[i] = *number;
    }
    return extents;
}

/// Where the columns of a GPU trace are.
struct TraceColumns {
    std::size_t name = 0;
    std::size_t start = 0;
    std::optional<std::size_t> duration;
    std::optional<std::size_t> end;
    std::optional<std::size_t> device;
    std::array<std::optional<std::size_t>, 3> grid;
    std::array<std::optional<std::size_t>, 3> block;
};

Result<TraceColumns> trace_columns(const ProfilerTable& table) {
    TraceColumns columns;
    const auto name = table.any_of({"Name", "name"});
    const auto start = table.any_of({"Start (ns)", "start"});
    if (!name) return table.lacks("Name or name");
    if (!start) return table.lacks("Start (ns) or start");
    columns.name = *name;
    columns.start = *start;
    columns.duration = table.any_of({"Duration (ns)", "duration"});
    columns.end = table.any_of({"End (ns)", "end"});
    if (!columns.duration && !columns.end) return table.lacks("Duration (ns) or end");
    columns.device = table.any_of({"Device", "deviceId"});
    columns.grid = {table.any_of({"GrdX", "gridX"}), table.any_of({"GrdY", "gridY"}),
                    table.any_of({"GrdZ", "gridZ"})};
    columns.block = {table.any_of({"BlkX", "blockX"}), table.any_of({"BlkY", "blockY"}),
                     table.any_of({"BlkZ", "blockZ"})};
    return columns;
}

Result<StartedRun> traced_run(const ProfilerTable& table, const TraceColumns& columns,
                              const CsvRecord& record) {
    StartedRun run;
    const auto start = whole_number(record[columns.start].text);
    if (!start || *start < 0)
        return table.refuse("expected a start in whole ns", record[columns.start]);
    run.start = *start;
    const CsvField& until = record[columns.duration ? *columns.duration : *columns.end];
    const auto number = whole_number(until.text);
    if (!number || *number < 0) return table.refuse("expected a time in whole ns", until);
    run.time = columns.duration ? *number : *number - run.start;
    if (run.time < 0) return table.refuse("the run ends before it starts", until);
    if (run.time > longest_run) return table.refuse("a run of more than 2^50 ns", until);
    run.series.name = record[columns.name].text;
    if (run.series.name.empty())
        return table.refuse("expected the name of a kernel or copy", record[columns.name]);
    if (columns.device) run.series.device = record[*columns.device].text;
    const auto grid = extents_at(table, record, columns.grid);
    if (!grid) return grid.as_failure();
    const auto block = extents_at(table, record, columns.block);
    if (!block) return block.as_failure();
    run.series.launch = launch_text(grid.value(), block.value(), 0);
    return run;
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

constexpr std::string_view duration_metric = "gpu__time_duration.sum";

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

std::optional<CsvHeading> find_heading(const trace::TraceBytes& bytes) {
    constexpr std::int64_t most_messages = 1000;
    trace::LineStream lines{bytes};
    for (;;) {
        const auto line = lines.next();
        if (!line || !line.value() || line.value()->number() > most_messages) return std::nullopt;
        const auto cells = cells_of(line.value()->text());
        const auto has = [&](const char* name) { return cells.count(name) != 0; };
        if (has("ID") && (has("Kernel Name") || has("Function Name")))
            return CsvHeading{ProfileFormat::NsightCompute, line.value()->number()};
        if ((has("Start (ns)") && has("Name")) || (has("start") && has("end") && has("name")))
            return CsvHeading{ProfileFormat::GpuTrace, line.value()->number()};
    }
}

namespace {

/// Opens the table, calls `start` after its heading, then `take` for each record.
Result<void> read_table(const std::string& path,
                        const std::function<Result<void>(const ProfilerTable&)>& start,
                        const std::function<Result<void>(const CsvRecord&)>& take) {
    const auto bytes = trace::TraceBytes::open(path);
    if (!bytes) return bytes.as_failure();
    const auto heading = find_heading(bytes.value());
    if (!heading) return Failure{"no line names the columns of a profiler", path};
    TextCursor cursor{bytes.value()};
    ProfilerTable table{cursor};
    if (auto read = table.read_heading(heading->line); !read) return read;
    if (auto begun = start(table); !begun) return begun;
    for (;;) {
        const auto record = table.next();
        if (!record) return record.as_failure();
        if (record.value().empty()) break;
        if (auto taken = take(record.value()); !taken) return taken;
    }
    if (cursor.failure()) return *cursor.failure();
    return boost::outcome_v2::success();
}

} // namespace

Result<Profile> read_gpu_trace(const std::string& path) {
    const ProfilerTable* table = nullptr;
    TraceColumns columns;
    std::vector<StartedRun> runs;
    const auto read = read_table(
        path,
        [&](const ProfilerTable& opened) -> Result<void> {
            table = &opened;
            const auto found = trace_columns(opened);
            if (!found) return found.as_failure();
            columns = found.value();
            return boost::outcome_v2::success();
        },
        [&](const CsvRecord& record) -> Result<void> {
            auto run = traced_run(*table, columns, record);
            if (!run) return run.as_failure();
            runs.push_back(std::move(run).value());
            return boost::outcome_v2::success();
        });
    if (!read) return read.as_failure();
    Profile profile;
    profile.profiler = "Nsight Systems or CUPTI";
    profile.series = series_in_order(std::move(runs));
    return profile;
}

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
    profile.conditions = "clock held at its base and caches flushed before each run, unless "
                         "--clock-control none and --cache-control none were given";
    profile.series = metrics->series();
    return profile;
}

} // namespace warpbound::harness::profiles
