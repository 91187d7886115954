#include "cli/inputs/shard.hpp"

#include "cli/output/next_step.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace warpbound::cli {

namespace {

constexpr std::size_t most_shards = 1'000'000;
constexpr std::string_view mark = "{shard}"; // In the name of a file.
constexpr const char* hyperqueue_task = "HQ_TASK_ID";

std::optional<std::size_t> number(std::string_view text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// A process and the number of all processes, as two variables say.
std::optional<Shard> of_rank(const Environment& environment, const char* rank, const char* size) {
    const auto own = environment(rank);
    const auto all = environment(size);
    if (!own || !all) return std::nullopt;
    const auto index = number(*own);
    const auto count = number(*all);
    if (!index || !count || *count < 2 || *count > most_shards || *index >= *count)
        return std::nullopt;
    return Shard{*index + 1, *count, rank};
}

Result<std::optional<Shard>> of_array(const Environment& environment) {
    const auto task = environment("SLURM_ARRAY_TASK_ID");
    if (!task) return std::optional<Shard>{};
    const auto value = [&](const char* name) {
        const auto text = environment(name);
        return text ? number(*text) : std::nullopt;
    };
    const auto id = number(*task);
    const auto first = value("SLURM_ARRAY_TASK_MIN");
    const auto last = value("SLURM_ARRAY_TASK_MAX");
    const auto count = value("SLURM_ARRAY_TASK_COUNT");
    if (!id || !first || !last || !count || *count < 1 || *count > most_shards ||
        *last - *first + 1 != *count || *id < *first || *id > *last)
        return Failure{"the tasks of the array are not numbered one after the other; state the "
                       "shard: --shard I/N",
                       "SLURM_ARRAY_TASK_ID=" + *task};
    return std::optional{Shard{*id - *first + 1, *count, "SLURM_ARRAY_TASK_ID"}};
}

/// "3/8".
Result<Shard> of_text(const std::string& text) {
    const std::size_t slash = text.find('/');
    const auto index = number(std::string_view{text}.substr(0, slash));
    const auto count = slash == std::string::npos
                           ? std::nullopt
                           : number(std::string_view{text}.substr(slash + 1));
    if (!index || !count || *index < 1 || *index > *count || *count > most_shards)
        return Failure{"expected I/N with I from 1 to N, as in 3/8, or /N in a task of HyperQueue",
                       "--shard " + text};
    return Shard{*index, *count, "--shard"};
}

/// `text` as "/8": the number of tasks; HyperQueue says which one this is.
Result<Shard> of_task(const std::string& text, const std::string& task) {
    auto shard = of_text(task + text);
    if (!shard)
        return Failure{"expected a task from 1 to N, as `hq submit --array 1-8` and --shard /8 "
                       "give",
                       "HQ_TASK_ID=" + task + " with --shard " + text};
    shard.value().source = hyperqueue_task;
    return shard;
}

} // namespace

std::string Shard::name() const {
    return fmt::format("{}-of-{}", index, count);
}

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>{value};
    };
}

Result<Shard> shard_of(const std::string& text, const Environment& environment) {
    const auto task = environment(hyperqueue_task);
    if (task && !text.empty() && text.front() == '/') return of_task(text, *task);
    if (!text.empty()) return of_text(text);
    if (task)
        return Failure{"HyperQueue says which task this is, not how many there are; state the "
                       "number: --shard /N, or --shard 1/1 for the whole plan",
                       hyperqueue_task + ("=" + *task)};
    const auto array = of_array(environment);
    if (!array) return array.as_failure();
    if (array.value()) return *array.value();
    for (const auto& [rank, size] :
         {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
          std::pair{"PMI_RANK", "PMI_SIZE"}, std::pair{"SLURM_PROCID", "SLURM_NTASKS"}})
        if (auto found = of_rank(environment, rank, size)) return std::move(*found);
    return Shard{};
}

CLI::Option* add_plan_of_points(CLI::App& command, std::string& plan, const std::string& outcome,
                                std::initializer_list<const char*> further) {
    CLI::Option* const option = command.add_option(
        "--plan", plan,
        "Instead of FILE: kernels crossed with machines, launches, policies and seeds (XML, "
        "docs/how-to/spread-runs.md); " +
            outcome);
    for (const char* stated :
         {"FILE", "--kernel", "--target", "--flow-facts", "--source", "--arg", "--launch", "--grid",
          "--block", "--dynamic-shared-memory", "--architecture", "--assume", "--multiprocessors",
          "--runs", "--seed", "--draw", "--clock"})
        option->excludes(command.get_option(stated));
    for (const char* stated : further)
        option->excludes(command.get_option(stated));
    return option;
}

CLI::Option* add_shard(CLI::App& command, std::string& text, CLI::Option* plan) {
    return command
        .add_option("--shard", text,
                    "I/N: only the points of this part; /N: in a task of HyperQueue; default: as "
                    "Slurm, Open MPI or PMI say, else all")
        ->needs(plan);
}

std::string with_shard(std::string file, const Shard& shard) {
    if (const std::size_t at = file.find(mark); at != std::string::npos)
        file.replace(at, mark.size(), shard.name());
    return file;
}

std::string name_of_all(const std::string& file, const Shard& shard) {
    if (shard.count == 1) return shell_word(with_shard(file, shard));
    const std::size_t at = file.find(mark);
    if (at == std::string::npos) return {};
    const std::string before = file.substr(0, at);
    return (before.empty() ? before : shell_word(before)) + "*" +
           shell_word(fmt::format("-of-{}{}", shard.count, file.substr(at + mark.size())));
}

} // namespace warpbound::cli
