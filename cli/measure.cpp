/// \file
/// `warpbound measure`: runs microbenchmarks on a device and records every sample.

#include "cli/command.hpp"
#include "cli/summary_text.hpp"
#include "harness/suite/measure_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::cli {

namespace {

struct Options {
    std::string device;
    std::string suite;
    std::vector<std::string> benchmarks;
    std::string campaign;
    std::string policy = "lrr";
    std::string draw = "uniform";
    std::string format = "text";
    std::int64_t repetitions = 500;
    std::int64_t warm_up = 10;
    std::uint64_t seed = 1;
    bool list = false;
};

struct Row {
    harness::BenchmarkPoint point;
    harness::Summary summary;
    std::optional<std::int64_t> empty_region; ///< Best time of the empty region with as many warps.
};

std::string list_text() {
    std::string out = "suites\n";
    for (const auto& suite : harness::suites()) {
        out += fmt::format("  {:<16} {}\n", suite.name, suite.purpose);
    }
    out += "\nbenchmarks\n";
    for (const auto& benchmark : harness::benchmarks()) {
        out += fmt::format("  {:<20} {}\n", benchmark.name, benchmark.question);
        out +=
            fmt::format("  {:<20}   expected: {} ({})\n", "", benchmark.relation, benchmark.source);
        if (!benchmark.calibrates.empty())
            out += fmt::format("  {:<20}   calibrates: {}\n", "",
                               fmt::join(benchmark.calibrates, ", "));
    }
    return out;
}

Result<std::vector<std::string>> chosen_benchmarks(const Options& options) {
    if (!options.benchmarks.empty()) return options.benchmarks;
    std::vector<std::string> names;
    for (const auto& suite : harness::suites()) {
        if (suite.name == options.suite) return suite.benchmarks;
        names.push_back(suite.name);
    }
    return Failure{fmt::format("no suite of that name; there are: {}", fmt::join(names, ", ")),
                   options.suite};
}

std::int64_t warps_of(const harness::BenchmarkPoint& point) {
    return point.launch.warps_per_block();
}

Result<harness::Measured> measure_shown(const harness::Device& device,
                                        const harness::BenchmarkPoint& point,
                                        const harness::Protocol& protocol,
                                        harness::Campaign* campaign) {
    ProgressBar bar{point.name};
    return harness::measure_point(device, point, protocol, campaign, worker_threads(),
                                  bar.callback(), interrupted);
}

/// What a row summarises: all times, or of clocks the last one of each run.
std::vector<std::int64_t> shown_times(const std::vector<harness::Sample>& samples,
                                      harness::Quantity quantity) {
    if (quantity != harness::Quantity::Clocks) return flat_times(samples);
    std::vector<std::int64_t> last;
    for (const auto& sample : samples)
        if (counts(sample.remark.trouble))
            last.push_back(*std::max_element(sample.times.begin(), sample.times.end()));
    return last;
}

/// A point that the device did not run, and why.
struct NotMeasured {
    std::string point;
    Failure why;

    [[nodiscard]] std::string text() const {
        Failure rest = why;
        if (rest.where == point) rest.where.clear();
        return to_string(rest);
    }
};

std::string render(const Options& options, const std::vector<Row>& rows,
                   const std::vector<NotMeasured>& missing) {
    if (options.format == "json") {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const auto& row : rows) {
            nlohmann::ordered_json axes = nlohmann::ordered_json::object();
            for (const auto& [axis, value] : row.point.axes)
                axes[axis] = value;
            nlohmann::ordered_json entry{{"benchmark", row.point.benchmark}, {"axes", axes}};
            entry["quantity"] = quantity_name(row.point.quantity);
            entry["observations"] = summary_json(row.summary);
            if (row.empty_region) entry["empty-region"] = *row.empty_region;
            list.push_back(std::move(entry));
        }
        nlohmann::ordered_json refused = nlohmann::ordered_json::array();
        for (const auto& one : missing)
            refused.push_back({{"point", one.point}, {"why", one.text()}});
        return nlohmann::ordered_json{
                   {"device", options.device}, {"repetitions", options.repetitions},
                   {"seed", options.seed},     {"draw", options.draw},
                   {"points", list},           {"not-measured", refused}}
                   .dump(2) +
               "\n";
    }
    if (options.format == "csv") {
        std::string out = "point,count,best,mean,p90,p99,worst,distinct,modes,empty-region\n";
        for (const auto& [point, summary, empty] : rows)
            out += fmt::format("{},{},{},{:.6f},{},{},{},{},{},{}\n", point.name, summary.count,
                               summary.best, summary.mean, summary.p90, summary.p99, summary.worst,
                               summary.distinct, summary.modes.size(),
                               empty ? std::to_string(*empty) : "");
        return out;
    }
    std::string out =
        fmt::format("{} repetitions from seed {} on {}; times between two clock reads\n",
                    options.repetitions, options.seed, options.device);
    if (std::any_of(rows.begin(), rows.end(),
                    [](const Row& row) { return row.point.quantity == harness::Quantity::Clocks; }))
        out += "of crowd, start-order, wake-order, store-burst and resident-warps: from the first "
               "read of the launch to the last\n";
    out += "\n";
    out += summary_heading("observed, core cycles");
    for (const auto& row : rows)
        out += summary_row(row.point.name, row.summary);
    if (!rows.empty() && rows.front().empty_region)
        out += fmt::format(
            "\nAn empty region takes {} cycles with one warp; times above include it.\n",
            *rows.front().empty_region);
    if (!missing.empty()) out += "\nnot measured\n";
    for (const auto& one : missing)
        out += fmt::format("  {}: {}\n", one.point, one.text());
    return out;
}

