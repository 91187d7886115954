/// \file
/// `warpbound campaign`: lists a campaign, exports it as text, imports it, and reports on it.

#include "assembly/isa/kernel_names.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/campaign_page.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/next_step.hpp"
#include "cli/simulated_plan.hpp"
#include "cli/summary_text.hpp"
#include "harness/campaign/exchange.hpp"
#include "harness/campaign/merge.hpp"
#include "harness/profiles/read_profile.hpp"
#include "harness/profiles/record_profile.hpp"
#include "harness/protocol/run_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace warpbound::cli {

namespace {

struct CampaignOptions {
    std::string file;
    std::string output;
    std::string format = "text";
    bool summary = false;
    std::string listing; ///< Whose kernels a profile is of; empty: none is stated.
    std::string target;
    std::vector<std::string> parts; ///< Campaigns to merge.
    std::string plan;               ///< What the merged campaign has; empty: what the parts have.
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

/// A pipe can be read once only and is read as a whole.
Result<harness::trace::TraceBytes> text_of(const std::string& file) {
    std::error_code unknown;
    const bool pieces = std::filesystem::is_regular_file(file, unknown);
    if (file != "-" && pieces) return harness::trace::TraceBytes::open(file);
    auto source = assembly::read_source(file);
    if (!source) return source.as_failure();
    return harness::trace::TraceBytes{std::move(source).value()};
}

/// A temporary name in the folder of the output that no other process uses.
std::string import_file_name(const std::string& output) {
    return fmt::format("{}.partial-{}", output, getpid());
}

/// Renames the finished campaign; does not replace a file created meanwhile.
Result<void> rename_import(const std::string& made, const std::string& output) {
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, output.c_str(), RENAME_NOREPLACE) == 0)
        return boost::outcome_v2::success();
    std::error_code failed{errno, std::generic_category()};
    if (failed == std::errc::invalid_argument) // File systems that cannot do that have links.
        std::filesystem::create_hard_link(made, output, failed);
    if (failed == std::errc::file_exists)
        return Failure{"exists; a campaign is imported into a new file", output};
    if (failed)
        return Failure{fmt::format("cannot be given its name: {}", failed.message()), output};
    return boost::outcome_v2::success();
}

/// A new file, not one that a link of this name leads to.
Result<std::unique_ptr<harness::Campaign>> make_campaign(const std::string& file_name,
                                                         const std::string& output) {
    const int made = ::open(file_name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made < 0)
        return Failure{fmt::format("cannot be made: {}", std::generic_category().message(errno)),
                       output};
    ::close(made);
    return harness::Campaign::open(file_name);
}

/// Finds the kernels of a profile in a file of code, by symbol or by the name that it stands for.
class ProfiledCode {
public:
    static Result<ProfiledCode> open(const CampaignOptions& options) {
        auto file = open_kernel_file(options.listing, options.target);
        if (!file) return file.as_failure();
        return ProfiledCode{std::move(file).value()};
    }
    /// Empty: the file has no such kernel, or it cannot be read.
    std::string digest_of(const harness::profiles::ProfiledSeries& series) {
        if (series.launch.empty()) return {}; // A copy or a phase.
        ++kernels_;
        const auto index = place_of(series);
        if (!index) return {};
        const auto code = file_.read(*index);
        if (!code) return {};
        ++matched_;
        return code.value().program->digest;
    }
    [[nodiscard]] std::string summary() const {
        return fmt::format("{} of {} kernels with a launch are in it", matched_, kernels_);
    }

private:
    explicit ProfiledCode(harness::toolchain::KernelFile file) : file_{std::move(file)} {}

    static std::string without_blanks(std::string name) {
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        return name;
    }
    /// The only kernel of this symbol or, where none is recorded, of this demangled name.
    [[nodiscard]] std::optional<std::size_t>
    place_of(const harness::profiles::ProfiledSeries& series) const {
        std::optional<std::size_t> place;
        for (std::size_t i = 0; i < file_.kernels().size(); ++i) {
            const std::string& symbol = file_.kernels()[i].name;
            const bool is_same =
                !series.mangled.empty()
                    ? symbol == series.mangled
                    : symbol == series.name || without_blanks(assembly::demangled(symbol)) ==
                                                   without_blanks(series.name);
            if (is_same && place) return std::nullopt;
            if (is_same) place = i;
        }
        return place;
    }

    harness::toolchain::KernelFile file_;
    int kernels_ = 0;
    int matched_ = 0;
};

