#include "cli/bounds/scheduled_plan.hpp"

#include "assembly/support/digest.hpp"
#include "assembly/support/source_text.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/bounds/scheduler_study.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/summary_text.hpp"
#include "cli/simulation/planned_runs.hpp"
#include "cli/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::cli {

namespace {

constexpr const char* form = "scheduled-plan";

/// Rows by the place of their point in the plan.
using Rows = std::map<std::size_t, Json>;

Json json_of(const harness::SeriesKey& key) {
    Json fields = Json::object();
    for (const harness::KeyField& field : harness::key_fields)
        fields[std::string{field.name}] = key.*field.field;
    return fields;
}

/// What identifies the point, as every row has it.
Json identity_of(std::size_t place, const PlannedKernel& point, const LoadedPoint& loaded,
                 const simulation::Options& options) {
    return {{"place", place},
            {"point", run_name(point)},
            {"policy", point.policy},
            {"runs", options.runs},
            {"key", json_of(key_of(loaded, options, harness::Quantity::ExecutionTime))}};
}

std::string document_of(const Rows& rows, std::size_t points) {
    Json list = Json::array();
    for (const auto& [place, row] : rows)
        list.push_back(row);
    std::string digest = assembly::digest_of(list.dump());
    return json_text(form, {{"tool-version", version},
                            {"points", points},
                            {"rows", std::move(list)},
                            {"digest", std::move(digest)}});
}

std::string text_of(const Rows& rows, std::size_t points) {
    std::string text = fmt::format("{} of {} points\n\n", rows.size(), points);
    text += fmt::format("{:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", "lower", "best", "median",
                        "worst", "upper", "point; core cycles");
    for (const auto& [place, row] : rows) {
        const bool bounded = row.contains("bounds");
        const auto time = [&](const char* name) {
            return row.at("observations").at(name).get<std::int64_t>();
        };
        const auto bound = [&](const char* side) {
            return bounded ? row.at("bounds").at(side).dump() : std::string{"-"};
        };
        text += fmt::format("{:>10} {:>10} {:>10} {:>10} {:>10}  {}{}\n", bound("lower"),
                            time("best"), time("median"), time("worst"), bound("upper"),
                            row.at("point").get<std::string>(),
                            bounded ? "" : "; no bounds: " + row.at("refusal").get<std::string>());
    }
    return text;
}

/// Whether a run lies outside its bounds.
bool is_refuted(const Rows& rows) {
    for (const auto& [place, row] : rows)
        if (row.contains("bounds") &&
            (row.at("observations").at("best") < row.at("bounds").at("lower") ||
             row.at("observations").at("worst") > row.at("bounds").at("upper")))
            return true;
    return false;
}

/// Bounds and runs of one point; none when the user stopped it.
Result<std::optional<Json>> study_point(const LoadedPoint& loaded,
                                        const simulation::Options& options, Json identity) {
    const auto policy = models::read_policy(options.policy);
    if (!policy) return policy.as_failure();
    const auto multiprocessors =
        multiprocessors_of(options.multiprocessors, loaded.launch->architecture);
    if (!multiprocessors) return multiprocessors.as_failure();
    std::vector<analyzer::Assumption> assumptions;
    bool complete = true;
    const auto studied =
        study_policy(protocol_of(options.runs, options.seed, options.draw), *loaded.launch,
                     multiprocessors.value(), policy.value(), assumptions, complete);
    if (!studied) return studied.as_failure();
    if (!complete) return std::optional<Json>{};
    Json row = std::move(identity);
    row["guarantee"] = studied.value().guarantee;
    if (const auto& bounds = studied.value().bounds) {
        row["bounds"] = {{"lower", bounds->lower().count()}, {"upper", bounds->upper().count()}};
        row["assumptions"] = assumptions.size();
    } else
        row["refusal"] = studied.value().refusal;
    row["observations"] = summary_json(studied.value().observed.times);
    return std::optional{std::move(row)};
}

/// In what the row is not that of the point, whose file may have another path.
std::string difference_of(const Json& row, const Json& identity) {
    for (const auto& [name, value] : identity.items()) {
        if (name == "point") continue;
        if (!row.contains(name) || row.at(name) != value) {
            if (name == "key" && row.contains(name) && row.at(name).is_object())
                return difference_of(row.at(name), value);
            return fmt::format("{} {}, expected {}", name,
                               row.contains(name) ? row.at(name).dump() : "missing", value.dump());
        }
    }
    return {};
}

/// The rows of one file, which are as they were written.
Result<Json> read_part(const std::string& file, std::size_t points) {
    const auto source = assembly::read_source(file);
    if (!source) return source.as_failure();
    const Json document = Json::parse(source.value().text, nullptr, false);
    const auto damaged = [&](const char* what) {
        return Failure{fmt::format("is no table of `schedulers --plan` or is damaged: {}", what),
                       file};
    };
    if (document.is_discarded() || !document.is_object()) return damaged("not JSON");
    if (document.value("schema", Json{}) != fmt::format("warpbound-{}/1", form))
        return damaged("another schema");
    if (!document.contains("rows") || !document.at("rows").is_array() ||
        document.value("digest", Json{}) != assembly::digest_of(document.at("rows").dump()))
        return damaged("its rows have another digest than it says");
    if (document.value("tool-version", Json{}) != version)
        return Failure{fmt::format("is of version {}, this is {}; make it again",
                                   document.value("tool-version", Json{}).dump(), version),
                       file};
    if (document.value("points", Json{}) != points)
        return Failure{fmt::format("is of a plan of {} points; this one has {}",
                                   document.value("points", Json{}).dump(), points),
                       file};
    return document.at("rows");
}

Result<Rows> merge(const std::vector<std::string>& files, const KernelPlan& plan) {
    std::map<std::size_t, std::pair<std::string, Json>> found;
    for (const std::string& file : files) {
        const auto rows = read_part(file, plan.kernels.size());
        if (!rows) return rows.as_failure();
        for (const Json& row : rows.value()) {
            if (!row.is_object() || !row.value("place", Json{}).is_number_unsigned() ||
                row.at("place").get<std::size_t>() >= plan.kernels.size())
                return Failure{"a row names no point of the plan", file};
            const auto place = row.at("place").get<std::size_t>();
            const auto [known, is_new] = found.emplace(place, std::pair{file, row});
            if (!is_new)
                return Failure{fmt::format("has {}, which {} has, too; expected each point in one "
                                           "part",
                                           row.value("point", Json{}).dump(), known->second.first),
                               file};
        }
    }
    Rows merged;
    PointLoader loader;
    for (std::size_t place = 0; place < plan.kernels.size(); ++place) {
        const PlannedKernel& point = plan.kernels[place];
        const auto own = found.find(place);
        if (own == found.end()) return Failure{"is in no part", run_name(point)};
        const simulation::Options options = options_of(plan, point);
        const auto loaded = loader.load(point, options);
        if (!loaded) return at_point(point, loaded.error());
        auto& [file, row] = own->second;
        const Json identity = identity_of(place, point, loaded.value(), options);
        if (const std::string difference = difference_of(row, identity); !difference.empty())
            return Failure{"has a row of another plan: " + difference, file};
        row["point"] = identity.at("point");
        merged.emplace(place, std::move(row));
    }
    return merged;
}

/// The rows of the shard; none when the user stopped it.
Result<std::optional<Rows>> study(const KernelPlan& plan, const Shard& shard) {
    Rows rows;
    PointLoader loader;
    for (std::size_t place = 0; place < plan.kernels.size(); ++place) {
        if (!shard.has(place)) continue;
        const PlannedKernel& point = plan.kernels[place];
        const simulation::Options options = options_of(plan, point);
        const auto loaded = loader.load(point, options);
        if (!loaded) return at_point(point, loaded.error());
        auto row = study_point(loaded.value(), options,
                               identity_of(place, point, loaded.value(), options));
        if (!row) return at_point(point, row.error());
        if (!row.value() || stop_requested()) return std::optional<Rows>{};
        rows.emplace(place, std::move(*row.value()));
    }
    return std::optional{std::move(rows)};
}

/// Writes the table where it is wanted, and says what comes next.
Exit write_rows(const ScheduledPlanOptions& options, const Shard& shard, const Rows& rows,
                std::size_t points) {
    for (const std::string& output : options.outputs)
        if (const Exit written = write_result(document_of(rows, points), with_shard(output, shard));
            written != Exit::Holds)
            return written;
    const Exit written =
        write_result(options.format == "json" ? document_of(rows, points) : text_of(rows, points));
    if (written != Exit::Holds) return written;
    if (shard.count > 1 && !options.outputs.empty())
        if (const auto all = name_of_all(options.outputs.front(), shard); !all.empty())
            suggest(fmt::format("warpbound schedulers --plan {} --merge {} -o schedulers.json",
                                shell_word(options.plan), all));
    return is_refuted(rows) ? Exit::Violated : Exit::Holds;
}

} // namespace

Exit compare_plan(const ScheduledPlanOptions& options) {
    for (const std::string& output : options.outputs)
        if (std::filesystem::path{output}.extension() != ".json") {
            say("warpbound: {}: the table of a plan is a .json file\n", output);
            return Exit::Usage;
        }
    if (options.format != "text" && options.format != "json") {
        say("warpbound: --format {}: the table of a plan is text or json\n", options.format);
        return Exit::Usage;
    }
    const auto plan = read_runs(options.plan);
    if (!plan) return refuse(plan.error());
    const std::size_t points = plan.value().kernels.size();
    if (!options.parts.empty()) {
        const auto merged = merge(options.parts, plan.value());
        return merged ? write_rows(options, {}, merged.value(), points) : refuse(merged.error());
    }
    const auto shard = shard_of(options.shard, process_environment());
    if (!shard) return refuse(shard.error());
    const auto rows = study(plan.value(), shard.value());
    if (!rows) return refuse(rows.error());
    if (!rows.value()) {
        say("warpbound: interrupted; nothing was written\n");
        return Exit::Undecided;
    }
    return write_rows(options, shard.value(), *rows.value(), points);
}

} // namespace warpbound::cli
