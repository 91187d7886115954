/// \file
/// Times that trtexec exports.
#include "harness/json_fields.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace warpbound::harness::profiles {

namespace {

/// A phase of an inference and the names that its time has had.
struct Phase {
    const char* name;
    std::array<const char*, 2> fields;
};
constexpr std::array<Phase, 4> phases{{{"copy to the device", {"h2dMs", "inMs"}},
                                       {"compute", {"computeMs", "computeMs"}},
                                       {"copy from the device", {"d2hMs", "outMs"}},
                                       {"latency", {"latencyMs", "latencyMs"}}}};

std::int64_t nanoseconds(const JsonField& field) {
    constexpr double per_millisecond = 1e6;
    const double time = field.number() * per_millisecond;
    if (time >= 0 && time <= static_cast<double>(longest_run)) return std::llround(time);
    field.fail("expected a time from 0 to 2^50 ns, in ms");
    return 0;
}

} // namespace

Result<Profile> read_tensorrt_times(const std::string& path) {
    const auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    const auto document = parse_json(source.value());
    if (!document) return document.as_failure();
    std::optional<Failure> failure;
    const JsonField runs{document.value(), {}, failure};
    SeriesByLaunch collected;
    for (std::size_t i = 0; i < runs.size() && !failure; ++i) {
        const JsonField run = runs.item(i);
        for (const auto& phase : phases) {
            const char* const field = phase.fields[run.has(phase.fields[0]) ? 0 : 1];
            ProfiledSeries series;
            series.name = phase.name;
            collected.add(std::move(series), nanoseconds(run.member(field)));
        }
    }
    if (failure) return Failure{failure->what, path};
    Profile profile;
    profile.profiler = "trtexec";
    profile.series = collected.take();
    return profile;
}

} // namespace warpbound::harness::profiles
