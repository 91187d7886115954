#include "cli/simulation/recorded_trace.hpp"

#include "cli/output/json.hpp"
#include "cli/simulation/recorded_runs.hpp"
#include "harness/trace/packed_trace.hpp"
#include "harness/trace/trace_mix.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace warpbound::cli {

namespace {

using harness::trace::CountSummary;
using harness::trace::Dimensions;
using harness::trace::SassTrace;
using harness::trace::TraceMix;

struct Recorded {
    SassTrace trace;
    TraceMix mix;
};

Result<Recorded> load(const std::filesystem::path& file) {
    const auto source = harness::trace::read_trace_text(file);
    if (!source) return source.as_failure();
    auto trace = harness::trace::read_sass_trace(source.value());
    if (!trace) return trace.as_failure();
    auto mix = harness::trace::mix_of(trace.value());
    if (!mix) {
        Failure failure = mix.error();
        failure.where = file.string();
        return failure;
    }
    return Recorded{std::move(trace.value()), std::move(mix.value())};
}

std::string sides(const Dimensions& size) {
    return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

std::map<std::string, std::int64_t> classes_of(const TraceMix& mix) {
    std::map<std::string, std::int64_t> classes;
    for (const auto& [address, here] : mix.by_address)
        classes[std::string{assembly::to_string(here.opcode_class)}] += here.issues;
    return classes;
}

std::string text_of(const Recorded& recorded) {
    const auto& [trace, mix] = recorded;
    std::string out =
        fmt::format("kernel {} (id {}, stream {}, tracer version {})\n"
                    "  {} blocks of {} threads, {} of shared memory, {}\n"
                    "  recorded: {} of {} blocks, {} warps on {} different paths\n"
                    "  {} warp instructions, {}..{} in a warp; {:.1f} of {} lanes active\n",
                    trace.kernel, trace.id, trace.stream, trace.tracer_version, sides(trace.grid),
                    sides(trace.block),
                    trace.shared_memory ? fmt::format("{} bytes", *trace.shared_memory)
                                        : std::string{"an unknown amount"},
                    trace.registers ? fmt::format("{} registers", *trace.registers)
                                    : std::string{"an unknown number of registers"},
                    trace.blocks.size(), trace.blocks_launched(), mix.warps, mix.paths,
                    mix.issues_of_warp.sum, mix.issues_of_warp.least, mix.issues_of_warp.most,
                    mix.lanes.mean(), harness::trace::trace_lanes);
    out += "\ninstruction mix\n";
    for (const auto& [name, count] : classes_of(mix))
        out += fmt::format("  {:<22} {:>10}\n", name, count);
    out += fmt::format("\n{:<10}{:<28}{:>10}{:>12}  {}\n", "address", "opcode", "issues",
                       "lanes, mean", "32-byte sectors per access: least mean most");
    for (const auto& [address, here] : mix.by_address) {
        out += fmt::format("{:<10}{:<28}{:>10}{:>12.1f}", hexadecimal(address), here.opcode,
                           here.issues, here.lanes.mean());
        if (here.sectors)
            out += fmt::format("  {} {:.1f} {}", here.sectors->least, here.sectors->mean(),
                               here.sectors->most);
        out += '\n';
    }
    return out;
}

Json summary(const CountSummary& counts) {
    return {{"least", counts.least}, {"mean", counts.mean()}, {"most", counts.most}};
}

Json json_of(const Recorded& recorded) {
    const auto& [trace, mix] = recorded;
    Json instructions = Json::array();
    for (const auto& [address, here] : mix.by_address) {
        Json entry{{"address", hexadecimal(address)},
                   {"opcode", here.opcode},
                   {"class", assembly::to_string(here.opcode_class)},
                   {"issues", here.issues},
                   {"lanes", summary(here.lanes)}};
        if (here.sectors) entry["sectors"] = summary(*here.sectors);
        instructions.push_back(std::move(entry));
    }
    return {{"kernel", {{"name", trace.kernel}, {"id", trace.id}, {"stream", trace.stream}}},
            {"tracer-version", trace.tracer_version},
            {"grid", trace.grid},
            {"block", trace.block},
            {"shared-memory", trace.shared_memory ? Json(*trace.shared_memory) : Json()},
            {"registers", trace.registers ? Json(*trace.registers) : Json()},
            {"blocks", {{"recorded", trace.blocks.size()}, {"launched", trace.blocks_launched()}}},
            {"warps", mix.warps},
            {"paths", mix.paths},
            {"warp-instructions", mix.issues_of_warp.sum},
            {"instructions-of-a-warp", summary(mix.issues_of_warp)},
            {"lanes", summary(mix.lanes)},
            {"mix", classes_of(mix)},
            {"instructions", instructions}};
}

} // namespace

bool is_recorded_trace(const std::string& file) {
    return harness::trace::is_trace_name(file);
}

Result<std::string> inspect_recorded_trace(const std::string& file, const std::string& format) {
    if (format == "dot")
        return Failure{"a recorded trace has no control-flow graph; expected --format text or json",
                       file};
    const auto list = list_traces(file);
    if (!list) return list.as_failure();
    const auto& [traces, copies, bytes] = list.value();
    std::string out;
    if (std::filesystem::path{file}.extension() == ".g")
        out = fmt::format("{} kernels, {} copies to the device of {} bytes\n\n", traces.size(),
                          copies, bytes);
    Json kernels = Json::array();
    for (const auto& trace : traces) {
        const auto recorded = load(trace);
        if (!recorded) return recorded.as_failure();
        if (format == "json")
            kernels.push_back(json_of(recorded.value()));
        else
            out += (&trace == &traces.front() ? "" : "\n") + text_of(recorded.value());
    }
    if (format != "json") return out;
    return json_text("recorded-trace", {{"copies-to-device", {{"count", copies}, {"bytes", bytes}}},
                                        {"kernels", kernels}});
}

} // namespace warpbound::cli
