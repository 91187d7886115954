#include "cli/options/launch_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpbound::cli {

namespace {

Result<models::Launch> from_shapes(const LaunchText& text) {
    const auto grid = models::parse_grid_shape(text.grid);
    if (!grid) return Failure{grid.error().what, "--grid"};
    const auto block = models::parse_block_shape(text.block);
    if (!block) return Failure{block.error().what, "--block"};
    models::Launch launch{.blocks = grid.value().count(), .threads = block.value().count()};
    launch.shape = block.value();
    launch.grid = grid.value();
    return launch;
}

} // namespace

void LaunchText::add_to(CLI::App& command) {
    CLI::Option* const whole = command.add_option(
        "--launch", launch,
        "Blocks x threads per block, optionally with registers per thread and shared memory per "
        "block, the shapes of block and grid unless all threads and blocks are in x, and words of "
        "the arguments as of --arg: "
        "GxB[,registers=R][,shared-memory=BYTES][,block=XxYxZ][,grid=XxYxZ][,0x160=VALUE]");
    CLI::Option* const blocks = command.add_option(
        "--grid", grid, "Blocks of the grid: X, XxY or XxYxZ, or with commas; with --block");
    CLI::Option* const threads = command.add_option(
        "--block", block, "Threads of a block: X, XxY or XxYxZ, or with commas; with --grid");
    blocks->needs(threads)->excludes(whole);
    threads->needs(blocks)->excludes(whole);
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    command
        .add_option("--dynamic-shared-memory", dynamic_shared_memory,
                    "Bytes of dynamic shared memory of a block, beside the static ones of the code")
        ->check(CLI::Range(std::int64_t{0}, most))
        ->excludes(whole);
}

Result<models::Launch> launch_of(const LaunchText& text, const assembly::Function* function) {
    return launch_with(text, function == nullptr ? std::nullopt : function->shared_memory);
}

Result<models::Launch> launch_with(const LaunchText& text,
                                   std::optional<std::int64_t> static_shared_memory) {
    if (!text.launch.empty()) return models::parse_launch(text.launch);
    if (text.grid.empty())
        return Failure{"no launch is stated; expected --grid X,Y,Z --block X,Y,Z, or --launch "
                       "GxB, for example --grid 64,64 --block 16,16",
                       "--launch"};
    auto launch = from_shapes(text);
    if (!launch || !text.dynamic_shared_memory) return launch;
    if (!static_shared_memory)
        return Failure{fmt::format("no listing states the static shared memory of a block; "
                                   "expected --launch {},shared-memory=BYTES with the sum",
                                   models::to_string(launch.value())),
                       "--dynamic-shared-memory"};
    launch.value().shared_memory = *static_shared_memory + *text.dynamic_shared_memory;
    return launch;
}

} // namespace warpbound::cli
