#include "cli/recordings/pwcet.hpp"

#include "certification/pwcet/estimate_pwcet.hpp"
#include "certification/pwcet/pwcet_report.hpp"
#include "certification/pwcet/times_csv.hpp"
#include "cli/output/next_step.hpp"
#include "cli/recordings/recorded_times.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

namespace warpbound::cli {

namespace {

using certification::ExtremesBy;
using certification::TailShape;
using certification::TimesInRunOrder;

struct PwcetOptions {
    std::string file;
    std::vector<std::string> series;
    std::string unit;
    std::vector<double> probabilities;
    std::string method = "cv";
    std::string shape = "zero";
    std::optional<std::int64_t> block;
    std::optional<double> threshold;
    std::optional<std::int64_t> exceedances;
    std::optional<std::uint64_t> seed;
    std::string bound;
    std::string format = "text";
    std::string output = "-";
};

/// Why the options do not fit together; empty: they do.
std::string contradiction_in(const PwcetOptions& options) {
    if (options.block && options.method != "block-maxima")
        return "--block-size needs --method block-maxima";
    if ((options.threshold || options.exceedances) && options.method != "pot")
        return "--threshold and --exceedances need --method pot";
    if (options.shape == "fitted" && options.method == "cv")
        return "--method cv chooses runs whose tail is exponential; --shape fitted needs pot or "
               "block-maxima";
    return {};
}

certification::PwcetRequest request_of(const PwcetOptions& options) {
    certification::PwcetRequest request;
    if (!options.probabilities.empty()) request.probabilities = options.probabilities;
    request.method = options.method == "cv"    ? ExtremesBy::ResidualVariation
                     : options.method == "pot" ? ExtremesBy::Threshold
                                               : ExtremesBy::BlockMaxima;
    request.shape = options.shape == "fitted" ? TailShape::Fitted : TailShape::Zero;
    request.block = options.block;
    request.threshold = options.threshold;
    request.exceedances = options.exceedances;
    request.seed = options.seed;
    return request;
}

Result<std::vector<TimesInRunOrder>> times_of(const PwcetOptions& options) {
    if (is_campaign(options.file)) {
        if (!options.unit.empty())
            return Failure{"a campaign states the unit of its times", "--unit"};
        return recorded_times(options.file, options.series);
    }
    if (!options.series.empty()) return Failure{"a file of times holds one series", "--series"};
    const auto source = assembly::read_source(options.file);
    if (!source) return source.as_failure();
    auto times =
        certification::read_times(source.value(), options.unit.empty() ? "cycles" : options.unit);
    if (!times) return times.as_failure();
    times.value().name = std::filesystem::path{options.file}.filename().string();
    return std::vector<TimesInRunOrder>{std::move(times).value()};
}

/// The bound that --bound names, in the unit of the times and of their launch.
Result<std::optional<certification::BoundBeside>>
bound_of(const std::string& text, const std::vector<TimesInRunOrder>& times) {
    if (text.empty()) return std::optional<certification::BoundBeside>{};
    certification::BoundBeside bound{0, times.front().unit, "stated-bound", "--bound"};
    const char* const end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, bound.value);
    if (failed == std::errc{} && stopped == end && bound.value >= 0) {
        if (const auto same = certification::compare_launches(bound, times); !same)
            return same.as_failure();
        return std::optional{std::move(bound)};
    }
    const auto source = assembly::read_source(text);
    if (!source) return source.as_failure();
    auto read = certification::read_bound(source.value());
    if (!read) return read.as_failure();
    if (const auto same = certification::compare_launches(read.value(), times); !same)
        return same.as_failure();
    return std::optional{std::move(read).value()};
}

Exit run(const PwcetOptions& options) {
    if (const auto wrong = contradiction_in(options); !wrong.empty()) {
        say("warpbound: {} (try --help)\n", wrong);
        return Exit::Usage;
    }
    for (const auto& input : {options.file, options.bound})
        if (auto checked = check_output(options.output, input); !input.empty() && !checked)
            return refuse(checked.error());
    auto times = times_of(options);
    if (!times) return refuse(times.error());
    const auto bound = bound_of(options.bound, times.value());
    if (!bound) return refuse(bound.error());
    certification::PwcetReport report{std::filesystem::path{options.file}.filename().string(),
                                      version,
                                      request_of(options),
                                      {},
                                      {},
                                      bound.value()};
    for (auto& one : times.value())
        report.series.push_back(certification::estimate_pwcet(std::move(one), report.request));
    if (report.series.size() > 1)
        report.envelope = certification::envelope_of(report.series, report.request);
    const std::string& format = options.format;
    const Exit written = write_result(format == "json"   ? certification::render_json(report)
                                      : format == "html" ? certification::render_html(report)
                                                         : certification::render_text(report),
                                      options.output);
    if (written != Exit::Holds) return written;
    for (const auto& series : report.series)
        if (series.outcome == certification::PwcetOutcome::Refused)
            say("warpbound: {}: no pWCET: {}\n", series.times.name,
                fmt::join(series.reasons, "; "));
    if (certification::is_refuted(report)) return Exit::Violated;
    if (!certification::is_estimated(report)) return Exit::Refused;
    if (options.output == "-" && options.file != "-")
        suggest(fmt::format("warpbound pwcet {} -o pwcet.html", shell_word(options.file)));
    return Exit::Holds;
}

void add_extremes(CLI::App& command, PwcetOptions& options) {
    command
        .add_option("--method", options.method,
                    "How the extremes are chosen: by residual CV (MBPTA-CV), over a threshold, as "
                    "maxima of blocks")
        ->check(CLI::IsMember({"cv", "pot", "block-maxima"}))
        ->capture_default_str();
    command
        .add_option("--shape", options.shape,
                    "Of the tail: zero (exponential, Gumbel), an upper model of lighter tails, or "
                    "fitted (GPD, GEV)")
        ->check(CLI::IsMember({"zero", "fitted"}))
        ->capture_default_str();
    command
        .add_option("--block-size", options.block,
                    "Runs of a block; a fortieth of the runs, 10 to 50, otherwise")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    auto* threshold =
        command.add_option("--threshold", options.threshold, "Time above which runs are extremes");
    command
        .add_option("--exceedances", options.exceedances,
                    "Number of extremes; a tenth of the runs, 51 to 1000, otherwise")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->excludes(threshold);
}

} // namespace

