#include "cli/campaign/made_campaign.hpp"

#include "assembly/isa/kernel_names.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/measurement/measured_plan.hpp"
#include "cli/output/next_step.hpp"
#include "cli/simulation/simulated_plan.hpp"
#include "harness/campaign/exchange.hpp"
#include "harness/campaign/merge.hpp"
#include "harness/profiles/read_profile.hpp"
#include "harness/profiles/record_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace warpbound::cli {

namespace {

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
std::string partial_name(const std::string& output) {
    return fmt::format("{}.partial-{}", output, getpid());
}

/// Renames the finished campaign; does not replace a file created meanwhile.
Result<void> give_name(const std::string& made, const std::string& output) {
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
    static Result<ProfiledCode> open(const ImportOptions& options) {
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
                            const ImportOptions& options) {
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

Result<void> import_into(const std::string& file_name, const ImportOptions& options) {
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

Result<void> merge_into(const std::string& file_name, const MergeOptions& options) {
    std::vector<harness::CampaignPart> parts;
    for (const std::string& file : options.parts) {
        auto campaign = harness::Campaign::open_existing(file);
        if (!campaign) return campaign.as_failure();
        parts.push_back({file, std::move(campaign).value()});
    }
    const auto expected = options.plan.empty() ? harness::series_of(parts)
                          : is_measurement_plan(options.plan)
                              ? series_of_measurement_plan(options.plan, parts)
                              : series_of_plan(options.plan);
    if (!expected) return expected.as_failure();
    const auto merged = make_campaign(file_name, options.output);
    if (!merged) return merged.as_failure();
    auto done = harness::merge_campaigns(parts, expected.value(), *merged.value(), interrupted);
    if (done)
        note("{} {}: {} series{}\n", parts.size(), parts.size() == 1 ? "part" : "parts",
             expected.value().size(),
             options.plan.empty() ? "; without --plan nothing shows whether one is missing" : "");
    return done;
}

/// A new campaign of this name: whole or not there.
Exit make_new(const std::string& output,
              const std::function<Result<void>(const std::string&)>& make) {
    const StopScope scope = watch_for_interrupt();
    std::error_code ignored;
    if (std::filesystem::exists(output, ignored))
        return refuse(Failure{"exists; expected the name of a new file", output});
    const std::string file_name = partial_name(output);
    auto made = make(file_name);
    if (made) made = give_name(file_name, output);
    std::filesystem::remove(file_name, ignored);
    if (made) {
        suggest(fmt::format("warpbound campaign list {} --summary", shell_word(output)));
        return Exit::Holds;
    }
    const Exit refused = refuse(made.error());
    return interrupted() ? Exit::Undecided : refused;
}

} // namespace

Exit import_campaign(const ImportOptions& options) {
    return make_new(options.output,
                    [&](const std::string& file_name) { return import_into(file_name, options); });
}

Exit merge_campaign(const MergeOptions& options) {
    return make_new(options.output,
                    [&](const std::string& file_name) { return merge_into(file_name, options); });
}

} // namespace warpbound::cli
