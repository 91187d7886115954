/// \file
/// GPU traces of Nsight Systems' statistics, and records of CUPTI.
#include "harness/profiles/profiler_table.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

namespace warpbound::harness::profiles {

namespace {

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

} // namespace warpbound::harness::profiles
