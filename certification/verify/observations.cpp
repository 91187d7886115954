#include "certification/verify/observations.hpp"

#include "harness/protocol/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpbound::certification::verify {

namespace {

/// As claims call it.
std::string claimed_quantity(const harness::SeriesKey& key) {
    return key.quantity == "region" ? "measured-time" : key.quantity;
}

void check_series(const KernelCase& kernel, const Series& series) {
    const harness::SeriesKey& key = series.key;
    const harness::PackedSamples& samples = series.samples;
    if (key.kernel_digest != kernel.program.digest || key.name != kernel.function->name ||
        key.launch != models::to_string(kernel.launch))
        refuted(series.path + ": recorded of another listing, kernel or launch");
    check_seeds(series);
    const std::string quantity = claimed_quantity(key);
    for (const harness::PackedSamples::Run& sample : samples) {
        if (sample.times.size() != samples.front().times.size())
            incomplete(
                fmt::format("{}: run {} has another number of times", series.path, sample.run));
        for (const ClaimRow& claim : kernel.claims)
            for (const std::int64_t time : sample.times)
                if (claim.quantity == quantity &&
                    (claim.upper ? time > claim.value : time < claim.value))
                    refuted(fmt::format("{}: run {} took {} cycles, {} claims {} {}", series.path,
                                        sample.run, time, claim.id,
                                        claim.upper ? "at most" : "at least", claim.value));
    }
}

/// Whether the claim says of the samples what they say: their number, the shortest and the longest
/// time, and where they were recorded.
void check_observed(const ObservedRow& claim, const Series& series) {
    const harness::SeriesKey& key = series.key;
    const harness::PackedSamples& samples = series.samples;
    const auto times = samples.times();
    const auto [best, worst] = std::minmax_element(times.begin(), times.end());
    const auto compare = [&](const char* field, const auto& claimed, const auto& recorded) {
        if (claimed != recorded)
            refuted(fmt::format("claims.json: {} says {} {}; the samples in {} say {}", claim.id,
                                field, claimed, series.path, recorded));
    };
    compare("samples", claim.path, series.path);
    compare("quantity", claim.quantity, claimed_quantity(key));
    compare("device", claim.device, key.device);
    compare("protocol", claim.protocol, key.protocol);
    compare("count", claim.count, static_cast<std::int64_t>(times.size()));
    compare("best", claim.best, *best);
    compare("worst", claim.worst, *worst);
}

} // namespace

std::optional<std::uint64_t> seed_of_protocol(const std::string& protocol) {
    const std::size_t at = protocol.rfind("seed ");
    if (at == std::string::npos) return std::nullopt;
    std::uint64_t seed = 0;
    const char* begin = protocol.data() + at + 5;
    const auto [end, error] = std::from_chars(begin, protocol.data() + protocol.size(), seed);
    if (error != std::errc{} || end == begin) return std::nullopt;
    return seed;
}

void check_seeds(const Series& series) {
    const auto seed = seed_of_protocol(series.key.protocol);
    if (!seed) incomplete(series.path + ": its protocol does not name a seed");
    const auto& samples = series.samples;
    for (std::size_t run = 0; run < samples.size(); ++run)
        if (samples[run].seed != harness::seed_of_run(*seed, static_cast<std::int64_t>(run)))
            refuted(fmt::format("{}: run {} does not have the seed that the protocol gives "
                                "it: a run was left out, added or moved",
                                series.path, run));
}

StepResult check_observations(const Evidence& evidence) {
    try {
        std::size_t series_count = 0;
        std::size_t samples = 0;
        for (const auto& kernel : evidence.kernels) {
            for (const Series& series : kernel->series) {
                check_series(*kernel, series);
                ++series_count;
                samples += series.samples.size();
            }
            if (kernel->observed.size() != kernel->series.size())
                refuted(fmt::format("claims.json: {} claims on the recorded runs of {}, "
                                    "which has {} series",
                                    kernel->observed.size(), kernel->id, kernel->series.size()));
            for (std::size_t i = 0; i < kernel->series.size(); ++i)
                check_observed(kernel->observed[i], kernel->series[i]);
        }
        if (series_count == 0)
            return {"observations", Verdict::NotApplicable, "the bundle holds no recorded runs"};
        return {"observations", Verdict::Holds,
                fmt::format("{} runs in {} series, every one within its bounds", samples,
                            series_count)};
    } catch (const Finding& finding) {
        return {"observations", finding.verdict, finding.what()};
    }
}

} // namespace warpbound::certification::verify
