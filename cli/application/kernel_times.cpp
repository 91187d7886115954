#include "cli/application/kernel_times.hpp"

#include "cli/bounds/code_bounds.hpp"
#include "cli/prediction/kernel_profiles.hpp"
#include "cli/prediction/sweep.hpp"
#include "cli/prediction/voudouris.hpp"
#include "cli/program/command.hpp"
#include "harness/campaign/campaign.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/prediction/question.hpp"
#include "models/formulas/volkov.hpp"
#include "models/pipeline/described_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

namespace warpbound::cli {

namespace {

namespace prediction = models::prediction;
using models::ClockRange;
using models::application::Basis;
using models::application::KernelSource;
using models::application::Rational;
using models::application::TimeRange;
using prediction::Variant;

/// The shape of the grid is known only where more than one size is stated.
models::Launch launch_of(const KernelQuestion& question) {
    const auto& blocks = question.planned->blocks;
    const auto& threads = question.planned->threads;
    models::Launch launch;
    if (blocks.empty()) return launch;
    launch.blocks =
        std::accumulate(blocks.begin(), blocks.end(), std::int64_t{1}, std::multiplies<>{});
    launch.threads =
        std::accumulate(threads.begin(), threads.end(), std::int64_t{1}, std::multiplies<>{});
    if (blocks.size() > 1) std::ranges::copy(blocks, launch.grid.emplace().blocks.begin());
    if (threads.size() > 1) std::ranges::copy(threads, launch.shape.emplace().threads.begin());
    return launch;
}

constexpr std::array variants{Variant::Best, Variant::Typical, Variant::Worst};

std::string beside(const KernelQuestion& question, const std::string& file) {
    return (std::filesystem::path{question.folder} / file).string();
}

/// Of finite times in seconds that are not negative, in any order.
Result<TimeRange> range_of(double lo, double typical, double hi) {
    constexpr double nanoseconds = 1e9;
    constexpr double longest = 1e9; // 10^18 ns.
    if (!(lo >= 0 && hi <= longest)) return Failure{"its time is above 10^18 ns"};
    return models::application::rounded({Rational{lo * nanoseconds},
                                         Rational{std::clamp(typical, lo, hi) * nanoseconds},
                                         Rational{hi * nanoseconds}});
}

Result<ClockRange> clock_of(const KernelQuestion& question) {
    if (question.clock) return *question.clock;
    const auto described = models::described_clock(*question.machine);
    if (!described) return Failure{"no clock is known; expected clock=\"1590MHz\" on the <device>"};
    return described->range;
}

/// At the highest, the middle and the lowest clock.
std::array<double, 3> clocks_of(const ClockRange& range) {
    const auto lo = static_cast<double>(range.lo);
    const auto hi = static_cast<double>(range.hi);
    return {hi, (lo + hi) / 2, lo};
}

/// Volkov's model with the stated demands, on the described machine, at one end of its intervals.
Result<double> volkov_time(const KernelQuestion& question, Variant variant, double clock) {
    const prediction::Stated none;
    prediction::Inputs inputs{*question.machine, none, variant};
    const auto value = [&](std::string_view name) -> std::optional<double> {
        for (const auto& [of, number] : question.planned->values)
            if (of == name) return static_cast<double>(number);
        return std::nullopt;
    };
    const auto sms = inputs.described("geometry/multiprocessors");
    const auto cores = inputs.described("geometry/fp32-lanes");
    const auto schedulers = inputs.described("schedulers/count");
    const auto slot = inputs.described("schedulers/issue-slot");
    auto bytes = value("dram-bytes-per-cycle");
    if (!bytes && sms)
        if (const auto bandwidth = inputs.described_rate("memories/dram/bandwidth"))
            bytes = *bandwidth * 1000 / (*sms * clock); // kB/s
    if (!inputs.missing().empty())
        return Failure{fmt::format("machine '{}' does not describe {}", question.machine_name,
                                   fmt::join(inputs.missing(), ", "))};
    const double occupancy = *value("occupancy");
    constexpr double most_warps = 4096;
    if (occupancy != std::floor(occupancy) || occupancy < 1 || occupancy > most_warps)
        return Failure{fmt::format("'occupancy' is {}; expected a whole number of warps from 1 to "
                                   "{}",
                                   occupancy, most_warps)};
    const auto time =
        models::volkov::kernel_time(launch_of(question),
                                    {.cuda_instructions = *value("cuda-instructions"),
                                     .issued_instructions = *value("issued-instructions"),
                                     .bytes = *value("bytes"),
                                     .latency = *value("latency")},
                                    static_cast<std::int64_t>(occupancy),
                                    {.multiprocessors = static_cast<std::int64_t>(*sms),
                                     .clock = clock,
                                     .cores = *cores,
                                     .schedulers = *schedulers / *slot,
                                     .dram_bytes = *bytes},
                                    value("lambda").value_or(1));
    if (!time) return time.as_failure();
    return time.value().time.value();
}

Result<KernelTime> by_volkov(const KernelQuestion& question) {
    const auto clock = clock_of(question);
    if (!clock) return clock.as_failure();
    std::array<double, 3> seconds{};
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto found = volkov_time(question, variants.at(i), clocks_of(clock.value()).at(i));
        if (!found) return found.as_failure();
        seconds.at(i) = found.value();
    }
    const auto range = range_of(*std::ranges::min_element(seconds), seconds[1],
                                *std::ranges::max_element(seconds));
    if (!range) return range.as_failure();
    return KernelTime{range.value(), Basis::Estimate,
                      fmt::format("Gajger 2017, eq. 4.1 to 4.7, on {}", question.machine_name)};
}

Result<prediction::Setting> setting_of(const KernelQuestion& question) {
    prediction::Setting setting{.architecture = *question.machine, .launch = launch_of(question)};
    for (const auto& [name, value] : question.planned->values)
        if (const auto set = apply_value(setting, name, static_cast<double>(value)); !set)
            return set.as_failure();
    if (const auto parts = setting.architecture.imperfect_parts(); !parts.empty())
        return Failure{fmt::format("the machine describes {}; no formula covers their cost",
                                   fmt::join(parts, ", "))};
    setting.voudouris = voudouris_parameters({}, setting.architecture);
    return setting;
}

Result<KernelProfiles> profiles_of(const KernelQuestion& question,
                                   const prediction::Setting& setting) {
    const auto& kernel = *question.kernel;
    if (!kernel.profile.empty()) return read_profiles({beside(question, kernel.profile)}, setting);
    KernelOptions options{.file = beside(question, kernel.file), .kernel = kernel.function};
    options.takes_facts = true;
    if (!kernel.flow_facts.empty()) options.flow_facts = beside(question, kernel.flow_facts);
    const auto loaded = load_kernel(options, setting.architecture.target);
    if (!loaded) return loaded.as_failure();
    if (const auto target = check_target(*loaded.value(), setting.architecture); !target)
        return target.as_failure();
    return profiles_of_listing(*loaded.value(), setting.architecture, 1);
}

Result<KernelTime> by_formula(const KernelQuestion& question) {
    const auto model = prediction::parse_model(question.kernel->model);
    if (!model) {
        std::vector<std::string_view> names;
        for (const auto known : prediction::all_models)
            names.push_back(prediction::to_string(known));
        return Failure{fmt::format("there is no model '{}'; expected one of {}",
                                   question.kernel->model, fmt::join(names, ", "))};
    }
    const auto clock = clock_of(question);
    if (!clock) return clock.as_failure();
    const auto setting = setting_of(question);
    if (!setting) return setting.as_failure();
    const auto profiles = profiles_of(question, setting.value());
    if (!profiles) return profiles.as_failure();
    std::array<std::optional<double>, 3> seconds{};
    std::string why;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto& profile = profiles.value().of(variants.at(i));
        if (!profile) {
            why = to_string(profile.error());
            continue;
        }
        const auto answer =
            prediction::predict(*model, profile.value(), setting.value(), variants.at(i));
        if (answer.time)
            seconds.at(i) = answer.time->value() / clocks_of(clock.value()).at(i);
        else
            why = answer.why();
    }
    std::vector<double> known;
    for (const auto& one : seconds)
        if (one) known.push_back(*one);
    if (known.empty())
        return Failure{fmt::format("model '{}' {}; expected <set name=\"..\" value=\"..\"/> in "
                                   "the <kernel> where a value is missing",
                                   question.kernel->model, why)};
    const auto [least, most] = std::ranges::minmax(known);
    const auto range = range_of(least, seconds[1].value_or((least + most) / 2), most);
    if (!range) return range.as_failure();
    return KernelTime{
        range.value(), Basis::Estimate,
        fmt::format("{}, on {}", prediction::publication_of(*model), question.machine_name)};
}

