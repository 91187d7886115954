/// \file
/// Configurations of a tuned kernel against hardware counters: executed instructions, passes of
/// shared memory, sectors and cycles, simulated and bounded. Prints a page's tables in Markdown.
/// With `--check` it takes own listings and fails where one is not like the measured kernel.

#include "models/launch/launch.hpp"
#include "tests/silicon/csv.hpp"
#include "tests/silicon/errors.hpp"
#include "tests/silicon/launch_trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace warpbound;
using namespace warpbound::silicon;

/// A configuration, measured and simulated. Counts are of a warp.
struct Configuration {
    std::string name;
    double registers = 0;
    double own_registers = 0;
    double instructions = 0;
    double own_instructions = 0;
    double wavefronts = 0;
    double own_wavefronts = 0;
    double sectors = 0;
    double own_sectors = 0;
    double cycles = 0;
    double simulated = 0;
    double lower = 0;
    double upper = 0;
    std::string story;

    [[nodiscard]] bool is_inside() const { return lower <= cycles && cycles <= upper; }
};

/// The number that a configuration gives for a define, as in BLOCK_SIZE_X=16;..
std::string define_of(const std::string& configuration, const std::string& name) {
    const std::string text = ";" + configuration + ";";
    const std::size_t at = text.find(";" + name + "=");
    if (at == std::string::npos) return "";
    const std::size_t first = at + name.size() + 2;
    return text.substr(first, text.find(';', first) - first);
}

std::string name_of(const std::string& configuration) {
    const auto of = [&](const char* name) { return define_of(configuration, name); };
    return fmt::format("{}x{}, {}x{}{}{}", of("BLOCK_SIZE_X"), of("BLOCK_SIZE_Y"),
                       of("TILE_SIZE_X"), of("TILE_SIZE_Y"), of("PADDING") == "1" ? ", padded" : "",
                       of("READ_ONLY") == "1" ? ", read-only" : "");
}

/// Whether two counts agree, as far as the first rows of a grid stand for all: they have fewer
/// blocks at a border.
bool agree(double a, double b) {
    constexpr double part = 0.02;
    return std::abs(a / b - 1) <= part;
}

/// The own listing of a configuration.
std::string own_listing(const std::string& configuration) {
    const auto of = [&](const char* name) { return define_of(configuration, name); };
    return fmt::format("convolution_{}x{}_{}x{}.sm_75.sass.xz", of("BLOCK_SIZE_X"),
                       of("BLOCK_SIZE_Y"), of("TILE_SIZE_X"), of("TILE_SIZE_Y"));
}

Result<Configuration> compare(const Record& row, const std::filesystem::path& file,
                              const std::string& kernel, const MeasuredCard& card) {
    const auto measured = [&](const char* column) {
        return number_of(row.at(column)).value_or(std::nan(""));
    };
    const auto grid = models::parse_grid_shape(row.at("global"));
    const auto block = models::parse_block_shape(row.at("block"));
    if (!grid) return grid.as_failure();
    if (!block) return block.as_failure();
    TrialInput input;
    input.file = file;
    input.kernel = kernel;
    input.launch =
        fmt::format("{}x{},block={},grid={}", grid.value().count(), block.value().count(),
                    models::to_string(block.value()), models::to_string(grid.value()));
    const std::string edge = define_of(row.at("config"), "IMAGE_WIDTH");
    const auto half = number_of(define_of(row.at("config"), "HFS"));
    const auto width = number_of(edge);
    if (!half || !width) return Failure{row.at("config") + ": no HFS or IMAGE_WIDTH", "", 0, 0};
    const auto border = static_cast<std::int64_t>(*width + 2 * *half);
    const auto weights = static_cast<std::int64_t>((2 * *half + 1) * (2 * *half + 1));
    input.arguments = fmt::format("0x160=buffer:f32:{0}x{0}:zero 0x168=buffer:f32:{1}x{1}:zero "
                                  "0x170=buffer:f32:{2}:zero",
                                  edge, border, weights);
    input.constants = "3=buffer:f32:33x33:zero";
    const auto trial = LaunchTrial::load(input, card);
    if (!trial) return trial.as_failure();
    const auto bounds = trial.value()->bounds();
    if (!bounds) return bounds.as_failure();
    const auto simulated = trial.value()->sample();
    if (!simulated) return simulated.as_failure();
    const SimulatedLaunch& run = simulated.value();
    const auto warps =
        static_cast<double>(grid.value().count() * trial.value()->launch().warps_per_block());
    const double simulated_warps =
        static_cast<double>(run.blocks * trial.value()->launch().warps_per_block());
    Configuration result;
    result.name = name_of(row.at("config"));
    result.registers = measured("regs");
    result.own_registers = static_cast<double>(trial.value()->registers().value_or(0));
    result.instructions = measured("smsp__inst_executed.sum") / warps;
    result.own_instructions = static_cast<double>(run.instructions) / simulated_warps;
    result.wavefronts = (measured("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") +
                         measured("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")) /
                        warps;
    result.own_wavefronts =
        static_cast<double>(run.shared_loads + run.shared_stores) / simulated_warps;
    result.sectors = measured("lts__t_sectors_op_read.sum") / warps;
    result.own_sectors = static_cast<double>(run.l2_read) / simulated_warps;
    result.cycles = measured("cycles_active_per_smsp");
    result.simulated = static_cast<double>(run.cycles);
    result.lower = static_cast<double>(bounds.value().lower().count());
    result.upper = static_cast<double>(bounds.value().upper().count());
    std::vector<std::string> shares;
    for (const auto& [name, share] : run.shares)
        if (shares.size() < 2) shares.push_back(fmt::format("{} {:.0f} %", name, 100 * share));
    result.story = fmt::format("{}", fmt::join(shares, ", "));
    std::fprintf(stderr, "%s: %.0f cycles measured, %.0f simulated\n", result.name.c_str(),
                 result.cycles, result.simulated);
    return result;
}

