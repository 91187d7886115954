/// \file
/// `warpbound application`: predicted time of a whole application, and where it goes.

#include "cli/application/application_answer.hpp"
#include "cli/application/application_sweep.hpp"
#include "cli/application/application_times.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "models/application/application_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace warpbound::cli {

namespace {

using models::application::Application;

constexpr std::size_t most_points = 1000;

Result<models::application::Quantity> read_deadline(const std::string& text) {
    return models::application::Quantity::parse(text, models::application::time_units);
}

struct ApplicationOptions {
    std::string file;
    std::string format = "text";
    std::string output = "-";
    std::string deadline;
    std::vector<std::string> set;
    std::vector<std::string> sweeps;
    std::vector<std::string> devices;
    std::vector<std::string> launches;
    std::int64_t runs = 0;
    std::uint64_t seed = 1;
    double time_limit = 60;
    bool wants_template = false;
};

Result<std::vector<ApplicationAxis>> axes_of(const ApplicationOptions& options,
                                             const Application& application) {
    std::vector<ApplicationAxis> axes;
    using Reader = Result<ApplicationAxis> (*)(const Application&, const std::string&);
    const auto add = [&](const std::vector<std::string>& texts, Reader read) -> Result<void> {
        for (const auto& text : texts) {
            auto axis = read(application, text);
            if (!axis) return axis.as_failure();
            axes.push_back(std::move(axis).value());
        }
        return boost::outcome_v2::success();
    };
    if (auto done = add(options.devices, machine_axis); !done) return done.as_failure();
    if (auto done = add(options.launches, launch_axis); !done) return done.as_failure();
    if (auto done = add(options.sweeps, parameter_axis); !done) return done.as_failure();
    std::size_t points = 1;
    for (const auto& axis : axes) {
        points *= axis.choices.size();
        if (points > most_points)
            return Failure{fmt::format("more than {} combinations of what is varied", most_points),
                           "application"};
    }
    return axes;
}

Result<DrawnTimes> draw_runs(const models::application::Plan& plan,
                             const ApplicationOptions& options) {
    DrawnTimes times;
    double sum = 0;
    for (; times.runs < options.runs && !interrupted(); ++times.runs) {
        const auto run = harness::simulate_application(
            plan, {.draw = harness::TimeDraw::Drawn,
                   .seed = options.seed + static_cast<std::uint64_t>(times.runs)});
        if (!run) return run.as_failure();
        const std::int64_t time = run.value().makespan;
        times.best = times.runs == 0 ? time : std::min(times.best, time);
        times.worst = std::max(times.worst, time);
        sum += static_cast<double>(time);
    }
    if (times.runs > 0) times.mean = sum / static_cast<double>(times.runs);
    return times;
}

Result<ApplicationPoint> point_of(const ApplicationOptions& options, const Application& application,
                                  ApplicationTimesSource& source) {
    auto plan = plan_of(application);
    if (!plan) return plan.as_failure();
    if (const auto done = source.complete(application, plan.value()); !done)
        return done.as_failure();
    const auto simulate = [&](harness::TimeDraw draw) {
        return harness::simulate_application(plan.value(), {.draw = draw, .seed = options.seed});
    };
    const auto lower = simulate(harness::TimeDraw::Lower);
    if (!lower) return lower.as_failure();
    const auto upper = simulate(harness::TimeDraw::Upper);
    if (!upper) return upper.as_failure();
    auto typical = simulate(harness::TimeDraw::Typical);
    if (!typical) return typical.as_failure();
    const auto bounds = analyzer::bound_application(plan.value());
    if (!bounds) return bounds.as_failure();
    std::optional<DrawnTimes> drawn;
    if (options.runs > 0) {
        auto runs = draw_runs(plan.value(), options);
        if (!runs) return runs.as_failure();
        if (runs.value().runs > 0) drawn = runs.value();
    }
    const auto parts = path_parts(plan.value(), typical.value());
    const auto verdict = verdict_on(plan.value(), bounds.value());
    return ApplicationPoint{.choices = {},
                            .plan = std::move(plan).value(),
                            .bounds = bounds.value(),
                            .lower_ends = lower.value().makespan,
                            .upper_ends = upper.value().makespan,
                            .typical = std::move(typical).value(),
                            .drawn = drawn,
                            .on_critical_path = parts,
                            .verdict = verdict};
}

/// What no format shows of points behind the first one.
void leave_out_operations(ApplicationPoint& point) {
    point.plan.operations = {};
    for (auto& rank : point.plan.ranks)
        rank.actions = {};
    point.typical.served = {};
    point.typical.critical_path = {};
}

/// Every combination of the choices, the last axis fastest.
Result<std::vector<ApplicationPoint>> points_of(const ApplicationOptions& options,
                                                const Application& application,
                                                const std::vector<ApplicationAxis>& axes,
                                                ApplicationTimesSource& source) {
    std::vector<std::size_t> at(axes.size(), 0);
    std::vector<ApplicationPoint> points;
    for (bool goes_on = true; goes_on && !interrupted();) {
        Application here = application;
        std::vector<std::pair<std::string, std::string>> choices;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            axes[i].choices[at[i]].apply(here);
            choices.emplace_back(axes[i].name, axes[i].choices[at[i]].value);
        }
        auto point = point_of(options, here, source);
        if (!point) {
            Failure failure = point.error();
            if (failure.where.empty()) failure.where = application.name;
            return failure;
        }
        point.value().choices = std::move(choices);
        if (!points.empty()) leave_out_operations(point.value());
        points.push_back(std::move(point).value());
        goes_on = false;
        for (std::size_t i = axes.size(); i-- > 0 && !goes_on;) {
            at[i] = (at[i] + 1) % axes[i].choices.size();
            goes_on = at[i] != 0;
        }
    }
    if (points.empty()) return Failure{"stopped before the first point", application.name};
    return points;
}

