/// \file
/// Compares every model with the simulated device and prints tables in Markdown; plots go into the
/// folder that is named. Run through scripts/accuracy.sh.

#include "certification/page/plot.hpp"
#include "models/formulas/gpudiag.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/voudouris_parameters.hpp"
#include "tests/accuracy/kernels.hpp"
#include "tests/accuracy/machines.hpp"
#include "tests/accuracy/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace {

using namespace warpbound;
using models::prediction::Model;
using tests::AccuracyKernel;
using tests::launch_of;
using tests::Stress;
using tests::value_of;

constexpr std::uint64_t runs = 3; // Of each point: only the arbitration phase differs.

/// A model under one policy of the simulated device.
struct Subject {
    std::string name;
    Model model;
    std::string policy;
    const char* published;
    bool counts_units = true;
};

const std::vector<Subject> subjects{
    {"gpumech with units, lrr", Model::GpuMech, "lrr", "-"},
    {"gpumech with units, gto", Model::GpuMech, "gto", "-"},
    {"gpumech as published, lrr", Model::GpuMech, "lrr", "13.2 %", false},
    {"gpumech as published, gto", Model::GpuMech, "gto", "14.0 %", false},
    {"gpudiag, lrr", Model::GpuDiag, "lrr", "-"},
    {"volkov, lrr", Model::Volkov, "lrr", "5.4 % (occupancy), 32.8 % (memory)"},
    {"mwp-cwp, lrr", Model::MwpCwp, "lrr", "5.4 to 13.3 %"},
    {"voudouris, lrr", Model::Voudouris, "lrr", "2.9 % (one kernel)"},
    {"bsp, lrr", Model::Bsp, "lrr", "10 % (calibrated)"},
};

/// One comparison.
struct Point {
    const AccuracyKernel* kernel = nullptr;
    std::int64_t warps = 0;
    double observed = 0;
    double predicted = 0;

    [[nodiscard]] double error() const { return predicted / observed - 1; }
};

/// A kernel ready for both sides: the machine, and one path that all warps follow.
class Bench {
public:
    Bench(const AccuracyKernel& kernel, const models::Architecture& machine)
        : kernel_{kernel}, machine_{machine} {
        const auto prepared = tests::prepare(kernel, machine, {1, 32}, "lrr");
        value_of(
            prepared->run({.seed = 1, .draw = harness::Draw::Uniform, .path = {}},
                          [&](const harness::simulator::Event& event) {
                              const auto* issued = std::get_if<harness::simulator::Issued>(&event);
                              if (issued != nullptr &&
                                  issued->instruction == kernel.graph.blocks[issued->block].first)
                                  path_.push_back(issued->block);
                          }),
            kernel.name);
        profile_.name = kernel.name;
        profile_.steps = value_of(
            models::steps_along(*kernel.function, kernel.graph, path_, kernel.facts), kernel.name);
        profile_.counts = models::counts_of(profile_.steps);
    }

    /// Mean execution time. Unit: core cycles.
    [[nodiscard]] double observe(const models::Launch& launch, const std::string& policy) const {
        const auto prepared = tests::prepare(kernel_, machine_, launch, policy);
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= runs; ++seed)
            sum += static_cast<double>(
                value_of(
                    prepared->run({.seed = seed, .draw = harness::Draw::AllHigh, .path = path_}),
                    kernel_.name)
                    .execution_time.count());
        return sum / static_cast<double>(runs);
    }

    /// Nothing when the model refuses; the reason is kept.
    std::optional<double> predict(Model model, const models::Launch& launch,
                                  const std::string& policy, std::optional<double> lambda,
                                  std::set<std::string>& refusals, bool counts_units = true) const {
        models::prediction::Setting setting{.architecture = machine_, .launch = launch};
        if (policy == "gto") setting.policy = models::gpumech::Policy::GreedyThenOldest;
        setting.voudouris = costs_;
        setting.counts_units = counts_units;
        std::vector<std::pair<const char*, double>> stated{
            {"registers", 16}, {"shared-memory", 0}, {"bsp-lambda", lambda.value_or(1)}};
        // Otherwise the described caches say it.
        if (!kernel_.is_cached())
            stated.insert(stated.end(), {{"miss-registers", 1 << 30}, {"line-bytes", 128}});
        for (const auto& [name, value] : stated)
            value_of(setting.stated.set(name, value), name);
        const auto answer = models::prediction::predict(model, profile_, setting,
                                                        models::prediction::Variant::Typical);
        if (answer.refused()) {
            refusals.insert(answer.why());
            return std::nullopt;
        }
        return answer.time->value();
    }

    void set_costs(Result<models::voudouris::Parameters> costs) { costs_ = std::move(costs); }
    [[nodiscard]] const models::Architecture& machine() const { return machine_; }

