/// \file
/// `warpbound calibrate`: derives a machine description from the times measured on it.

#include "harness/calibration/calibrate.hpp"

#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "models/architecture/schema.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace warpbound::cli {

namespace {

struct CalibrateOptions {
    std::string campaign;
    std::string base;
    std::string device;
    std::string name;
    std::string output;
    std::string format = "text";
};

Result<harness::Measurements> measurements_of(const CalibrateOptions& options,
                                              const std::optional<models::Architecture>& base) {
    const auto campaign = harness::Campaign::open_existing(options.campaign);
    if (!campaign) return campaign.as_failure();
    auto series = harness::recorded_series(*campaign.value());
    if (!series) return series.as_failure();
    if (!options.device.empty())
        std::erase_if(series.value(),
                      [&](const auto& one) { return one.key.device != options.device; });
    if (base) return harness::Measurements::of(std::move(series).value(), base->target);
    const auto target = harness::target_of(series.value());
    if (!target) return target.as_failure();
    return harness::Measurements::of(std::move(series).value(), target.value());
}

std::string value_text(const harness::Finding& finding) {
    const auto& [lo, typical, hi] = finding.interval;
    if (finding.sharpness == harness::Sharpness::AtMost) return fmt::format("at most {}", hi);
    if (lo == hi) return fmt::format("{}", lo);
    return typical ? fmt::format("{}..{} (typical {})", lo, hi, *typical)
                   : fmt::format("{}..{}", lo, hi);
}

/// Value paths in lines of at most 100 columns.
std::string lines_of(const std::vector<std::string>& paths) {
    std::string out;
    std::string line = " ";
    for (const auto& path : paths) {
        if (line.size() + 1 + path.size() > 100) {
            out += line + "\n";
            line = " ";
        }
        line += " " + path;
    }
    return out + line + "\n";
}

std::string text_of(const harness::Calibration& calibration, bool has_base) {
    std::string out = fmt::format("{}, {}\n\n", calibration.device, to_string(calibration.target));
    for (const auto& finding : calibration.findings)
        out += fmt::format("{:<36} {:>24}  {}{}{}\n", finding.path, value_text(finding),
                           fmt::join(finding.benchmarks, ", "),
                           finding.assumption.empty() ? "" : "; ", finding.assumption);
    for (const auto& scope : calibration.scopes)
        out +=
            fmt::format("{:<36} {:>24}  {}\n", fmt::format("classes/{}, port", scope.opcode_class),
                        fmt::format("one per {}", models::to_string(scope.scope)), scope.benchmark);
    out +=
        fmt::format("{:<36} {:>24}\n", "policy",
                    calibration.policy ? "like " + *calibration.policy + " (estimate)" : "unknown");
    if (!calibration.unidentified.empty())
        out += fmt::format("\nnot identified{}\n",
                           has_base ? "; the base's value is kept" : "; unknown in a description");
    for (const auto& missing : calibration.unidentified)
        out += fmt::format("  {}: {}\n", missing.path, missing.why);
    return out +
           fmt::format("\nwithout benchmark{}\n", has_base ? "; the base's value is kept" : "") +
           lines_of(calibration.without_benchmark);
}

std::string json_of(const harness::Calibration& calibration) {
    Json values = Json::array();
    for (const auto& finding : calibration.findings) {
        Json value{{"path", finding.path}, {"lo", finding.interval.lo}};
        if (finding.interval.typical) value["typical"] = *finding.interval.typical;
        value["hi"] = finding.interval.hi;
        value["says"] = finding.sharpness == harness::Sharpness::AtMost  ? "at-most"
                        : finding.sharpness == harness::Sharpness::Range ? "range-of-samples"
                                                                         : "exact";
        value["benchmarks"] = finding.benchmarks;
        value["digest"] = finding.digest;
        if (!finding.assumption.empty()) value["assumption"] = finding.assumption;
        values.push_back(std::move(value));
    }
    Json ports = Json::array();
    for (const auto& scope : calibration.scopes)
        ports.push_back({{"class", scope.opcode_class},
                         {"scope", models::to_string(scope.scope)},
                         {"benchmark", scope.benchmark}});
    Json missing = Json::array();
    for (const auto& [path, why] : calibration.unidentified)
        missing.push_back({{"path", path}, {"why", why}});
    Json json{{"device", calibration.device},
              {"target", to_string(calibration.target)},
              {"values", values},
              {"ports", ports}};
    json["policy"] =
        calibration.policy ? Json{{"like", *calibration.policy}, {"kind", "estimate"}} : Json();
    json["not-identified"] = missing;
    json["without-benchmark"] = calibration.without_benchmark;
    return json_text("calibration", json);
}

/// The text of the description. Refuses a text that does not read back.
Result<std::string> calibrated_description(const harness::Calibration& calibration,
                                           std::optional<models::Architecture> base,
                                           const CalibrateOptions& options) {
    harness::DescriptionRequest request;
    request.name = !options.name.empty() ? options.name
                                         : std::filesystem::path{options.output}.stem().string();
    request.title = fmt::format("{}, calibrated", calibration.device);
    request.campaign = std::filesystem::path{options.campaign}.filename().string();
    request.base = std::move(base);
    const auto machine = harness::describe(calibration, request);
    if (!machine) return machine.as_failure();
    std::string text = models::write_architecture(machine.value());
    const auto back = models::read_architecture({options.output, text});
    if (!back)
        return Failure{"the description does not read back: " + back.error().what, options.output};
    return text;
}

Exit run(const CalibrateOptions& options) {
    if (options.output == "-" && options.name.empty()) {
        say("warpbound: a description on standard output needs a --name\n");
        return Exit::Usage;
    }
    if (auto checked = check_output(options.output, options.campaign); !checked)
        return refuse(checked.error());
    std::optional<models::Architecture> base;
    if (!options.base.empty()) {
        auto loaded = models::load_architecture(options.base);
        if (!loaded) return refuse(loaded.error());
        base = std::move(loaded).value();
    }
    const auto measurements = measurements_of(options, base);
    if (!measurements) return refuse(measurements.error());
    const auto calibration = harness::calibrate(measurements.value());
    if (!calibration) return refuse(calibration.error());
    if (!options.output.empty()) {
        const auto text = calibrated_description(calibration.value(), base, options);
        if (!text) return refuse(text.error());
        const Exit written = write_result(text.value(), options.output);
        if (written != Exit::Holds || options.output == "-") return written;
    }
    suggest(options.output.empty()
                ? fmt::format("warpbound calibrate --campaign {} -o card.xml",
                              shell_word(options.campaign))
                : fmt::format("warpbound architectures {}", shell_word(options.output)));
    return write_result(options.format == "json" ? json_of(calibration.value())
                                                 : text_of(calibration.value(), base.has_value()));
}

} // namespace