/// Returns the machine's row of the summary.
std::string print(const std::string& machine, const std::vector<Configuration>& all) {
    fmt::print(
        "| block, results of a thread | registers, own | instructions of a warp | simulated | "
        "shared passes | simulated | L2 sectors read | simulated | cycles, thousands | "
        "simulated | error | lower | upper | inside | busiest |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    TimePairs pairs;
    std::size_t inside = 0;
    std::size_t same_passes = 0;
    std::size_t same_instructions = 0;
    std::size_t same_registers = 0;
    constexpr double thousand = 1000;
    for (const Configuration& one : all) {
        fmt::print("| {} | {:.0f}, {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | "
                   "{:.0f} | ~{:.0f} | {:+.1f} % | {:.0f} | {:.0f} | {} | {} |\n",
                   one.name, one.registers, one.own_registers, one.instructions,
                   one.own_instructions, one.wavefronts, one.own_wavefronts, one.sectors,
                   one.own_sectors, one.cycles / thousand, one.simulated / thousand,
                   100 * (one.simulated / one.cycles - 1), one.lower / thousand,
                   one.upper / thousand, one.is_inside() ? "yes" : "no", one.story);
        pairs.emplace_back(one.cycles, one.simulated);
        if (one.is_inside()) ++inside;
        if (agree(one.own_wavefronts, one.wavefronts)) ++same_passes;
        if (agree(one.own_instructions, one.instructions)) ++same_instructions;
        if (one.registers == one.own_registers) ++same_registers;
    }
    const Errors errors = errors_of(pairs);
    fmt::print(
        "\n| of {} configurations | |\n|---|---|\n| MAPE of cycles | {:.1f} % |\n| median | "
        "{:.1f} % |\n| bias | {:+.1f} % |\n| Spearman's rank correlation | {:.3f} |\n| "
        "Kendall tau | {:.3f} |\n| measured cycles inside the bounds | {} |\n| as many "
        "registers | {} |\n| executed instructions within 2 % | {} |\n| shared passes within "
        "2 % | {} |\n",
        all.size(), 100 * errors.mean, 100 * errors.median, 100 * errors.bias, errors.rho,
        errors.tau, inside, same_registers, same_instructions, same_passes);
    return summary_row(machine, "tuned-kernels", all.size(), inside, pairs);
}

/// Whether each one is like the measured kernel, inside its bounds and simulated within 15 %.
bool check(const std::vector<Configuration>& all) {
    constexpr double largest_error = 0.15;
    bool holds = true;
    for (const Configuration& one : all) {
        const bool alike = one.registers == one.own_registers &&
                           agree(one.own_instructions, one.instructions) &&
                           agree(one.own_wavefronts, one.wavefronts);
        if (alike && one.is_inside() && std::abs(one.simulated / one.cycles - 1) <= largest_error)
            continue;
        holds = false;
        std::fprintf(stderr,
                     "%s: registers %.0f, %.0f; instructions %.1f, %.1f; passes %.1f, %.1f; cycles "
                     "%.0f, %.0f; bounds %.0f .. %.0f\n",
                     one.name.c_str(), one.registers, one.own_registers, one.instructions,
                     one.own_instructions, one.wavefronts, one.own_wavefronts, one.cycles,
                     one.simulated, one.lower, one.upper);
    }
    return holds;
}

/// `summary`: none where own listings are checked.
int run(const std::filesystem::path& files, const std::string& machine,
        const std::filesystem::path& table, const std::optional<std::string>& summary) {
    const auto fail = [](const Failure& failure) {
        std::fprintf(stderr, "%s\n", to_string(failure).c_str());
        return 2;
    };
    const auto rows = read_table(table, {"config", "global", "block", "regs",
                                         "cycles_active_per_smsp", "smsp__inst_executed.sum",
                                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                         "lts__t_sectors_op_read.sum"});
    if (!rows) return fail(rows.error());
    auto loaded = models::load_architecture(machine);
    if (!loaded) return fail(loaded.error());
    MeasuredCard card;
    card.machine = std::move(loaded).value();
    std::vector<std::optional<Result<Configuration>>> results(rows.value().size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t at = next++; at < results.size(); at = next++)
            results[at] =
                summary
                    ? compare(rows.value()[at], files / fmt::format("{}.cubin", at + 1),
                              "convolution_kernel", card)
                    : compare(rows.value()[at], files / own_listing(rows.value()[at].at("config")),
                              "convolution", card);
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back(work);
    for (std::thread& worker : workers)
        worker.join();
    std::vector<Configuration> all;
    for (const auto& result : results) {
        if (!*result) return fail(result->error());
        all.push_back(result->value());
    }
    if (!summary) return check(all) ? 0 : 1;
    const std::string row = print(card.machine.name, all);
    if (!(std::ofstream{*summary} << row).flush())
        return fail(Failure{"cannot be written", *summary, 0, 0});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() != 4) {
        std::fprintf(stderr,
                     "usage: tuned_kernels FOLDER MACHINE ROWS.csv SUMMARY\n"
                     "       tuned_kernels --check FOLDER_OF_OWN_LISTINGS MACHINE ROWS.csv\n"
                     "FOLDER has 1.cubin, 2.cubin, ..: the code of each row\n");
        return 2;
    }
    if (arguments[0] == "--check") return run(arguments[1], arguments[2], arguments[3], {});
    return run(arguments[0], arguments[1], arguments[2], arguments[3]);
}
