/// \file
/// `warpbound campaign`: lists a campaign, exports it as text, imports it, and reports on it.

#include "cli/campaign/made_campaign.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/summary_text.hpp"
#include "cli/program/command.hpp"
#include "cli/recordings/campaign_page.hpp"
#include "harness/campaign/exchange.hpp"
#include "harness/protocol/run_order.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::cli {

namespace {

struct CampaignOptions {
    std::string file;
    std::string output;
    std::string format = "text";
    bool summary = false;
};

struct ListedSeries {
    harness::SeriesInfo info;
    std::optional<harness::Summary> summary; ///< None if not requested, or if no run counts.
    harness::RunOrder order;
};

Result<std::vector<ListedSeries>> listed(const CampaignOptions& options) {
    const auto campaign = harness::Campaign::open_existing(options.file);
    if (!campaign) return campaign.as_failure();
    const auto list = campaign.value()->list();
    if (!list) return list.as_failure();
    std::vector<ListedSeries> all;
    ProgressBar bar{"reading"};
    const auto progress = bar.callback();
    const auto wanted = static_cast<std::int64_t>(list.value().size());
    for (const auto& info : list.value()) {
        all.push_back({info, std::nullopt, {}});
        if (!options.summary) continue;
        const auto samples = campaign.value()->samples(info.id);
        if (!samples) return samples.as_failure();
        const auto times = summarised_times(samples.value(), info.key.quantity);
        if (!times.empty()) all.back().summary = harness::summarise(times);
        all.back().order = harness::examine(harness::run_times(samples.value()));
        progress(static_cast<std::int64_t>(all.size()), wanted);
    }
    std::vector<harness::RunOrder*> orders;
    for (auto& one : all)
        orders.push_back(&one.order);
    harness::correct(orders);
    return all;
}

/// Heading of the series of one device and protocol.
std::string heading_of(const harness::SeriesKey& key) {
    return fmt::format("{}, {}\n{}\n", key.device, key.device_detail, key.protocol);
}

std::string list_text(const std::vector<ListedSeries>& series, bool summary) {
    std::int64_t runs = 0;
    for (const auto& one : series)
        runs += one.info.runs;
    std::string out = fmt::format("{} series, {} runs\n", series.size(), runs);
    std::string heading;
    for (const auto& [info, times, order] : series) {
        if (heading_of(info.key) != heading) {
            heading = heading_of(info.key);
            out += "\n" + heading;
            out += summary ? summary_heading(harness::is_wall_time(info.key.quantity)
                                                 ? "times, ns"
                                                 : "times, core cycles")
                           : fmt::format("{:<40} {:<14} {:<14} {:>9}\n", "series", "launch",
                                         "quantity", "runs");
        }
        if (times)
            out += summary_row(summary_label(info.key.name, info.key.quantity), *times);
        else
            out += fmt::format("{:<40} {:<14} {:<14} {:>9}\n", info.key.name, info.key.launch,
                               info.key.quantity, info.runs);
        const auto found = order.found();
        if (!found.empty()) out += fmt::format("  drift: {}\n", fmt::join(found, ", "));
    }
    return out;
}

std::string list_json(const std::vector<ListedSeries>& series) {
    Json list = Json::array();
    for (const auto& [info, times, order] : series) {
        Json entry{{"name", info.key.name},
                   {"device", info.key.device},
                   {"device-detail", info.key.device_detail},
                   {"protocol", info.key.protocol},
                   {"kernel-digest", info.key.kernel_digest},
                   {"facts-digest", info.key.facts_digest},
                   {"launch", info.key.launch},
                   {"quantity", info.key.quantity},
                   {"runs", info.runs}};
        if (times) {
            entry["observations"] = summary_json(*times, harness::unit_of(info.key.quantity));
            entry["drift"] = harness::to_string(order.drift());
        }
        list.push_back(std::move(entry));
    }
    return json_text("campaign", {{"series", std::move(list)}});
}

Exit list(const CampaignOptions& options) {
    const auto series = listed(options);
    if (!series) return refuse(series.error());
#ifdef WARPBOUND_HAS_ANALYZER
    suggest(fmt::format("warpbound campaign report {} -o campaign.html", shell_word(options.file)));
#endif
    return write_result(options.format == "json" ? list_json(series.value())
                                                 : list_text(series.value(), options.summary));
}

Exit export_text(const CampaignOptions& options) {
    if (auto checked = check_output(options.output, options.file); !checked)
        return refuse(checked.error());
    const auto campaign = harness::Campaign::open_existing(options.file);
    if (!campaign) return refuse(campaign.error());
    auto file = ResultFile::open(options.output);
    if (!file) return refuse(file.error());
    const auto format =
        options.format == "json" ? harness::CampaignFormat::Json : harness::CampaignFormat::Csv;
    const auto written = harness::write_campaign(
        *campaign.value(), format, [&](std::string_view text) { file.value().write(text); });
    if (!written) return refuse(written.error());
    const auto kept = file.value().commit();
    return kept ? Exit::Holds : refuse(kept.error());
}

#ifdef WARPBOUND_HAS_ANALYZER
Exit report(const CampaignOptions& options) {
    if (auto checked = check_output(options.output, options.file); !checked)
        return refuse(checked.error());
    const auto campaign = harness::Campaign::open_existing(options.file);
    if (!campaign) return refuse(campaign.error());
    return write_campaign_page(*campaign.value(), options.file, options.output);
}
#endif

void add_import(CLI::App& command, Invocation& invocation) {
    auto options = std::make_shared<ImportOptions>();
    CLI::App* const part = command.add_subcommand(
        "import",
        "Make a campaign from its text or from the file of a profiler, all of it or nothing");
    part->add_option("FILE", options->file,
                     "CSV or JSON of a campaign (- reads standard input); SQLite or GPU trace of "
                     "Nsight Systems, report (.ncu-rep) or CSV of Nsight Compute, CSV of CUPTI "
                     "records, times of trtexec, JSON of nvbench with its files of times")
        ->required();
    part->add_option("-o,--output", options->output, "Campaign to make")->required();
    part->add_option("--listing", options->listing,
                     "File of code with the kernels of a profile: listing, cubin, program");
    part->add_option("--target", options->target,
                     "Target of the code, where the file has several: sm_80");
    part->callback([options, &invocation] {
        invocation.run = [options] { return import_campaign(*options); };
    });
}

void add_merge(CLI::App& command, Invocation& invocation) {
    auto options = std::make_shared<MergeOptions>();
    CLI::App* const part = command.add_subcommand(
        "merge", "Make one campaign of those that the shards of a plan recorded, all of it or "
                 "nothing");
    part->add_option("FILES", options->parts, "Campaigns, no two of which have the same series")
        ->required();
    part->add_option(
        "--plan", options->plan,
        "Plan of `simulate --plan` or `measure --plan`: a series that is missing, incomplete or of "
        "another plan or machine is refused");
    part->add_option("-o,--output", options->output, "Campaign to make")->required();
    part->callback([options, &invocation] {
        invocation.run = [options] { return merge_campaign(*options); };
    });
}

} // namespace