private:
    const AccuracyKernel& kernel_;
    const models::Architecture& machine_;
    std::vector<std::size_t> path_;
    models::NamedProfile profile_;
    Result<models::voudouris::Parameters> costs_ = models::voudouris::table_7;
};

struct Summary {
    std::size_t points = 0;
    double mean = 0; ///< Of the absolute relative errors.
    double worst = 0;
    double bias = 0; ///< Mean of the signed errors.
    double correlation = 0;
};

double correlation_of(const std::vector<std::pair<double, double>>& pairs) {
    const auto count = static_cast<double>(pairs.size());
    double x = 0;
    double y = 0;
    for (const auto& [a, b] : pairs) {
        x += a / count;
        y += b / count;
    }
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (const auto& [a, b] : pairs) {
        xy += (a - x) * (b - y);
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
    }
    return xx == 0 || yy == 0 ? std::nan("") : xy / std::sqrt(xx * yy);
}

Summary summary_of(const std::vector<Point>& points) {
    Summary found{.points = points.size()};
    std::vector<std::pair<double, double>> pairs;
    for (const auto& point : points) {
        const auto count = static_cast<double>(points.size());
        found.mean += std::abs(point.error()) / count;
        found.bias += point.error() / count;
        found.worst = std::max(found.worst, std::abs(point.error()));
        pairs.emplace_back(std::log(point.predicted), std::log(point.observed));
    }
    found.correlation = correlation_of(pairs);
    return found;
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

template <typename Choose> std::vector<Point> chosen(const std::vector<Point>& points, Choose is) {
    std::vector<Point> some;
    std::copy_if(points.begin(), points.end(), std::back_inserter(some), is);
    return some;
}

void print_tables(const std::map<std::string, std::vector<Point>>& results) {
    fmt::print("| model, policy | points | mean error | worst | bias | r (log) | published |\n"
               "|---|---|---|---|---|---|---|\n");
    for (const auto& subject : subjects) {
        const Summary all = summary_of(results.at(subject.name));
        fmt::print("| {} | {} | {} | {} | {:+.1f} % | {:.4f} | {} |\n", subject.name, all.points,
                   percent(all.mean), percent(all.worst), 100 * all.bias, all.correlation,
                   subject.published);
    }
    fmt::print("\nMean error by what a kernel stresses:\n\n| model, policy |");
    for (const auto stress : tests::all_stresses)
        fmt::print(" {} |", to_string(stress));
    fmt::print("\n|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& subject : subjects) {
        fmt::print("| {} |", subject.name);
        for (const auto stress : tests::all_stresses) {
            const auto some = chosen(results.at(subject.name), [stress](const Point& point) {
                return point.kernel->stress == stress;
            });
            fmt::print(" {} |", some.empty() ? "-" : percent(summary_of(some).mean));
        }
        fmt::print("\n");
    }
    fmt::print("\nMean error by resident warps:\n\n| model, policy | 1 | 2 | 4 | 8 | 16 | 32 | 48 "
               "|\n|---|---|---|---|---|---|---|---|\n");
    for (const auto& subject : subjects) {
        fmt::print("| {} |", subject.name);
        for (const std::int64_t warps : tests::compared_warps) {
            const auto some = chosen(results.at(subject.name),
                                     [warps](const Point& point) { return point.warps == warps; });
            fmt::print(" {} |", some.empty() ? "-" : percent(summary_of(some).mean));
        }
        fmt::print("\n");
    }
    fmt::print("\nLargest errors of GPUMech:\n\n| policy | kernel | warps | observed | predicted | "
               "error |\n|---|---|---|---|---|---|\n");
    for (const std::string name : {"gpumech with units, lrr", "gpumech with units, gto"}) {
        auto points = results.at(name);
        std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
            return std::abs(a.error()) > std::abs(b.error());
        });
        for (std::size_t i = 0; i < std::min<std::size_t>(6, points.size()); ++i)
            fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {:+.0f} % |\n",
                       name.substr(name.size() - 3), points[i].kernel->name, points[i].warps,
                       points[i].observed, points[i].predicted, 100 * points[i].error());
    }
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::FILE* out = std::fopen(path.string().c_str(), "wb");
    if (out == nullptr || std::fwrite(text.data(), 1, text.size(), out) != text.size() ||
        std::fclose(out) != 0)
        throw std::runtime_error{path.string() + " could not be written"};
}

