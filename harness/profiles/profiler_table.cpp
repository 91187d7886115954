#include "harness/profiles/profiler_table.hpp"

#include "harness/profiles/readers.hpp"

#include <charconv>
#include <set>

namespace warpbound::harness::profiles {

namespace {

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

} // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failed != std::errc{} || stopped != text.data() + text.size())
        return std::nullopt;
    return number;
}

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

} // namespace warpbound::harness::profiles