void add_pwcet(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<PwcetOptions>();
    CLI::App* command = app.add_subcommand(
        "pwcet", "Estimate from recorded runs the time that a run exceeds with a probability");
    command
        ->add_option(
            "FILE", options->file,
            "Campaign, or text of one time a line in run order; - reads text from standard "
            "input")
        ->required();
    command->add_option("--series", options->series,
                        "Name or number of a series of the campaign, as `campaign list` shows "
                        "them; may be repeated: one input each");
    command->add_option("--unit", options->unit, "Unit of a text of times; cycles otherwise");
    command
        ->add_option("--probability", options->probabilities,
                     "Exceedance probabilities per run; 1e-3,1e-6,1e-9,1e-12 otherwise")
        ->delimiter(',')
        ->check(refusal_of_number)
        ->check(CLI::Range(1e-18, 0.5));
    add_extremes(*command, *options);
    command->add_option("--seed", options->seed,
                        "Seed of the resampling; from the digest of the times otherwise");
    command->add_option("--bound", options->bound,
                        "Bound to show beside: a number, or a report of `analyze --format json`");
    command
        ->add_option("-o,--output", options->output,
                     "File of the result; its ending chooses the format; - is standard output")
        ->capture_default_str();
    add_format_or_ending(*command, options->format, {"text", "json", "html"});
    command->footer("Example: warpbound pwcet examples/pwcet/times.csv --probability 1e-6,1e-9 "
                    "--bound 2000");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
