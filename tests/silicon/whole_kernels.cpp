/// \file
/// Whole kernels against times measured on cards: bounds, simulated times and published models.
/// Prints tables in Markdown, and with `--summary` a line on each machine to a file; with
/// `--bounds` it compares bounds only. Fails when a measured time lies outside its bounds and no
/// reason is stated.

#include "models/architecture/value_path.hpp"
#include "models/launch/launch.hpp"
#include "tests/silicon/csv.hpp"
#include "tests/silicon/errors.hpp"
#include "tests/silicon/launch_trial.hpp"
#include "tests/support/median.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace {

using namespace warpbound;
using namespace warpbound::silicon;

/// A measured launch and what is compared with it. `Unit:` milliseconds, but for models.
struct Comparison {
    Record row;
    double measured = 0;
    double lower = 0;
    double upper = 0;
    std::optional<double> simulated; ///< None: the launch is too long.
    bool sampled = false;            ///< Its first waves were simulated: an estimate.
    std::string story;
    std::map<std::string, double> models;

    [[nodiscard]] bool is_inside() const { return lower <= measured && measured <= upper; }
    [[nodiscard]] std::string size() const {
        return row.at("iterations").empty() ? row.at("n")
                                            : row.at("n") + " x " + row.at("iterations");
    }
};

Result<MeasuredCard> card_of(const Record& row, const std::filesystem::path& descriptions) {
    MeasuredCard card;
    card.name = row.at("device");
    auto loaded = models::load_architecture((descriptions / (row.at("machine") + ".xml")).string());
    if (!loaded) return loaded.as_failure();
    card.machine = std::move(loaded).value();
    std::istringstream assumed{row.at("assume")};
    for (std::string value; assumed >> value;) {
        const std::size_t equals = value.find('=');
        const auto number = number_of(value.substr(equals + 1));
        if (!number) return Failure{value + ": expected PATH=NUMBER", "", 0, 0};
        auto done = models::override_value(card.machine, value.substr(0, equals),
                                           static_cast<std::int64_t>(*number));
        if (!done) return done.as_failure();
        card.assumes = true;
    }
    card.kilohertz = number_of(row.at("kilohertz")).value();
    card.period = number_of(row.at("period")).value();
    const auto& clock = card.machine.geometry.find("core-clock")->interval;
    const auto end = [&](const char* column, std::int64_t models::Interval::*of) {
        const double own = clock ? static_cast<double>((*clock).*of) : card.kilohertz;
        return number_of(row.at(column)).value_or(own);
    };
    card.slowest = std::min(end("slowest", &models::Interval::lo), card.kilohertz);
    card.fastest = end("fastest", &models::Interval::hi);
    if (row.at("code").empty()) return card;
    const auto turing =
        models::load_architecture((descriptions / (row.at("code") + ".xml")).string());
    if (!turing) return turing.as_failure();
    // It executes code of sm_75, which adds uniform instructions to the same encoding.
    card.machine.target = turing.value().target;
    if (!card.machine.unit_index("uniform"))
        card.machine.units.push_back(models::Unit{"uniform", models::UnitScope::Partition});
    card.machine.classes[assembly::OpcodeClass::Uniform] =
        turing.value().classes.at(assembly::OpcodeClass::Uniform);
    return card;
}

/// Estimate: launches back to back take at least the period of empty kernels, and lose up to one
/// period, half of it in the middle, between two kernels.
double with_launch(double milliseconds, const MeasuredCard& card) {
    constexpr double per_millisecond = 1000;
    return std::max(card.period, milliseconds * per_millisecond + card.period / 2) /
           per_millisecond;
}

std::string replaced(std::string text, std::string_view symbol, const std::string& number) {
    for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol))
        text.replace(at, symbol.size(), number);
    return text;
}

/// `row` of whole_kernels.csv, `kernel` of kernels.csv.
TrialInput input_of(const Record& row, const Record& kernel, const MeasuredCard& card,
                    const std::filesystem::path& tables) {
    TrialInput input;
    input.file =
        tables / replaced(kernel.at("listing"), "{t}", assembly::to_string(card.machine.target));
    if (!kernel.at("facts").empty()) input.facts = tables / kernel.at("facts");
    input.arguments = kernel.at("arguments");
    for (const auto& [symbol, column] : std::initializer_list<std::pair<const char*, const char*>>{
             {"{n}", "n"}, {"{w}", "width"}, {"{i}", "iterations"}, {"{b}", "blocks"}})
        input.arguments = replaced(input.arguments, symbol, row.at(column));
    input.constants = kernel.at("constants");
    const auto block = models::parse_block_shape(kernel.at("block")).value();
    input.launch =
        fmt::format("{}x{},registers={}{}{},block={},grid={}", row.at("blocks"), block.count(),
                    kernel.at("registers"),
                    kernel.at("shared").empty() ? "" : ",shared-memory=", kernel.at("shared"),
                    kernel.at("block"), row.at(row.at("grid").empty() ? "blocks" : "grid"));
    return input;
}

