/// \file
/// How far the analyzer's bounds are from what the simulated device shows, in Markdown; every point
/// goes into the file that is named. Run through scripts/accuracy.sh. Ends with 1 when a time lies
/// outside its bounds.

#include "analyzer/analyze.hpp"
#include "harness/simulator/longest_run.hpp"
#include "tests/accuracy/kernels.hpp"
#include "tests/accuracy/machines.hpp"
#include "tests/accuracy/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace warpbound;
using tests::AccuracyKernel;
using tests::Stress;
using tests::value_of;

constexpr std::array<std::int64_t, 9> warp_counts{1, 2, 4, 6, 8, 16, 24, 32, 48};
constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                           harness::Draw::AllHigh, harness::Draw::Adversarial};
constexpr std::uint64_t seeds = 2;        // Of each draw and policy.
constexpr std::uint64_t first_runs = 8;   // Before the directed search.
constexpr std::size_t directed_runs = 48; // Of the directed search of each path.

/// Policies that one bound holds for. The bound is that of the first.
struct Guarantee {
    std::string name;
    std::vector<std::string> policies;
    bool through_caches = true; ///< Of kernels with accesses through caches, too.
};
const std::vector<Guarantee> guarantees{
    {"work-conserving", {"unknown", "gto", "oldest", "lrr"}},
    {"lrr", {"lrr"}, false}, // Its turns bound no accesses through caches.
    {"variable-rate", {"variable-rate:fast=0,every=2"}},
    {"srr", {"srr"}},
    {"two-level:active=2", {"two-level:active=2"}},
};

struct Point {
    const AccuracyKernel* kernel = nullptr;
    std::int64_t warps = 0;
    std::int64_t lower = 0;
    std::int64_t best = 0;
    std::int64_t worst = 0;
    std::int64_t upper = 0;

    [[nodiscard]] double above() const {
        return static_cast<double>(upper) / static_cast<double>(worst);
    }
    [[nodiscard]] double below() const {
        return static_cast<double>(lower) / static_cast<double>(best);
    }
    [[nodiscard]] double width() const {
        return static_cast<double>(upper) / static_cast<double>(lower);
    }
    [[nodiscard]] bool holds() const { return lower <= best && worst <= upper; }
};

/// Random ones, and those that the analyzer names as worst and best where they differ.
std::vector<std::vector<std::size_t>> paths_to_run(const analyzer::Envelope& envelope) {
    std::vector<std::vector<std::size_t>> paths{{}};
    if (envelope.upper.path != envelope.lower.path)
        for (const auto* side : {&envelope.upper, &envelope.lower})
            if (!side->path.empty()) paths.push_back(side->path);
    return paths;
}

/// Of a directed search, climbing from the longest of several adversarial runs.
std::int64_t longest_time(const AccuracyKernel& kernel, const harness::simulator::Machine& prepared,
                          const std::vector<std::size_t>& path) {
    harness::simulator::LongestRun longest;
    for (std::uint64_t seed = 1; seed <= first_runs; ++seed) {
        const harness::RunOptions options{
            .seed = seed, .draw = harness::Draw::Adversarial, .path = path};
        auto seen = value_of(harness::simulator::longest_run(prepared, options, 0), kernel.name);
        if (seen.execution_time > longest.execution_time) longest = std::move(seen);
    }
    return value_of(harness::simulator::longest_run(prepared, longest.options, directed_runs),
                    kernel.name)
        .execution_time.count();
}

/// Nothing when the analyzer refuses; the reason is counted.
std::optional<Point> point_of(const AccuracyKernel& kernel, const models::Architecture& machine,
                              std::int64_t warps, const Guarantee& guarantee,
                              std::map<std::string, std::size_t>& refusals) {
    const models::Launch launch = tests::launch_of(warps);
    analyzer::Request request;
    request.function = kernel.function;
    request.graph = &kernel.graph;
    request.architecture = &machine;
    request.facts = &kernel.facts;
    request.launch = launch;
    request.policy = value_of(models::read_policy(guarantee.policies.front()), kernel.name);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        const std::string& what = analysis.error().what; // May begin with an address.
        const std::size_t place = what.rfind("0x", 0) == 0 ? what.find(": ") + 2 : 0;
        ++refusals[fmt::format("{}: {}", guarantee.name, what.substr(place))];
        return std::nullopt;
    }
    const auto& envelope = analysis.value().execution_time;
    Point point{&kernel,   warps,     envelope.lower.proved.count(),
                INT64_MAX, INT64_MIN, envelope.upper.proved.count()};
    const auto paths = paths_to_run(envelope);
    for (const auto& policy : guarantee.policies) {
        const auto prepared = tests::prepare(kernel, machine, launch, policy);
        if (policy == "unknown")
            for (const auto& path : paths)
                point.worst = std::max(point.worst, longest_time(kernel, *prepared, path));
        for (const auto draw : draws)
            for (const auto& path : paths)
                for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                    const auto seen = value_of(
                        prepared->run({.seed = seed, .draw = draw, .path = path}), kernel.name);
                    point.best = std::min(point.best, seen.execution_time.count());
                    point.worst = std::max(point.worst, seen.execution_time.count());
                }
    }
    return point;
}

template <typename Ratio> std::vector<double> sorted(const std::vector<Point>& points, Ratio of) {
    std::vector<double> values;
    for (const auto& point : points)
        values.push_back(of(point));
    std::sort(values.begin(), values.end());
    return values;
}

void print_row(const std::string& guarantee, const std::string& what,
               const std::vector<Point>& points) {
    if (points.empty()) return;
    const auto above = sorted(points, [](const Point& point) { return point.above(); });
    const auto below = sorted(points, [](const Point& point) { return point.below(); });
    const auto width = sorted(points, [](const Point& point) { return point.width(); });
    const std::size_t middle = points.size() / 2;
    fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n",
               guarantee, what, points.size(), above[middle], above.back(), below[middle],
               below.front(), width[middle], width.back());
}