/// NAME=VALUE as --arg takes it. Refuses a value that is not whole.
Result<std::vector<std::string>> arguments_of(const KernelQuestion& question) {
    std::vector<std::string> arguments;
    for (const auto& [name, value] : question.planned->values) {
        const auto whole = models::application::whole_below(value);
        if (!whole || value != *whole)
            return Failure{fmt::format("argument '{}' is {}; expected a whole number", name,
                                       models::application::to_string(value))};
        arguments.push_back(fmt::format("{}={}", name, *whole));
    }
    return arguments;
}

Result<KernelTime> by_code(const KernelQuestion& question) {
    const auto& kernel = *question.kernel;
    const auto clock = clock_of(question);
    if (!clock) return clock.as_failure();
    const auto arguments = arguments_of(question);
    if (!arguments) return arguments.as_failure();
    const StopScope scope = watch_for_interrupt(question.time_limit);
    auto bounded =
        bound_code({.file = beside(question, kernel.file),
                    .kernel = kernel.function,
                    .flow_facts = kernel.flow_facts.empty() ? std::string{}
                                                            : beside(question, kernel.flow_facts),
                    .policy = kernel.policy.empty() ? "unknown" : kernel.policy,
                    .machine = question.machine_name,
                    .launch = models::to_string(launch_of(question)),
                    .multiprocessors = "all",
                    .arguments = arguments.value()});
    if (!bounded) return bounded.as_failure();
    auto cycles = bounded.value().cycles;
    if (!question.has_launch_cost) {
        const auto all =
            models::with_launch(*question.machine, cycles, "launch=\"5us..10us\" on the <device>");
        if (!all) return all.as_failure();
        cycles = all.value();
        bounded.value().assumptions.push_back(
            {{},
             fmt::format("A launch costs what machine '{}' describes (blocks/launch), in addition "
                         "to the time of its code.",
                         question.machine_name),
             analyzer::AssumptionStatus::Unchecked,
             analyzer::AssumptionSubject::Machine});
    }
    bounded.value().assumptions.push_back(
        {{},
         fmt::format("The core clock of '{}' stays within {}{}.", question.machine_name,
                     models::to_string(clock.value()),
                     question.clock ? "" : ", that of its description"),
         analyzer::AssumptionStatus::Unchecked,
         analyzer::AssumptionSubject::Machine});
    const auto time = models::time_of(cycles, clock.value());
    const std::int64_t middle =
        time.lower().count() + (time.upper().count() - time.lower().count()) / 2;
    return KernelTime{{time.lower(), models::Nanoseconds{middle}, time.upper()},
                      Basis::Bounds,
                      fmt::format("bounds of analyze, {} to {} cycles at {}",
                                  cycles.lower().count(), cycles.upper().count(),
                                  models::to_string(clock.value())),
                      std::move(bounded.value().assumptions)};
}