/// What models need of a kernel that is not simulated: miss rates as stated, each basic block once.
SimulatedLaunch stated_run(const Record& kernel) {
    SimulatedLaunch run;
    std::istringstream{kernel.at("misses")} >> run.l1_miss_rate >> run.l2_miss_rate;
    run.transaction_bytes = 128;
    return run;
}

Result<Comparison> compare(const Record& row, const Record& kernel, const MeasuredCard& card,
                           const std::filesystem::path& tables, bool only_bounds) {
    Comparison result;
    result.row = row;
    result.measured = number_of(row.at("milliseconds")).value();
    const auto trial = LaunchTrial::load(input_of(row, kernel, card, tables), card);
    if (!trial) return trial.as_failure();
    // Runs are independent of each other; nothing promises that of two analyses.
    static std::mutex one_analysis;
    const auto bounds = [&] {
        const std::lock_guard guard{one_analysis};
        return trial.value()->bounds();
    }();
    if (!bounds) return bounds.as_failure();
    result.lower = static_cast<double>(bounds.value().lower().count()) / card.fastest;
    result.upper = static_cast<double>(bounds.value().upper().count()) / card.slowest;
    if (only_bounds || row.at("simulated") == "long") return result;
    const auto time = [&](double cycles) { return with_launch(cycles / card.kilohertz, card); };
    if (row.at("simulated") == "stated") {
        for (const auto& [model, cycles] : trial.value()->predict(stated_run(kernel)))
            result.models.emplace(model, time(cycles));
        return result;
    }
    result.sampled = row.at("simulated") == "sample";
    const auto simulated = result.sampled ? trial.value()->sample() : trial.value()->simulate();
    if (!simulated) return simulated.as_failure();
    result.simulated = time(static_cast<double>(simulated.value().cycles));
    std::vector<std::string> shares;
    for (const auto& [name, share] : simulated.value().shares)
        if (shares.size() < 3) shares.push_back(fmt::format("{} {:.0f} %", name, 100 * share));
    result.story = fmt::format("{}", fmt::join(shares, ", "));
    for (const auto& [model, cycles] : trial.value()->predict(simulated.value()))
        result.models.emplace(model, time(cycles));
    std::fprintf(stderr, "%s %s %s: %.2f us measured, %.2f simulated\n", card.name.c_str(),
                 row.at("kernel").c_str(), result.size().c_str(), 1000 * result.measured,
                 1000 * *result.simulated);
    return result;
}

/// A comparison to make.
struct Task {
    const Record* row = nullptr;
    const Record* kernel = nullptr;
    std::optional<Result<Comparison>> result;
};

/// One thread for each processor takes the next task.
void compare_all(std::vector<Task>& tasks, const MeasuredCard& card,
                 const std::filesystem::path& tables, bool only_bounds) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t at = next++; at < tasks.size(); at = next++)
            tasks[at].result =
                compare(*tasks[at].row, *tasks[at].kernel, card, tables, only_bounds);
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back(work);
    for (std::thread& worker : workers)
        worker.join();
}