void write_plot(const std::filesystem::path& folder, const Subject& subject,
                const std::vector<Point>& points) {
    std::vector<certification::PlotSeries> series;
    for (const auto stress : tests::all_stresses) {
        certification::PlotSeries one{
            .name = std::string{to_string(stress)}, .points = {}, .colour = series.size()};
        for (const auto& point : points)
            if (point.kernel->stress == stress)
                one.points.emplace_back(point.observed, point.predicted);
        if (!one.points.empty()) series.push_back(std::move(one));
    }
    const auto text = certification::scatter_plot(
        {.title = subject.name + ": predicted against simulated time",
         .description = "One dot for each kernel and number of warps; on the dashed line both "
                        "agree.",
         .x = "simulated, core cycles",
         .y = "predicted, core cycles"},
        series);
    const std::string file = fmt::format("{}{}-{}.svg", to_string(subject.model),
                                         subject.counts_units ? "" : "-published", subject.policy);
    write_file(folder / file, text);
}

/// T(g, b) of GPUDIAG over T(1, 1): with fu by eq. 3.6, and with fu measured in single waves.
void print_waves(const std::vector<std::unique_ptr<AccuracyKernel>>& kernels,
                 const std::map<std::string, models::Architecture>& machines) {
    std::vector<std::pair<double, double>> computed;
    std::vector<std::pair<double, double>> from_measured;
    std::set<std::string> refusals;
    double lowest = 1;
    std::string lowest_name;
    std::size_t count = 0;
    for (const auto& kernel : kernels) {
        if (kernel->stress == Stress::Compiled || kernel->is_cached()) continue;
        ++count;
        const auto& machine = machines.at(kernel->architecture);
        const Bench bench{*kernel, machine};
        const double one = bench.observe({1, 32}, "lrr");
        const auto one_predicted = bench.predict(Model::GpuDiag, {1, 32}, "lrr", {}, refusals);
        std::vector<std::pair<double, double>> own;
        for (const std::int64_t b : {4, 8}) {
            const std::int64_t slots =
                kernel->architecture == "fermi-gtx470" ? (b == 4 ? 8 : 6) : 32 / b;
            std::vector<double> fu(static_cast<std::size_t>(b * slots + 1), 1.0);
            fu[0] = 0;
            for (std::int64_t blocks = 1; blocks <= slots; ++blocks)
                fu[static_cast<std::size_t>(b * blocks)] =
                    bench.observe({blocks, 32 * b}, "lrr") / one;
            for (const std::int64_t g : {1, 2, 3, 5, 8, 12, 16, 20}) {
                const double observed = bench.observe({g, 32 * b}, "lrr") / one;
                const auto predicted =
                    bench.predict(Model::GpuDiag, {g, 32 * b}, "lrr", {}, refusals);
                if (!predicted || !one_predicted) continue;
                computed.emplace_back(*predicted / *one_predicted, observed);
                own.push_back(computed.back());
                const auto waves =
                    value_of(models::gpudiag::waves_time(g, b, slots, fu), kernel->name);
                from_measured.emplace_back(waves.value(), observed);
            }
        }
        const double r = correlation_of(own);
        if (r < lowest) {
            lowest = r;
            lowest_name = kernel->name;
        }
    }
    fmt::print("\n| T(g, b) over T(1, 1), {} kernels, {} points | r | published |\n|---|---|---|\n"
               "| fu(c) by eq. 3.6 | {:.4f} | 0.992, 0.984 |\n"
               "| fu(c) measured in single waves | {:.4f} | 0.992, 0.984 |\n"
               "\nLowest r of one kernel with fu(c) by eq. 3.6: {:.4f} ({}).\n",
               count, computed.size(), correlation_of(computed), correlation_of(from_measured),
               lowest, lowest_name);
}