void add_campaign(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand(
        "campaign", "List what a campaign holds; write it as CSV or JSON and read it back");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* purpose, const char* of_file,
                         Exit (*run)(const CampaignOptions&)) {
        auto options = std::make_shared<CampaignOptions>();
        CLI::App* part = command->add_subcommand(name, purpose);
        part->add_option("FILE", options->file, of_file)->required();
        part->callback([options, run, &invocation] {
            invocation.run = [options, run] { return run(*options); };
        });
        return std::pair{part, options.get()};
    };
    const auto [list_part, list_options] = add("list", "List its series", "Campaign", list);
    list_part->add_flag("--summary", list_options->summary,
                        "Read all samples: best, mean, worst, modes and drift of each series");
    add_format(*list_part, list_options->format, {"text", "json"});
    const auto [export_part, export_options] =
        add("export", "Write all of it as text: keys, conditions, runs with seeds and anomalies",
            "Campaign", export_text);
    export_options->format = "csv";
    export_part->add_option("-o,--output", export_options->output,
                            "File to write; standard output otherwise");
    add_format_or_ending(*export_part, export_options->format, {"csv", "json"});
    add_import(*command, invocation);
    add_merge(*command, invocation);
#ifdef WARPBOUND_HAS_ANALYZER
    const auto [report_part, report_options] =
        add("report",
            "Write a report (HTML): plots of every benchmark, convergence, drift and run anomalies",
            "Campaign", report);
    report_part->add_option("-o,--output", report_options->output,
                            "File to write; standard output otherwise");
#endif
    command->footer("Example: warpbound campaign export fermi.db -o fermi.csv\n"
                    "`measure --device recorded:fermi.csv` replays it.");
}

} // namespace warpbound::cli
