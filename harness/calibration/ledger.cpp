#include "harness/calibration/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpbound::harness {

namespace {

std::string reading_text(const Reading& reading) {
    const auto& [lo, typical, hi] = reading.interval;
    const std::string value = lo == hi ? fmt::format("{}", lo) : fmt::format("{}..{}", lo, hi);
    return fmt::format("{}{} by {}", reading.sharpness == Sharpness::AtMost ? "at most " : "",
                       reading.sharpness == Sharpness::AtMost ? fmt::format("{}", hi) : value,
                       reading.benchmark);
}

bool is_within(const models::Interval& inner, const models::Interval& outer) {
    return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

/// Two ranges may differ, because samples may miss the ends of an interval; a single number must
/// lie within the other readings.
bool contradict(const Reading& a, const Reading& b) {
    if (a.sharpness == Sharpness::Range && b.sharpness == Sharpness::Range) return false;
    return !is_within(a.interval, b.interval) && !is_within(b.interval, a.interval);
}

/// Combines two readings. Requires: they do not contradict each other.
models::Interval combined(const Finding& known, const Reading& reading) {
    if (reading.sharpness == Sharpness::AtMost)
        return known.sharpness != Sharpness::AtMost || known.interval.hi < reading.interval.hi
                   ? known.interval
                   : reading.interval;
    if (known.sharpness == Sharpness::AtMost) return reading.interval;
    return {std::min(known.interval.lo, reading.interval.lo), known.interval.typical,
            std::max(known.interval.hi, reading.interval.hi)};
}

} // namespace

void Ledger::read(const std::string& path, Reading reading) {
    readings_[path].push_back(std::move(reading));
}

void Ledger::unidentified(const std::string& path, const std::string& why) {
    auto [known, fresh] = unidentified_.try_emplace(path, why);
    if (!fresh) known->second += "; " + why;
}

void Ledger::withdraw(const std::string& path, const std::string& why) {
    const auto readings = readings_.erase(path);
    const auto scopes = std::erase_if(scopes_, [&](const ScopeFinding& finding) {
        return fmt::format("classes/{}{}", finding.opcode_class, port_of_class) == path;
    });
    if (why.empty())
        unidentified_.erase(path);
    else if (readings + scopes > 0)
        unidentified_[path] = why;
}

void Ledger::withdraw(const std::string& path, const std::string& benchmark,
                      const std::string& why) {
    const auto found = readings_.find(path);
    if (found == readings_.end()) return;
    std::erase_if(found->second,
                  [&](const Reading& reading) { return reading.benchmark == benchmark; });
    if (!found->second.empty()) return;
    readings_.erase(found);
    unidentified(path, why);
}

void Ledger::weaken(const std::string& path, const std::string& why) {
    const auto found = readings_.find(path);
    if (found == readings_.end()) return;
    std::erase_if(found->second,
                  [](const Reading& reading) { return reading.sharpness == Sharpness::Range; });
    for (auto& reading : found->second) {
        reading.interval = {std::min<std::int64_t>(reading.interval.lo, 1), std::nullopt,
                            reading.interval.hi};
        reading.sharpness = Sharpness::AtMost;
    }
    if (!found->second.empty()) return;
    readings_.erase(found);
    unidentified(path, why);
}

bool Ledger::knows(const std::string& path) const {
    const auto is_port = [&](const ScopeFinding& finding) {
        return fmt::format("classes/{}{}", finding.opcode_class, port_of_class) == path;
    };
    return readings_.contains(path) || unidentified_.contains(path) ||
           std::any_of(scopes_.begin(), scopes_.end(), is_port);
}

std::optional<models::Interval> Ledger::interval(const std::string& path) const {
    const auto found = readings_.find(path);
    if (found == readings_.end()) return std::nullopt;
    models::Interval hull = found->second.front().interval;
    for (const auto& reading : found->second)
        hull = {std::min(hull.lo, reading.interval.lo), hull.typical,
                std::max(hull.hi, reading.interval.hi)};
    return hull;
}

const Reading* Ledger::by_benchmark(const std::string& path, const std::string& benchmark) const {
    const auto found = readings_.find(path);
    if (found == readings_.end()) return nullptr;
    const auto reading = std::ranges::find(found->second, benchmark, &Reading::benchmark);
    return reading == found->second.end() ? nullptr : &*reading;
}

std::vector<const RecordedSeries*> Ledger::series(const std::string& path) const {
    std::vector<const RecordedSeries*> all;
    const auto found = readings_.find(path);
    if (found == readings_.end()) return all;
    for (const auto& reading : found->second)
        all.insert(all.end(), reading.series.begin(), reading.series.end());
    return all;
}

std::optional<std::int64_t> Ledger::number(const std::string& path) const {
    const auto found = readings_.find(path);
    if (found == readings_.end()) return std::nullopt;
    for (const auto& reading : found->second)
        if (reading.sharpness == Sharpness::Exact) return reading.interval.lo;
    return std::nullopt;
}

Result<std::vector<Finding>> Ledger::findings() const {
    std::vector<Finding> all;
    for (const auto& [path, readings] : readings_) {
        for (const auto& a : readings)
            for (const auto& b : readings)
                if (contradict(a, b))
                    return Failure{fmt::format("two benchmarks contradict each other: {}, and {}",
                                               reading_text(a), reading_text(b)),
                                   path};
        Finding finding{path, readings.front().interval, readings.front().sharpness, {}, {}, {}};
        for (const auto& reading : readings) {
            finding.interval = combined(finding, reading);
            if (finding.sharpness == Sharpness::AtMost) finding.sharpness = reading.sharpness;
            if (std::find(finding.benchmarks.begin(), finding.benchmarks.end(),
                          reading.benchmark) == finding.benchmarks.end())
                finding.benchmarks.push_back(reading.benchmark);
            if (finding.assumption.empty()) finding.assumption = reading.assumption;
        }
        if (finding.sharpness == Sharpness::Exact && !finding.interval.is_exact())
            finding.sharpness = Sharpness::Range;
        finding.digest = digest_of_series(series(path));
        all.push_back(std::move(finding));
    }
    return all;
}

std::vector<Unidentified> Ledger::without_reading() const {
    std::vector<Unidentified> all;
    for (const auto& [path, why] : unidentified_)
        if (readings_.find(path) == readings_.end()) all.push_back({path, why});
    return all;
}

} // namespace warpbound::harness