Exit run(const Options& options) {
    if (options.list) return write_result(list_text());
    if (options.device.empty())
        return refuse(Failure{"a device is needed; `warpbound devices` lists them", "--device"});
    if (options.suite.empty() == options.benchmarks.empty())
        return refuse(Failure{"name either a --suite or one --benchmark or more; --list shows them",
                              "measure"});
    const auto device = harness::open_device(options.device, options.policy);
    if (!device) return refuse(device.error());
    const auto names = chosen_benchmarks(options);
    if (!names) return refuse(names.error());
    constexpr std::string_view simulated = "simulated:";
    const auto architecture =
        models::load_architecture(std::string_view{options.device}.substr(simulated.size()));
    if (!architecture) return refuse(architecture.error());
    std::unique_ptr<harness::Campaign> campaign;
    if (!options.campaign.empty()) {
        auto opened = harness::Campaign::open(options.campaign);
        if (!opened) return refuse(opened.error());
        campaign = std::move(opened).value();
    }
    harness::Protocol protocol;
    protocol.repetitions = options.repetitions;
    protocol.warm_up = options.warm_up;
    protocol.seed = options.seed;
    protocol.draw = parse_draw(options.draw);

    std::vector<Row> rows;
    std::vector<NotMeasured> missing;
    std::map<std::int64_t, std::int64_t> empty_regions; // by number of warps
    bool complete = true;
    std::vector<std::string> order = names.value();
    // The empty region comes first: it is the calibration of all others.
    order.erase(std::remove(order.begin(), order.end(), "empty-region"), order.end());
    order.insert(order.begin(), "empty-region");
    for (const auto& name : order) {
        const auto points = harness::points_of(name, architecture.value());
        if (!points && options.suite.empty()) return refuse(points.error());
        if (!points) {
            missing.push_back({name, points.error()});
            continue;
        }
        for (const auto& point : points.value()) {
            // Of a suite everything is measured that the device runs.
            if (const auto runs = harness::check_point(*device.value(), point); !runs) {
                if (options.suite.empty()) return refuse(runs.error());
                missing.push_back({point.name, runs.error()});
                continue;
            }
            const auto measured = measure_shown(*device.value(), point, protocol, campaign.get());
            if (!measured) return refuse(measured.error());
            const auto times = shown_times(measured.value().samples, point.quantity);
            if (!times.empty()) {
                const harness::Summary summary = harness::summarise(times);
                if (name == "empty-region") empty_regions[warps_of(point)] = summary.best;
                const auto empty = empty_regions.find(warps_of(point));
                rows.push_back(
                    {point, summary,
                     empty == empty_regions.end() ? std::nullopt : std::optional{empty->second}});
            }
            complete = complete && measured.value().complete;
            if (!complete) break;
        }
        if (!complete) break;
    }
    if (rows.empty() && complete && !missing.empty()) return refuse(missing.front().why);
    if (options.format == "csv") // Its rows have no place for them.
        for (const auto& one : missing)
            fmt::print(stderr, "warpbound: not measured: {}: {}\n", one.point, one.text());
    const Exit written = write_result(render(options, rows, missing));
    if (written != Exit::Holds) return written;
    if (!complete) fmt::print(stderr, "warpbound: interrupted; what was recorded stays\n");
    return complete ? Exit::Holds : Exit::Undecided;
}

} // namespace

void add_measure(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("measure", "Run microbenchmarks on a device and record every sample");
    command->add_option("--device", options->device, "Device from `devices`");
    command->add_option("--suite", options->suite, "Suite to run");
    command->add_option("--benchmark", options->benchmarks, "Benchmark to run; may be repeated");
    command->add_flag("--list", options->list, "List suites and benchmarks");
    command->add_option("--campaign", options->campaign,
                        "Record every sample here; resumes it if it exists");
    command->add_option("--repetitions", options->repetitions, "Recorded runs of each point")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("--warm-up", options->warm_up, "Runs before them that are not recorded")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
        ->capture_default_str();
    add_policy(*command, options->policy);
    command->add_option("--seed", options->seed, "Seed that all runs derive from")
        ->capture_default_str();
    add_draw(*command, options->draw);
    add_format(*command, options->format, {"text", "json", "csv"});
    command->footer(
        "Example: warpbound measure --device simulated:fermi-gtx470 --benchmark dependent-add\n"
        "           --repetitions 500 --campaign fermi.db");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