/// The only series of that name and launch. Refuses none and several.
Result<harness::SeriesInfo> series_of(const KernelQuestion& question, harness::Campaign& campaign) {
    const auto series = campaign.list();
    if (!series) return series.as_failure();
    const std::string launch =
        !question.kernel->blocks.empty() ? models::to_string(launch_of(question)) : std::string{};
    std::vector<harness::SeriesInfo> found;
    for (const auto& entry : series.value())
        if (entry.key.name == question.kernel->function &&
            entry.key.quantity == to_string(harness::Quantity::ExecutionTime) &&
            (launch.empty() || entry.key.launch == launch))
            found.push_back(entry);
    if (found.size() != 1)
        return Failure{fmt::format("campaign '{}' has {} series of execution times named '{}'{}; "
                                   "expected one",
                                   question.kernel->file, found.size(), question.kernel->function,
                                   launch.empty() ? "" : " with launch " + launch)};
    return found.front();
}

Result<KernelTime> by_campaign(const KernelQuestion& question) {
    const auto clock = clock_of(question);
    if (!clock) return clock.as_failure();
    auto campaign = harness::Campaign::open_existing(beside(question, question.kernel->file));
    if (!campaign) return campaign.as_failure();
    const auto series = series_of(question, *campaign.value());
    if (!series) return series.as_failure();
    const auto samples = campaign.value()->samples(series.value().id);
    if (!samples) return samples.as_failure();
    if (const auto checked = harness::check_anomalies(series.value().key, samples.value(),
                                                      harness::runs_without_anomaly);
        !checked)
        return checked.as_failure();
    std::vector<double> cycles;
    for (const auto& sample : samples.value())
        cycles.insert(cycles.end(), sample.times.begin(), sample.times.end());
    if (cycles.empty()) return Failure{"the series has no times"};
    const auto [least, most] = std::ranges::minmax(cycles);
    const double mean =
        std::accumulate(cycles.begin(), cycles.end(), 0.0) / static_cast<double>(cycles.size());
    const auto rates = clocks_of(clock.value());
    const auto range = range_of(least / rates[0], mean / rates[1], most / rates[2]);
    if (!range) return range.as_failure();
    return KernelTime{range.value(), Basis::Measured,
                      fmt::format("{} runs of series '{}' on {} in {}: best, mean, worst",
                                  cycles.size(), series.value().key.name, series.value().key.device,
                                  question.kernel->file)};
}

} // namespace

Result<KernelTime> kernel_time(const KernelQuestion& question) {
    switch (question.kernel->source) {
    case KernelSource::Volkov:
        return by_volkov(question);
    case KernelSource::Formula:
        return by_formula(question);
    case KernelSource::Code:
        return by_code(question);
    case KernelSource::Campaign:
        return by_campaign(question);
    case KernelSource::Stated:
        break;
    }
    return Failure{"its time is stated"};
}

} // namespace warpbound::cli
