#include "cli/program/protocol_options.hpp"

#include "cli/program/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace warpbound::cli {

namespace {

/// "auto" or a number of runs.
Result<std::optional<std::int64_t>> read_warm_up(const std::string& text) {
    constexpr std::int64_t most = 1'000'000;
    if (text == "auto") return std::optional<std::int64_t>{};
    std::int64_t runs = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
    if (error != std::errc{} || end != text.data() + text.size() || runs < 0 || runs > most)
        return Failure{fmt::format("expected 0 to {} runs or auto, not '{}'", most, text),
                       "--warm-up"};
    return std::optional{runs};
}

} // namespace

Result<harness::Protocol> ProtocolOptions::read() const {
    harness::Protocol protocol;
    protocol.repetitions = repetitions;
    const auto unrecorded = read_warm_up(warm_up);
    if (!unrecorded) return unrecorded.as_failure();
    protocol.warm_up = unrecorded.value();
    protocol.seed = seed;
    protocol.draw = parse_draw(draw);
    const auto criterion = harness::read_stop(stop);
    if (!criterion) return criterion.as_failure();
    protocol.stop = criterion.value();
    if (time_cap > 0) protocol.time_cap = std::chrono::duration<double>{time_cap};
    return protocol;
}

void ProtocolOptions::add_to(CLI::App& command) {
    command
        .add_option("--repetitions", repetitions, "Largest number of recorded runs of each point")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command
        .add_option("--warm-up", warm_up,
                    "Number of earlier runs that are not recorded; auto: until the best time no "
                    "longer falls")
        ->check([](const std::string& text) {
            const auto read = read_warm_up(text);
            return read ? std::string{} : read.error().what;
        })
        ->capture_default_str();
    command
        .add_option("--stop", stop,
                    "Stopping rule of a point: fixed (all repetitions), spread:SHARE% (half width "
                    "of the 95 % interval of the mean), extremes (no new best or worst time in the "
                    "last half), entropy:BITS (change of the histogram's entropy over 64 runs)")
        ->check([](const std::string& text) {
            const auto read = harness::read_stop(text);
            return read ? std::string{} : read.error().what;
        })
        ->capture_default_str();
    command
        .add_option("--time-cap", time_cap,
                    "Seconds of running, warm-up included, after which a point begins no further "
                    "batch (of 32 runs or more); 0: no limit")
        ->check(refusal_of_number)
        ->capture_default_str();
    command.add_option("--seed", seed, "Seed that all runs derive from")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(command, draw);
}

} // namespace warpbound::cli