/// Returns the card's row of the summary; none where values are assumed that no description has.
std::string print_card(const MeasuredCard& card,
                       const std::vector<const Comparison*>& comparisons) {
    fmt::print(
        "\n### {}\n\n| kernel | elements | measured, us | simulated | error | lower | upper | "
        "inside | upper / measured | busiest in the simulated run |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        card.name);
    std::map<std::string, TimePairs> pairs;
    std::vector<double> ratios;
    std::size_t inside = 0;
    for (const Comparison* one : comparisons) {
        const std::string simulated =
            one->simulated
                ? fmt::format("{}{:.2f} | {:+.1f} %", one->sampled ? "~" : "",
                              1000 * *one->simulated, 100 * (*one->simulated / one->measured - 1))
                : "- | -";
        fmt::print("| {} | {} | {:.2f} | {} | {:.2f} | {:.1f} | {} | {:.1f} | {} |\n",
                   one->row.at("kernel"), one->size(), 1000 * one->measured, simulated,
                   1000 * one->lower, 1000 * one->upper, one->is_inside() ? "yes" : "no",
                   one->upper / one->measured, one->story);
        ratios.push_back(one->upper / one->measured);
        if (one->is_inside()) ++inside;
        if (one->simulated) pairs["simulator"].emplace_back(one->measured, *one->simulated);
        for (const auto& [model, time] : one->models)
            pairs[model].emplace_back(one->measured, time);
    }
    fmt::print(
        "\n{} of {} measured times lie inside their bounds; upper over measured {:.2f} in the "
        "median, {:.1f} at most.\n\n| estimate | launches | MAPE | median | bias | Kendall tau "
        "|\n|---|---|---|---|---|---|\n",
        inside, comparisons.size(), tests::interpolated_median_of(ratios),
        *std::ranges::max_element(ratios));
    if (!pairs["simulator"].empty()) fmt::print("{}", error_row("simulator", pairs["simulator"]));
    for (const auto& [model, of_model] : pairs)
        if (model != "simulator") fmt::print("{}", error_row(model, of_model));
    if (card.assumes) return {};
    return summary_row(card.machine.name, "whole-kernels", comparisons.size(), inside,
                       pairs["simulator"]);
}

int run(const std::filesystem::path& tables, const std::filesystem::path& descriptions,
        const std::filesystem::path& measured, bool only_bounds, const std::string& summary) {
    const auto fail = [](const Failure& failure) {
        std::fprintf(stderr, "%s\n", to_string(failure).c_str());
        return 2;
    };
    const auto rows = read_table(measured, {"device", "kernel", "n", "width", "iterations",
                                            "blocks", "grid", "milliseconds", "simulated"});
    const auto kernels = read_table(tables / "kernels/kernels.csv",
                                    {"kernel", "listing", "registers", "shared", "block",
                                     "arguments", "constants", "facts", "misses"});
    const auto devices =
        read_table(tables / "whole_devices.csv", {"device", "machine", "code", "assume",
                                                  "kilohertz", "slowest", "fastest", "period"});
    const auto exceptions = read_table(tables / "whole_exceptions.csv",
                                       {"device", "kernel", "n", "iterations", "reason"});
    for (const auto* table : {&rows, &kernels, &devices, &exceptions})
        if (!*table) return fail(table->error());
    std::set<std::string> explained;
    const auto key = [](const Record& row) {
        return fmt::format("{},{},{},{}", row.at("device"), row.at("kernel"), row.at("n"),
                           row.at("iterations"));
    };
    for (const Record& exception : exceptions.value())
        explained.insert(key(exception));
    int outside = 0;
    std::string rows_of_summary;
    for (const Record& device : devices.value()) {
        const auto card = card_of(device, descriptions);
        if (!card) return fail(card.error());
        std::vector<Task> tasks;
        for (const Record& row : rows.value()) {
            if (row.at("device") != card.value().name) continue;
            const auto kernel =
                std::ranges::find(kernels.value(), row.at("kernel"),
                                  [](const Record& one) { return one.at("kernel"); });
            if (kernel == kernels.value().end())
                return fail(Failure{row.at("kernel") + " is not among the kernels", "", 0, 0});
            tasks.push_back({&row, &*kernel, std::nullopt});
        }
        compare_all(tasks, card.value(), tables, only_bounds);
        std::vector<const Comparison*> all;
        for (const Task& task : tasks) {
            if (!*task.result) return fail(task.result->error());
            const Comparison& one = task.result->value();
            all.push_back(&one);
            if (one.is_inside() || explained.contains(key(*task.row))) continue;
            ++outside;
            std::fprintf(stderr, "%s: %.4f ms measured lie outside %.4f .. %.4f\n",
                         key(*task.row).c_str(), one.measured, one.lower, one.upper);
        }
        if (!all.empty() && !only_bounds) rows_of_summary += print_card(card.value(), all);
    }
    if (!summary.empty() && !(std::ofstream{summary} << rows_of_summary).flush())
        return fail(Failure{"cannot be written", summary, 0, 0});
    return outside == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    bool only_bounds = false;
    std::string summary;
    if (!arguments.empty() && arguments.front() == "--bounds") {
        only_bounds = true;
        arguments.erase(arguments.begin());
    } else if (arguments.size() > 1 && arguments.front() == "--summary") {
        summary = arguments[1];
        arguments.erase(arguments.begin(), arguments.begin() + 2);
    }
    if (arguments.size() != 3) {
        std::fprintf(stderr, "usage: whole_kernels [--bounds | --summary FILE] TABLES DESCRIPTIONS "
                             "MEASURED.csv\n");
        return 2;
    }
    return run(arguments[0], arguments[1], arguments[2], only_bounds, summary);
}
