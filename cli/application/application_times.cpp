#include "cli/application/application_times.hpp"

#include "cli/application/kernel_times.hpp"
#include "cli/options/machine_options.hpp"
#include "models/time/clock.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace warpbound::cli {

namespace {

using models::application::Application;
using models::application::Basis;
using models::application::DeviceGroup;
using models::application::Plan;
using models::application::PlannedTime;
using models::application::Range;
using models::application::Rational;

/// Start and bytes at the described bandwidth: eq. 5.5 of Gajger 2017.
Result<void> find_copy(const models::Architecture& machine, PlannedTime& time) {
    const std::string direction = time.is_to_device ? "host-to-device" : "device-to-host";
    const auto start =
        models::require(machine, machine.transfers, "transfers", direction + "-start");
    const auto width =
        models::require(machine, machine.transfers, "transfers", direction + "-bandwidth");
    for (const auto* known : {&start, &width})
        if (!*known)
            return Failure{fmt::format("{}; expected link=\"NAME\" of a <link> with 'start' and "
                                       "'bandwidth' on the <device>",
                                       known->error().what)};
    const Rational work = Rational{time.bytes} * 1'000'000; // kB/s, ns
    const auto middle = [](const models::Interval& interval) {
        return interval.typical ? Rational{*interval.typical}
                                : Rational{interval.lo + interval.hi} / 2;
    };
    const Range<Rational> found{start.value().lo + work / width.value().hi,
                                middle(start.value()) + work / middle(width.value()),
                                start.value().hi + work / width.value().lo};
    if (found.hi > std::int64_t{1'000'000'000'000'000'000})
        return Failure{"a copy takes more than 10^18 ns"};
    time.time = rounded(found);
    time.basis = Basis::Estimate;
    time.source = fmt::format("Gajger 2017, eq. 5.5, on {}", machine.name);
    return boost::outcome_v2::success();
}

/// Times of equal keys are equal.
std::string key_of(const PlannedTime& time, const DeviceGroup& device) {
    std::string key =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(time.origin), time.kernel,
                    device.machine, device.clock, device.launch.has_value(), time.bytes,
                    time.is_to_device, fmt::join(time.blocks, ","), fmt::join(time.threads, ","));
    for (const auto& [name, value] : time.values)
        key += "|" + name + "=" + value.str();
    return key;
}

} // namespace

Result<const models::Architecture*> ApplicationTimesSource::machine(const std::string& name) {
    const auto known = machines_.find(name);
    if (known != machines_.end()) {
        const models::Architecture* const kept = &known->second;
        return kept;
    }
    auto loaded = load_machine({.architecture = name, .assumed = {}});
    if (!loaded) return loaded.as_failure();
    const models::Architecture* const kept =
        &machines_.emplace(name, std::move(loaded).value()).first->second;
    return kept;
}

Result<void> ApplicationTimesSource::find(const Application& application, PlannedTime& time) {
    const DeviceGroup& device = application.devices[time.device];
    if (device.machine.empty())
        return Failure{
            fmt::format("device '{}' has no machine; expected machine=\"maxwell-gtx970\" "
                        "or another description on it, or a stated time",
                        device.name)};
    const auto described = machine(device.machine);
    if (!described) return described.as_failure();
    if (time.origin == PlannedTime::Origin::DescribedCopy)
        return find_copy(*described.value(), time);
    std::optional<models::ClockRange> clock;
    if (!device.clock.empty()) {
        const auto stated = models::parse_clock(device.clock);
        if (!stated) return stated.as_failure();
        clock = stated.value();
    }
    const auto found =
        kernel_time({.kernel = &application.kernels[time.kernel],
                     .planned = &time,
                     .machine = described.value(),
                     .machine_name = device.machine,
                     .clock = clock,
                     .folder = std::filesystem::path{application.name}.parent_path().string(),
                     .has_launch_cost = device.launch.has_value(),
                     .time_limit = time_limit_});
    if (!found) return found.as_failure();
    time.time = found.value().time;
    time.basis = found.value().basis;
    time.source = found.value().source;
    for (const auto& assumption : found.value().assumptions)
        if (texts_.insert(assumption.text).second) assumptions_.push_back(assumption);
    return boost::outcome_v2::success();
}

Result<void> ApplicationTimesSource::complete(const Application& application, Plan& plan) {
    for (PlannedTime& time : plan.times) {
        if (time.time) continue;
        const std::string key = key_of(time, application.devices[time.device]);
        const auto known = found_.find(key);
        if (known == found_.end()) {
            if (const auto done = find(application, time); !done)
                return Failure{fmt::format("'{}': {}", time.name, to_string(done.error())),
                               application.name, time.line};
            found_.emplace(key, time);
            continue;
        }
        time.time = known->second.time;
        time.basis = known->second.basis;
        time.source = known->second.source;
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::cli
