#include "cli/measurement/measured_plan.hpp"

#include "assembly/support/source_text.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/kernel_measurement/measured_kernel.hpp"
#include "cli/measurement/measurement_plan.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/summary_text.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/protocol/release_pattern.hpp"
#include "harness/protocol/user_kernel_series.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::cli {

namespace {

/// Times of one quantity at one point.
struct PlanRow {
    std::string point;
    std::string quantity;
    std::optional<harness::Summary> times; ///< None: no run counts.
    std::int64_t runs = 0;
};

struct PlanResult {
    Shard shard;
    std::size_t points = 0; ///< Of the plan.
    std::size_t done = 0;
    std::vector<PlanRow> rows;
};

std::string text_of(const PlanResult& result) {
    const Shard& shard = result.shard;
    std::string text = fmt::format(
        "shard {} of {}{}: {} of {} points\n\n", shard.index, shard.count,
        shard.source.empty() ? "" : " (" + shard.source + ")", result.done, result.points);
    text += fmt::format("{:>8} {:>12} {:>12} {:>12} {:<11}  {}\n", "runs", "best", "median",
                        "worst", "unit", "point");
    for (const PlanRow& row : result.rows)
        text += row.times ? fmt::format("{:>8} {:>12} {:>12} {:>12} {:<11}  {}, {}\n", row.runs,
                                        row.times->best, row.times->median, row.times->worst,
                                        harness::unit_of(row.quantity), row.point, row.quantity)
                          : fmt::format("{:>8} {:>51}  {}, {}\n", row.runs, "no run counts",
                                        row.point, row.quantity);
    return text;
}

std::string json_of(const PlanResult& result) {
    Json rows = Json::array();
    for (const PlanRow& row : result.rows) {
        Json one{{"point", row.point}, {"quantity", row.quantity}, {"runs", row.runs}};
        if (row.times)
            one["observations"] = summary_json(*row.times, harness::unit_of(row.quantity));
        rows.push_back(std::move(one));
    }
    return json_text("measured-plan",
                     {{"shard", {{"index", result.shard.index}, {"count", result.shard.count}}},
                      {"points", result.points},
                      {"series", std::move(rows)}});
}

/// Devices come from the plan or the command, not from both and not from neither.
Result<void> check_devices(const MeasurementPlan& plan, const MeasuredPlanOptions& options) {
    const bool stated = !plan.points.front().device.empty();
    if (stated && !options.device.empty())
        return Failure{"the plan states devices; expected one of the two", "--device"};
    if (!stated && options.device.empty())
        return Failure{"states no device; expected <device name=\"cuda:0\"/> or --device",
                       options.plan};
    return boost::outcome_v2::success();
}

void add_rows(const std::string& point, const MeasuredKernel& measured, PlanResult& result) {
    for (const auto& release : measured.releases)
        for (const auto& [quantity, samples] : release.times) {
            const auto times = summarised_times(samples, quantity);
            result.rows.push_back(
                {point, quantity,
                 times.empty() ? std::nullopt : std::optional{harness::summarise(times)},
                 static_cast<std::int64_t>(samples.size())});
        }
}

/// The first condition of a series that names its point; empty: it is of no plan.
Result<std::string> point_of(harness::Campaign& campaign, std::int64_t series) {
    const auto all = campaign.conditions(series);
    if (!all) return all.as_failure();
    for (const auto& recorded : all.value())
        if (const auto* const name =
                harness::find_condition(recorded.conditions, plan_point_condition))
            return *name;
    return std::string{};
}

/// The series of the parts by the point that they name.
class PartSeries {
public:
    static Result<PartSeries> of(const std::vector<harness::CampaignPart>& parts) {
        // A series in two parts is refused by name.
        auto all = harness::series_of(parts);
        if (!all) return all.as_failure();
        PartSeries series;
        series.all_ = std::move(all).value();
        for (const auto& part : parts) {
            const auto list = part.campaign->list();
            if (!list) return list.as_failure();
            for (const auto& info : list.value()) {
                auto point = point_of(*part.campaign, info.id);
                if (!point) return Failure{to_string(point.error()), part.name};
                if (auto checked = series.check_machine(info.key, part.name); !checked)
                    return checked.as_failure();
                if (!point.value().empty() && info.key.quantity != harness::host_time)
                    series.of_point_.emplace(std::move(point).value(), info.key);
            }
        }
        return series;
    }

