#include "harness/contract/contract_series.hpp"

#include "harness/card_identity.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace warpbound::harness::contract {

namespace {

const std::vector<std::string>& names_of_suite() {
    static const auto& names =
        std::find_if(suites().begin(), suites().end(), [](const Suite& suite) {
            return suite.name == "contract";
        })->benchmarks;
    return names;
}

bool is_of_suite(const std::string& point) {
    const auto& names = names_of_suite();
    return std::find(names.begin(), names.end(), point.substr(0, point.find('/'))) != names.end();
}

/// The points of the suite by name. A benchmark that the machine does not run has none;
/// `no_code`: then why, by benchmark.
std::map<std::string, BenchmarkPoint>
points_of_suite(const models::Architecture& architecture, bool card,
                std::map<std::string, std::string, std::less<>>& no_code) {
    std::map<std::string, BenchmarkPoint> points;
    for (const auto& name : names_of_suite()) {
        auto made =
            card ? card_points_of(name, architecture.target) : points_of(name, architecture);
        if (!made) {
            no_code[name] = made.error().what;
            continue;
        }
        for (auto& point : made.value())
            points.emplace(point.name, std::move(point));
    }
    return points;
}

/// Of AMD: whether the description is of wavefronts as wide as those of generated code.
Result<void> check_lanes(const std::string& device, const models::Architecture& architecture) {
    const auto dialect = amd_dialect(architecture.target);
    if (!dialect) return dialect.as_failure();
    const models::SourcedValue* const size = architecture.geometry.find("warp-size");
    if (size == nullptr || !size->interval || size->interval->lo == dialect.value().lanes)
        return boost::outcome_v2::success();
    return Failure{fmt::format("runs of wavefronts of {} lanes; {} describes those of {}",
                               dialect.value().lanes, architecture.name, size->interval->lo),
                   device};
}

Failure differs(const SeriesKey& key, std::string_view what, const std::string& is,
                const std::string& wanted) {
    return {fmt::format("was recorded with the {} '{}'; expected '{}'", what, is, wanted),
            key.name};
}

Result<void> check(const RecordedSeries& one, const BenchmarkPoint& point, bool knows_kernel) {
    const SeriesKey& key = one.key;
    if (const std::string kernel = assembly::digest_of(point.code());
        knows_kernel && key.kernel_digest != kernel)
        return differs(key, "kernel", key.kernel_digest, kernel);
    if (const auto launch = models::to_string(point.launch); key.launch != launch)
        return differs(key, "launch", key.launch, launch);
    if (const std::string quantity{to_string(point.quantity)}; key.quantity != quantity)
        return differs(key, "quantity", key.quantity, quantity);
    for (const Sample& sample : one.samples) {
        if (sample.remark.anomaly != RunAnomaly::None) continue;
        if (const auto what = contradiction_in(sample.times, point.quantity, point.launch);
            !what.empty())
            return Failure{fmt::format("run {} {}", sample.run, what), key.name};
        for (const auto time : sample.times)
            if (time < 0 || time > models::largest_cycles)
                return Failure{fmt::format("run {} has a time of {}; expected 0 to {}", sample.run,
                                           time, models::largest_cycles),
                               key.name};
    }
    return boost::outcome_v2::success();
}

} // namespace

Result<ContractSeries> ContractSeries::of(std::vector<RecordedSeries> series,
                                          const models::Architecture& architecture) {
    std::erase_if(series, [](const RecordedSeries& one) { return !is_of_suite(one.key.name); });
    ContractSeries kept;
    if (series.empty()) return kept;
    const SeriesKey first = series.front().key;
    kept.device_ = {first.device, first.device_detail};
    const bool card = is_card(first.device);
    if (card) {
        const auto target = target_of_card(kept.device_);
        if (!target) return target.as_failure();
        if (target.value() != architecture.target)
            return Failure{fmt::format("runs of a card of {}; {} describes {}",
                                       to_string(target.value()), architecture.name,
                                       to_string(architecture.target)),
                           first.device};
        if (is_amd(target.value()))
            if (auto same = check_lanes(first.device, architecture); !same)
                return same.as_failure();
    }
    const auto points = points_of_suite(architecture, card, kept.no_code_);
    const bool knows_kernel =
        card || architecture.issue_control == models::IssueControl::Interlocked;
    for (auto& one : series) {
        if (one.key.device != first.device || one.key.device_detail != first.device_detail)
            return Failure{fmt::format("was recorded on '{}, {}', others on '{}, {}'",
                                       one.key.device, one.key.device_detail, first.device,
                                       first.device_detail),
                           one.key.name};
        const auto point = points.find(one.key.name);
        if (point == points.end()) continue;
        if (auto good = check(one, point->second, knows_kernel); !good) return good.as_failure();
        const std::int64_t most = point->second.most_runs;
        const std::int64_t needed = most > 0 ? std::min(most, least_runs) : least_runs;
        const std::string name = one.key.name;
        if (!kept.by_point_.try_emplace(name, Kept{std::move(one), point->second.launch, needed})
                 .second)
            return Failure{"there are two series of this point; expected one", name};
    }
    return kept;
}

Result<Observed> ContractSeries::observed(const std::string& point) const {
    const auto found = by_point_.find(point);
    if (found == by_point_.end()) return Failure{"was not measured", point};
    const Kept& kept = found->second;
    Observed all;
    std::string anomaly;
    for (const Sample& sample : kept.series.samples) {
        if (sample.remark.anomaly != RunAnomaly::None) {
            if (anomaly.empty()) anomaly = to_string(sample.remark.anomaly);
            ++all.left_out;
            continue;
        }
        // Clocks are since the earliest of the launch: the greatest is the time to the last one.
        const auto [least, greatest] =
            std::minmax_element(sample.times.begin(), sample.times.end());
        const bool is_clocks = kept.series.key.quantity == to_string(Quantity::Clocks);
        const std::int64_t low = is_clocks ? *greatest : *least;
        all.least = all.runs == 0 ? low : std::min(all.least, low);
        all.greatest = std::max(all.greatest, *greatest);
        ++all.runs;
    }
    if (all.runs >= kept.runs_needed) return all;
    return Failure{fmt::format("has {} run{} without an anomaly; {} are needed{}", all.runs,
                               all.runs == 1 ? "" : "s", kept.runs_needed,
                               anomaly.empty() ? "" : "; first anomaly: " + anomaly),
                   point};
}

std::string ContractSeries::no_code(std::string_view benchmark) const {
    const auto why = no_code_.find(benchmark);
    if (why == no_code_.end()) return {};
    return why->second.starts_with(benchmark) ? why->second
                                              : fmt::format("{}: {}", benchmark, why->second);
}

std::map<std::string, models::Launch> ContractSeries::launches(const std::string& benchmark) const {
    std::map<std::string, models::Launch> all;
    for (const auto& [name, kept] : by_point_)
        if (name.substr(0, name.find('/')) == benchmark) all.emplace(name, kept.launch);
    return all;
}

} // namespace warpbound::harness::contract