void add_assumptions(ApplicationAnswer& answer, const ApplicationTimesSource& source) {
    answer.assumptions = analyzer::application_assumptions(answer.points.front().plan);
    for (const auto& assumption : source.assumptions()) {
        answer.assumptions.push_back(assumption);
        answer.assumptions.back().id = fmt::format("P{}", answer.assumptions.size());
    }
}

std::string rendered(const ApplicationAnswer& answer, const std::string& format) {
    if (format == "json") return json_of(answer);
    if (format == "csv") return csv_of(answer);
    if (format == "html") return html_of(answer);
    return text_of(answer, is_quiet());
}

Exit exit_of(const ApplicationAnswer& answer) {
    if (answer.is_refuted() || answer.has(models::DeadlineVerdict::Violated)) return Exit::Violated;
    return answer.has(models::DeadlineVerdict::Undecided) ? Exit::Undecided : Exit::Holds;
}

Exit run(const ApplicationOptions& options) {
    if (options.wants_template)
        return write_result(std::string{models::application::application_template()},
                            options.output);
    if (options.file.empty()) {
        say("warpbound: FILE is missing; expected a description of an application (--template "
            "prints one to begin with)\n");
        return Exit::Usage;
    }
    if (const auto checked = check_output(options.output, options.file); !checked)
        return refuse(checked.error());
    const auto text = assembly::read_source(options.file);
    if (!text) return refuse(text.error());
    auto application = models::application::read_application(text.value());
    if (!application) return refuse(application.error());
    for (const auto& assigned : options.set)
        if (const auto done = apply_set(application.value(), assigned); !done)
            return refuse(done.error());
    if (!options.deadline.empty())
        application.value().deadline = read_deadline(options.deadline).value();
    const auto axes = axes_of(options, application.value());
    if (!axes) return refuse(axes.error());
    const StopScope scope = watch_for_interrupt();
    ApplicationTimesSource source{options.time_limit};
    auto points = points_of(options, application.value(), axes.value(), source);
    if (!points) return refuse(points.error());
    ApplicationAnswer answer{.application = std::move(application).value(),
                             .points = std::move(points).value(),
                             .assumptions = {},
                             .seed = options.seed};
    add_assumptions(answer, source);
    const Exit written = write_result(rendered(answer, options.format), options.output);
    if (options.format == "text" && !answer.is_sweep() && options.runs == 0)
        suggest(fmt::format("warpbound application {} --runs 200 -o timeline.html",
                            shell_word(options.file)));
    if (written != Exit::Holds) return written;
    if (interrupted()) {
        say("warpbound: stopped; the result holds what was done until then\n");
        return Exit::Undecided;
    }
    return exit_of(answer);
}

void add_variations(CLI::App& command, ApplicationOptions& options) {
    command.add_option("--set", options.set, "NAME=NUMBER: value of a parameter")
        ->allow_extra_args(false);
    command
        .add_option("--sweep", options.sweeps,
                    "NAME=A,B,.. or NAME=LO:HI[:STEP]: predict at each value of a parameter; if "
                    "given several times, at all combinations")
        ->allow_extra_args(false);
    command
        .add_option("--device", options.devices,
                    "MACHINE,.. or DEVICE=MACHINE,..: descriptions in place of those of the file; "
                    "several are compared")
        ->allow_extra_args(false);
    command
        .add_option("--launch", options.launches,
                    "KERNEL=GxB,..: blocks and threads of a kernel in place of those of the file; "
                    "several are compared")
        ->allow_extra_args(false);
}

} // namespace

void add_application(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ApplicationOptions>();
    CLI::App* command = app.add_subcommand(
        "application", "Predict the time of a whole application: ranks on hosts with devices, "
                       "kernels, copies and messages");
    command->add_option("FILE", options->file,
                        "Description of the application (XML); - reads standard input");
    command->add_flag("--template", options->wants_template,
                      "Print a description to begin with, and do nothing else");
    command
        ->add_option("--deadline", options->deadline,
                     "Time of the application, at most, as 40ms or steps*2ms, in place of that of "
                     "the file: exit code 0 met, 1 violated, 4 undecided")
        ->check([](const std::string& text) {
            const auto read = read_deadline(text);
            return read ? std::string{} : fmt::format("'{}': {}", text, read.error().what);
        });
    add_variations(*command, *options);
    command
        ->add_option("--runs", options->runs,
                     "Simulated runs that draw every time from its range, in addition to those "
                     "with all times at one end")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
    command->add_option("--seed", options->seed, "Seed of the first drawn run")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    command
        ->add_option("--time-limit", options->time_limit,
                     "Seconds for the analysis of a kernel; the best bound so far is then used")
        ->check(refusal_of_number)
        ->capture_default_str();
    command
        ->add_option("-o,--output", options->output,
                     "File of the result; its ending chooses the format; - is standard output")
        ->capture_default_str();
    add_format_or_ending(*command, options->format, {"text", "json", "csv", "html"});
    command->footer("Example: warpbound application examples/application/saxpy2.xml --sweep "
                    "a=1,32,128");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
