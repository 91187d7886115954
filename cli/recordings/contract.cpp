/// \file
/// `warpbound contract`: holds recorded runs against the rules of the timing contract.

#include "cli/recordings/contract.hpp"

#include "cli/output/next_step.hpp"
#include "cli/recordings/contract_answer.hpp"
#include "harness/calibration/calibrate.hpp"
#include "harness/described_machine.hpp"
#include "models/architecture/shipped.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iterator>

namespace warpbound::cli {

namespace {

namespace contract = harness::contract;
using harness::hypotheses::Recording;

struct ContractOptions {
    std::vector<std::string> campaigns;
    std::string recording;
    std::string gpu;
    std::string format = "text";
    std::string output = "-";
    bool wants_table = false;
};

Result<std::vector<harness::RecordedSeries>> series_of(const ContractOptions& options) {
    std::vector<harness::RecordedSeries> all;
    for (const std::string& file : options.campaigns) {
        if (auto checked = check_output(options.output, file); !checked)
            return checked.as_failure();
        const auto campaign = harness::Campaign::open_existing(file);
        if (!campaign) return campaign.as_failure();
        auto series = harness::recorded_series(*campaign.value());
        if (!series) return series.as_failure();
        all.insert(all.end(), std::make_move_iterator(series.value().begin()),
                   std::make_move_iterator(series.value().end()));
    }
    return all;
}

Result<std::optional<Recording>> recording_of(const ContractOptions& options) {
    if (options.recording.empty()) return std::optional<Recording>{};
    if (auto checked = check_output(options.output, options.recording); !checked)
        return checked.as_failure();
    const auto text = assembly::read_source(options.recording);
    if (!text) return text.as_failure();
    auto recording = harness::hypotheses::read_recording(text.value());
    if (!recording) return recording.as_failure();
    return std::optional<Recording>{std::move(recording).value()};
}

/// The device of the runs: that of the suite's series, else of the recording.
harness::DeviceIdentity device_of(const std::vector<harness::RecordedSeries>& series,
                                  const std::optional<Recording>& recording) {
    if (!series.empty()) return {series.front().key.device, series.front().key.device_detail};
    if (recording) return {recording->device, recording->detail};
    return {};
}

Result<ContractAnswer> answer_of(const ContractOptions& options) {
    auto series = series_of(options);
    if (!series) return series.as_failure();
    const auto recording = recording_of(options);
    if (!recording) return recording.as_failure();
    const auto device = device_of(series.value(), recording.value());
    if (recording.value() && recording.value()->device != device.name)
        return Failure{
            fmt::format("of '{}'; the campaign is of '{}'", recording.value()->device, device.name),
            options.recording};
    const auto machine = options.gpu.empty() ? harness::described_machine(device)
                                             : models::load_architecture(options.gpu);
    if (!machine) return machine.as_failure();
    const auto kept = contract::ContractSeries::of(std::move(series).value(), machine.value());
    if (!kept) return kept.as_failure();
    if (kept.value().empty() && !recording.value())
        return Failure{"holds no series of the suite; `measure --suite contract` records them",
                       options.campaigns.front()};
    return ContractAnswer{
        device, models::label_of(machine.value()),
        contract::test_contract(machine.value(), kept.value(),
                                recording.value() ? &*recording.value() : nullptr)};
}

std::string rendered(const ContractAnswer& answer, const std::string& format) {
#ifdef WARPBOUND_HAS_ANALYZER // The page is drawn by the certification layer.
    if (format == "html") return html_of(answer);
#endif
    return format == "json" ? json_of(answer) : text_of(answer);
}

Exit run(const ContractOptions& options) {
    if (options.wants_table && options.format == "html") {
        say("warpbound: --list has no page; expected --format text or json\n");
        return Exit::Usage;
    }
    if (options.wants_table)
        return write_result(options.format == "json" ? json_of_contract() : text_of_contract(),
                            options.output);
    if (options.campaigns.empty() && options.recording.empty()) {
        say("warpbound: expected --campaign or --recording (--list prints the rules)\n");
        return Exit::Usage;
    }
    const auto answer = answer_of(options);
    if (!answer) return refuse(answer.error());
    const Exit written = write_result(rendered(answer.value(), options.format), options.output);
    return written == Exit::Holds ? exit_of(answer.value()) : written;
}

} // namespace

void add_contract(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ContractOptions>();
    CLI::App* command = app.add_subcommand(
        "contract", "Hold recorded runs of a device against the rules of the timing contract");
    command->add_option("--campaign", options->campaigns,
                        "Campaign of `measure --suite contract`; may be repeated");
    command->add_option("--recording", options->recording,
                        "What `hypotheses --record` observed, for the rules of scheduling");
    command->add_option("--gpu", options->gpu,
                        "Description that the runs are held against; that of the device when left "
                        "out");
    command->add_flag("--list", options->wants_table,
                      "Print the rules with their experiments, and do nothing else");
    command
        ->add_option("-o,--output", options->output,
                     "File of the result; its ending chooses the format; - is standard output")
        ->capture_default_str();
#ifdef WARPBOUND_HAS_ANALYZER
    add_format_or_ending(*command, options->format, {"text", "json", "html"});
#else
    add_format_or_ending(*command, options->format, {"text", "json"});
#endif
    command->footer(
        "Example: warpbound measure --device cuda:0 --suite contract --campaign card.db\n"
        "         warpbound hypotheses --device cuda:0 --record card.json\n"
        "         warpbound contract --campaign card.db --recording card.json -o contract.html\n"
        "Exit code: 1 if a rule is violated; 4 if none was tested; else 0.");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