void add_calibrate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* command = app.add_subcommand(
        "calibrate",
        "Derive a machine description from what `measure --suite calibration` recorded, with "
        "encoded issue control `--suite calibration-encoded`, and on cards `--suite residence`");
    command->add_option("--campaign", options->campaign, "Campaign with the samples")->required();
    command->add_option("--base", options->base,
                        "Description with the values that times do not show: shared units, "
                        "geometry, and those not identified");
    command->add_option("--device", options->device, "Device to use, if the campaign has several");
    command->add_option("--name", options->name,
                        "Name of the description; that of the output file when left out");
    command->add_option("-o,--output", options->output,
                        "Write the description here; '-' for standard output");
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Example: warpbound measure --device simulated:fermi-gtx470 --suite calibration\n"
        "           --campaign fermi.db\n"
        "         warpbound calibrate --campaign fermi.db -o card.xml\n"
        "The occupancy limits of a card are read off `measure --suite residence`.\n"
        "With encoded issue control (simulated machines from sm_70 on) `--suite "
        "calibration-encoded`\n"
        "is the suite; 60 repetitions show every value but the policy, which takes 300.\n"
        "A value that is not identified is listed with the reason; it is taken from the base, or\n"
        "else unknown in the description. A class whose port's scope is unknown gets no\n"
        "initiation.");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