void compare(const std::filesystem::path& folder) {
    const auto kernels = tests::accuracy_kernels();
    std::map<std::string, models::Architecture> machines;
    std::map<std::string, std::vector<Point>> results;
    std::map<std::string, std::set<std::string>> refusals;
    std::string points = "kernel,machine,warps,observed lrr,observed gto";
    for (const auto& subject : subjects)
        points += fmt::format(",\"{}\"", subject.name);
    points += "\n";
    for (const auto& kernel : kernels)
        if (!machines.contains(kernel->architecture))
            machines.emplace(kernel->architecture, tests::exact_machine(kernel->architecture));
    std::map<std::string, models::Architecture> cached;
    for (const auto& kernel : kernels)
        if (kernel->is_cached() && !cached.contains(kernel->architecture))
            cached.emplace(kernel->architecture, tests::cached_machine(kernel->architecture));
    for (const auto& kernel : kernels) {
        const auto& machine = (kernel->is_cached() ? cached : machines).at(kernel->architecture);
        Bench bench{*kernel, machine};
        bench.set_costs(models::voudouris::parameters_from(machine));
        if (kernel->architecture == "fermi-gtx470") bench.set_costs(models::voudouris::table_7);
        const std::int64_t most = machine.limits.find("max-warps")->interval->lo;
        const double middle = bench.observe(launch_of(8), "lrr");
        for (const std::int64_t warps : tests::compared_warps) {
            if (warps > most) continue;
            const auto launch = launch_of(warps);
            std::map<std::string, double> observed;
            for (const std::string policy : {"lrr", "gto"})
                observed[policy] = bench.observe(launch, policy);
            points += fmt::format("{},{},{},{:.1f},{:.1f}",
                                  kernel->name.substr(0, kernel->name.find(" on ")),
                                  kernel->architecture, warps, observed["lrr"], observed["gto"]);
            for (const auto& subject : subjects) {
                auto& told = refusals[subject.name];
                std::optional<double> lambda;
                if (subject.model == Model::Bsp) {
                    const auto unscaled = bench.predict(Model::Bsp, launch_of(8), "lrr", {}, told);
                    if (unscaled) lambda = *unscaled / middle;
                }
                const auto predicted = bench.predict(subject.model, launch, subject.policy, lambda,
                                                     told, subject.counts_units);
                points += predicted ? fmt::format(",{:.1f}", *predicted) : std::string{","};
                if (predicted)
                    results[subject.name].push_back(
                        {kernel.get(), warps, observed[subject.policy], *predicted});
            }
            points += "\n";
        }
    }
    std::map<Stress, std::size_t> by_stress;
    for (const auto& kernel : kernels)
        ++by_stress[kernel->stress];
    fmt::print("{} kernels:", kernels.size());
    for (const auto& [stress, count] : by_stress)
        fmt::print(" {} {}{}", count, to_string(stress),
                   stress == Stress::Compiled ? ".\n\n" : ",");
    print_tables(results);
    print_waves(kernels, machines);
    const std::size_t all = results.at(subjects.front().name).size();
    for (const auto& subject : subjects)
        if (!refusals[subject.name].empty())
            fmt::print("\n{} refused {} points, for example: {}\n", subject.name,
                       all - results.at(subject.name).size(), *refusals[subject.name].begin());
    std::filesystem::create_directories(folder);
    write_file(folder / "points.csv", points);
    for (const auto& subject : subjects)
        write_plot(folder, subject, results.at(subject.name));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: accuracy FOLDER_FOR_PLOTS\n");
        return 2;
    }
    try {
        compare(argv[1]);
        return 0;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "accuracy: {}\n", failure.what());
        return 1;
    }
}