    /// Those of the point: the times of the device, then those of the host.
    Result<std::vector<harness::SeriesKey>> of_point(const std::string& name,
                                                     bool has_host_time) const {
        const auto [first, last] = of_point_.equal_range(name);
        if (first == last) return Failure{"is in no part", name};
        if (std::next(first) != last)
            return Failure{"is there more than once, with different code, data or devices", name};
        std::vector keys{first->second};
        if (!has_host_time) return keys;
        harness::SeriesKey host = first->second;
        host.quantity = harness::host_time;
        if (std::none_of(all_.begin(), all_.end(),
                         [&](const auto& one) { return one.key == host; }))
            return Failure{"is in no part: " + host.quantity + " of it is missing", name};
        keys.push_back(std::move(host));
        return keys;
    }

private:
    /// One name is one machine in all parts.
    Result<void> check_machine(const harness::SeriesKey& key, const std::string& file) {
        const auto [known, is_new] =
            machines_.emplace(key.device, std::pair{key.device_detail, file});
        if (!is_new && known->second.first != key.device_detail)
            return Failure{fmt::format("{} is '{}', in {} it is '{}'; expected one machine in all "
                                       "parts",
                                       key.device, key.device_detail, known->second.second,
                                       known->second.first),
                           file};
        return boost::outcome_v2::success();
    }

    std::vector<harness::ExpectedSeries> all_;
    std::multimap<std::string, harness::SeriesKey> of_point_;
    std::map<std::string, std::pair<std::string, std::string>> machines_;
};

} // namespace

Exit measure_plan(const MeasuredPlanOptions& options) {
    const auto plan = read_measurement_plan(options.plan);
    if (!plan) return refuse(plan.error());
    if (auto checked = check_devices(plan.value(), options); !checked)
        return refuse(checked.error());
    const auto shard = shard_of(options.shard, process_environment());
    if (!shard) return refuse(shard.error());
    const auto& points = plan.value().points;
    PlanResult result{shard.value(), points.size(), 0, {}};
    Exit worst = Exit::Holds;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!shard.value().has(i)) continue;
        const std::string name = point_name(plan.value(), points[i]);
        KernelMeasurement measurement;
        measurement.device = points[i].device.empty() ? options.device : points[i].device;
        measurement.policy = "lrr";
        measurement.campaign = with_shard(options.campaign, shard.value());
        measurement.protocol.repetitions = plan.value().repetitions;
        measurement.protocol.warm_up = plan.value().warm_up;
        measurement.plan_point = name;
        const auto measured = measured_kernel(points[i].kernel, measurement);
        if (!measured) return refuse(Failure{to_string(measured.error()), name});
        add_rows(name, measured.value(), result);
        ++result.done;
        const Exit one = exit_of(measured.value());
        if (one == Exit::Violated) say("warpbound: {}: outputs or times are findings\n", name);
        if (one == Exit::Undecided || stop_requested()) return Exit::Undecided;
        if (one != Exit::Holds) worst = one;
    }
    const Exit written = write_result(options.format == "json" ? json_of(result) : text_of(result));
    if (const auto all = name_of_all(options.campaign, shard.value());
        written == Exit::Holds && !all.empty())
        suggest(fmt::format("warpbound campaign merge {} --plan {} -o campaign.db", all,
                            shell_word(options.plan)));
    return written == Exit::Holds ? worst : written;
}

bool is_measurement_plan(const std::string& file) {
    const auto source = assembly::read_source(file);
    return source && source.value().text.find("<measurement-plan") != std::string::npos;
}

Result<std::vector<harness::ExpectedSeries>>
series_of_measurement_plan(const std::string& file,
                           const std::vector<harness::CampaignPart>& parts) {
    const auto plan = read_measurement_plan(file);
    if (!plan) return plan.as_failure();
    const auto series = PartSeries::of(parts);
    if (!series) return series.as_failure();
    std::vector<harness::ExpectedSeries> expected;
    for (const MeasurementPoint& point : plan.value().points) {
        const std::string name = point_name(plan.value(), point);
        const auto& releases = point.kernel.releases;
        const auto release =
            harness::read_release(releases.empty() ? "back-to-back" : releases.front());
        if (!release) return release.as_failure();
        const auto keys = series.value().of_point(name, harness::has_host_time(release.value()));
        if (!keys) return keys.as_failure();
        for (const harness::SeriesKey& key : keys.value())
            expected.push_back({key, plan.value().repetitions, name});
    }
    return expected;
}

} // namespace warpbound::cli
