#include "harness/calibration/calibrate.hpp"

#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/pass_rule.hpp"
#include "models/architecture/schema.hpp"

#include <fmt/format.h>

#include <set>

namespace warpbound::harness {

namespace {

/// Reports a reason for every value that has a benchmark but no reading and no reason yet.
void report_unread_values(const std::vector<Benchmark>& suite, bool knows_policy, Ledger& ledger,
                          const std::string& why) {
    for (const auto& benchmark : suite)
        for (const auto& path : benchmark.calibrates)
            if (!ledger.knows(path) && !(knows_policy && path == policy_path))
                ledger.unidentified(path, why);
}

/// Values of machines with hardware interlocks that no benchmark measures.
std::vector<std::string> values_without_benchmark() {
    std::set<std::string> shown;
    for (const auto& benchmark : benchmarks())
        shown.insert(benchmark.calibrates.begin(), benchmark.calibrates.end());
    std::vector<std::string> hidden;
    const auto add_if_hidden = [&](const std::string& group, const models::ValueRule& rule) {
        std::string path = fmt::format("{}/{}", group, rule.name);
        if (!rule.of_form && !shown.contains(path)) hidden.push_back(std::move(path));
    };
    for (const auto& group : models::group_rules())
        for (const auto& rule : group.values)
            add_if_hidden(std::string{group.element}, rule);
    for (const auto& memory : models::memory_rules())
        for (const auto& rule : memory.values)
            add_if_hidden(fmt::format("memories/{}", memory.name), rule);
    for (const auto& name : described_classes()) {
        const auto opcode_class = *assembly::parse_opcode_class(name);
        const bool passes = models::pass_rule(opcode_class) != models::PassRule::None;
        for (const auto& rule : models::class_rules(opcode_class))
            if (rule.name != "source-read" && (passes || rule.name != "pass-cost"))
                add_if_hidden("classes/" + name, rule);
    }
    return hidden;
}

} // namespace

Result<Calibration> calibrate(const Measurements& measurements) {
    Calibration calibration;
    calibration.device = measurements.device();
    calibration.target = measurements.target();
    Ledger ledger;
    std::string why_rest = "the issue distance of independent instructions is not known";
    const bool is_timed = measurements.interlocks() || measurements.states_control();
    auto basis = is_timed ? read_steps(measurements, ledger) : std::nullopt;
    const std::string objection =
        measurements.interlocks() ? std::string{} : premise_of_encoded(basis);
    if (!is_timed) {
        why_rest = why_few_values(measurements.target());
    } else if (!objection.empty()) {
        why_rest = objection;
        ledger.withdraw("classes/clock-read/latency", objection);
        ledger.withdraw("schedulers/same-warp-interval", {});
    } else if (basis) {
        read_delays(measurements, *basis, ledger);
        read_caches(measurements, *basis, ledger);
        read_misses(measurements, *basis, ledger);
        read_schedulers(measurements, *basis, ledger);
        calibration.policy = read_policy(measurements, *basis, ledger);
        read_write_buffer(measurements, *basis, ledger);
        read_ports(measurements, *basis, ledger);
        if (!measurements.interlocks()) {
            read_searches(measurements, *basis, ledger);
            keep_encoded(measurements, *basis, ledger);
        }
        why_rest = "its benchmark was not measured";
    }
    read_residency(measurements, ledger);
    read_occupancy_limits(measurements, ledger);
    report_unread_values(measurements.states_control() ? benchmarks_of_encoded_machines()
                                                       : benchmarks(),
                         calibration.policy.has_value(), ledger, why_rest);
    auto findings = ledger.findings();
    if (!findings) return findings.as_failure();
    calibration.findings = std::move(findings).value();
    calibration.scopes = ledger.scopes();
    calibration.unidentified = ledger.without_reading();
    calibration.without_benchmark = values_without_benchmark();
    return calibration;
}

Result<std::vector<RecordedSeries>> recorded_series(Campaign& campaign) {
    const auto list = campaign.list();
    if (!list) return list.as_failure();
    std::vector<RecordedSeries> all;
    for (const auto& info : list.value()) {
        auto samples = campaign.samples(info.id);
        if (!samples) return samples.as_failure();
        all.push_back({info.key, std::move(samples).value()});
    }
    return all;
}

} // namespace warpbound::harness