template <typename Choose> std::vector<Point> chosen(const std::vector<Point>& points, Choose is) {
    std::vector<Point> some;
    std::copy_if(points.begin(), points.end(), std::back_inserter(some), is);
    return some;
}

void print_table(std::map<std::string, std::vector<Point>>& results) {
    const std::pair<std::int64_t, std::int64_t> ranges[]{{1, 1}, {2, 6}, {8, 8}, {16, 48}};
    fmt::print("| policies | warps | points | upper / worst seen, median | largest | lower / best "
               "seen, median | smallest | upper / lower, median | largest "
               "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& guarantee : guarantees) {
        const auto& points = results[guarantee.name];
        for (const bool cached : {false, true})
            for (const auto& [least, most] : ranges)
                print_row(guarantee.name + (cached ? ", through caches" : ", levels stated"),
                          least == most ? fmt::format("{}", least)
                                        : fmt::format("{} to {}", least, most),
                          chosen(points, [least = least, most = most, cached](const Point& point) {
                              return least <= point.warps && point.warps <= most &&
                                     point.kernel->is_cached() == cached;
                          }));
    }
    fmt::print("\nBy what a kernel stresses, 16 to 48 warps:\n\n"
               "| policies | stress | points | upper / worst seen, median | largest | lower / best "
               "seen, median | smallest | upper / lower, median | largest "
               "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& guarantee : guarantees)
        for (const auto stress : tests::all_stresses)
            print_row(guarantee.name, std::string{to_string(stress)},
                      chosen(results[guarantee.name], [stress](const Point& point) {
                          return point.warps >= 16 && point.kernel->stress == stress;
                      }));
}

void print_loosest(std::vector<Point> points) {
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.above() > b.above(); });
    fmt::print("\nLoosest upper bounds:\n\n| kernel | warps | lower | best seen | worst seen | "
               "upper |\n|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < std::min<std::size_t>(5, points.size()); ++i)
        fmt::print("| {} | {} | {} | {} | {} | {} |\n", points[i].kernel->name, points[i].warps,
                   points[i].lower, points[i].best, points[i].worst, points[i].upper);
}

using Kernels = std::vector<std::unique_ptr<AccuracyKernel>>;

bool has_in_name(const AccuracyKernel& kernel, const std::string& part) {
    return kernel.name.find(part) != std::string::npos;
}

/// Without names every kernel is.
bool is_named(const AccuracyKernel& kernel, const std::vector<std::string>& names) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return has_in_name(kernel, name);
           });
}

/// The first name that no kernel has as a part of its own.
std::optional<std::string> name_of_nothing(const Kernels& kernels,
                                           const std::vector<std::string>& names) {
    const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& part) {
        return std::none_of(kernels.begin(), kernels.end(),
                            [&](const auto& kernel) { return has_in_name(*kernel, part); });
    });
    return name == names.end() ? std::nullopt : std::optional{*name};
}

/// Whether every time lies inside its bounds.
bool compare(std::FILE* out, const Kernels& kernels, const std::vector<std::string>& names) {
    std::map<std::string, std::vector<Point>> results;
    std::map<std::string, std::size_t> refusals;
    for (const auto& kernel : kernels) {
        if (!is_named(*kernel, names)) continue;
        const auto machine = kernel->is_cached() ? tests::cached_machine(kernel->architecture)
                                                 : tests::exact_machine(kernel->architecture);
        const std::int64_t most = machine.limits.find("max-warps")->interval->lo;
        for (const auto& guarantee : guarantees)
            for (const std::int64_t warps : warp_counts) {
                if (warps > most || (kernel->is_cached() && !guarantee.through_caches)) continue;
                if (const auto point = point_of(*kernel, machine, warps, guarantee, refusals))
                    results[guarantee.name].push_back(*point);
            }
    }
    print_table(results);
    print_loosest(results[guarantees.front().name]);
    for (const auto& [why, points] : refusals)
        fmt::print("\nRefused: {} points, {}\n", points, why);

    bool all_inside = true;
    fmt::print(out, "policies,kernel,warps,lower,best seen,worst seen,upper\n");
    for (const auto& guarantee : guarantees)
        for (const auto& point : results[guarantee.name]) {
            fmt::print(out, "\"{}\",{},{},{},{},{},{}\n", guarantee.name, point.kernel->name,
                       point.warps, point.lower, point.best, point.worst, point.upper);
            if (point.holds()) continue;
            all_inside = false;
            fmt::print(stderr,
                       "outside: {} with {} warps under {}: [{}, {}] seen, [{}, {}] bound\n",
                       point.kernel->name, point.warps, guarantee.name, point.best, point.worst,
                       point.lower, point.upper);
        }
    return all_inside;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: tightness FILE_FOR_POINTS [PART_OF_A_KERNEL'S_NAME..]\n");
        return 2;
    }
    try {
        const auto kernels = tests::accuracy_kernels();
        const std::vector<std::string> names{argv + 2, argv + argc};
        if (const auto name = name_of_nothing(kernels, names)) {
            fmt::print(stderr, "tightness: no kernel has {} in its name\n", *name);
            return 2;
        }
        std::FILE* out = std::fopen(argv[1], "wb");
        if (out == nullptr) {
            fmt::print(stderr, "tightness: {} cannot be written\n", argv[1]);
            return 1;
        }
        const bool all_inside = compare(out, kernels, names);
        return std::fclose(out) == 0 && all_inside ? 0 : 1;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "tightness: {}\n", failure.what());
        return 1;
    }
}