Result<void> import_profile(harness::profiles::ProfileFormat format, const std::string& file_name,
                            const CampaignOptions& options) {
    const auto profile = harness::profiles::read_profile(options.file, format);
    if (!profile) return profile.as_failure();
    std::optional<ProfiledCode> code;
    if (!options.listing.empty()) {
        auto opened = ProfiledCode::open(options);
        if (!opened) return opened.as_failure();
        code.emplace(std::move(opened).value());
    }
    const auto campaign = make_campaign(file_name, options.output);
    if (!campaign) return campaign.as_failure();
    harness::profiles::KernelDigest digest;
    if (code) digest = [&](const auto& series) { return code->digest_of(series); };
    auto recorded = harness::profiles::record_profile(profile.value(), *campaign.value(), digest);
    if (!recorded) return recorded;
    note("{}: {} series\n", profile.value().profiler, profile.value().series.size());
    for (const auto& left : profile.value().left_out)
        note("left out: {}\n", left);
    if (code) note("{}: {}\n", options.listing, code->summary());
    return recorded;
}

Result<void> import_into(const std::string& file_name, const CampaignOptions& options) {
    if (const auto format = harness::profiles::format_of(options.file))
        return import_profile(*format, file_name, options);
    if (!options.listing.empty())
        return Failure{"is no file of a profiler; --listing is of the kernels of a profile",
                       options.file};
    const auto text = text_of(options.file);
    if (!text) return text.as_failure();
    const auto campaign = make_campaign(file_name, options.output);
    if (!campaign) return campaign.as_failure();
    return harness::import_campaign(text.value(), *campaign.value(), interrupted, [&] {
        note("warpbound: {}: no digests: this text is of an earlier version; its samples are "
             "not checked\n",
             options.file);
    });
}

Result<void> merge_into(const std::string& file_name, const CampaignOptions& options) {
    std::vector<harness::CampaignPart> parts;
    for (const std::string& file : options.parts) {
        auto campaign = harness::Campaign::open_existing(file);
        if (!campaign) return campaign.as_failure();
        parts.push_back({file, std::move(campaign).value()});
    }
    const auto expected =
        options.plan.empty() ? harness::series_of(parts) : series_of_plan(options.plan);
    if (!expected) return expected.as_failure();
    const auto merged = make_campaign(file_name, options.output);
    if (!merged) return merged.as_failure();
    auto done = harness::merge_campaigns(parts, expected.value(), *merged.value(), interrupted);
    if (done)
        note("{} parts: {} series{}\n", parts.size(), expected.value().size(),
             options.plan.empty() ? "; without --plan nothing shows whether one is missing" : "");
    return done;
}

/// A new campaign: whole or not there.
Exit make_new(const CampaignOptions& options,
              Result<void> (*make)(const std::string&, const CampaignOptions&)) {
    const StopScope scope = watch_for_interrupt();
    std::error_code ignored;
    if (std::filesystem::exists(options.output, ignored))
        return refuse(Failure{"exists; expected the name of a new file", options.output});
    const std::string file_name = import_file_name(options.output);
    auto imported = make(file_name, options);
    if (imported) imported = rename_import(file_name, options.output);
    std::filesystem::remove(file_name, ignored);
    if (imported) {
        suggest(fmt::format("warpbound campaign list {} --summary", shell_word(options.output)));
        return Exit::Holds;
    }
    const Exit refused = refuse(imported.error());
    return interrupted() ? Exit::Undecided : refused;
}

Exit import_text(const CampaignOptions& options) {
    return make_new(options, import_into);
}
Exit merge(const CampaignOptions& options) {
    return make_new(options, merge_into);
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

void add_merge(CLI::App& command, Invocation& invocation) {
    auto options = std::make_shared<CampaignOptions>();
    CLI::App* const part = command.add_subcommand(
        "merge", "Make one campaign of those that the shards of a plan recorded, all of it or "
                 "nothing");
    part->add_option("FILES", options->parts, "Campaigns, no two of which have the same series")
        ->required();
    part->add_option("--plan", options->plan,
                     "Plan of `simulate --plan`: a series that is missing, incomplete or of "
                     "another plan or machine is refused");
    part->add_option("-o,--output", options->output, "Campaign to make")->required();
    part->callback(
        [options, &invocation] { invocation.run = [options] { return merge(*options); }; });
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
    add_format(*export_part, export_options->format, {"csv", "json"});
    export_part->add_option("-o,--output", export_options->output,
                            "File to write; standard output otherwise");
    const auto [import_part, import_options] =
        add("import",
            "Make a campaign from its text or from the file of a profiler, all of it or nothing",
            "CSV or JSON of a campaign (- reads standard input); SQLite or GPU trace of Nsight "
            "Systems, CSV of Nsight Compute or of CUPTI records, times of trtexec, JSON of "
            "nvbench with its files of times",
            import_text);
    import_part->add_option("-o,--output", import_options->output, "Campaign to make")->required();
    import_part->add_option("--listing", import_options->listing,
                            "File of code with the kernels of a profile: listing, cubin, program");
    import_part->add_option("--target", import_options->target,
                            "Target of the code, where the file has several: sm_80");
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
