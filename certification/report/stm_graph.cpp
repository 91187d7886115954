#include "certification/report/stm_graph.hpp"

#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::certification {

namespace {

bool belongs_to_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Not empty, and begins with no digit.
std::string identifier(const std::string& text) {
    std::string result = text;
    std::replace_if(
        result.begin(), result.end(), [](char c) { return !belongs_to_identifier(c); }, '_');
    const bool begins_well = !result.empty() && !(result[0] >= '0' && result[0] <= '9');
    return begins_well ? result : "_" + result;
}

std::string different(const std::string& name, std::set<std::string>& taken) {
    std::string result = name;
    for (int number = 2; !taken.insert(result).second; ++number)
        result = fmt::format("{}_{}", name, number);
    return result;
}

std::string comment(const std::string& text) {
    return "# " + printable(text) + "\n";
}

struct RunnableText {
    std::string id;
    models::Nanoseconds wcet;
    std::string basis;
    std::string dependencies; ///< Ids, separated by commas.
    std::string submits;      ///< Id; empty: nothing.
    std::string_view resources;
};

std::string text_of(const RunnableText& runnable) {
    return fmt::format(
        "          - {}:\n"
        "              {}"
        "              WCET: {}ns\n"
        "              Dependencies: [{}]\n"
        "{}"
        "              Resources: [{}]\n",
        runnable.id, comment(runnable.basis), runnable.wcet.count(), runnable.dependencies,
        runnable.submits.empty() ? "" : "              Submits: " + runnable.submits + "\n",
        runnable.resources);
}

/// A client in the epoch with this number. `taken`: names that are in use.
std::string client_text(const StmClient& client, std::size_t epoch, models::Nanoseconds submission,
                        std::set<std::string>& taken) {
    const std::string name = different(identifier(client.name), taken);
    std::string text = fmt::format("  - {}:\n"
                                   "      Resources:\n"
                                   "        CUDA_STREAM:\n"
                                   "        - CUDA_STREAM{}: iGPU\n"
                                   "      Epochs:\n"
                                   "      - hyperepoch0.epoch{}:\n"
                                   "          Runnables:\n",
                                   name, epoch, epoch);
    const std::string stream = fmt::format("CPU0, CUDA_STREAM{}", epoch);
    std::vector<std::string> ids;
    for (const StmRunnable& runnable : client.runnables) {
        const std::string id = different(identifier(runnable.kernel), taken);
        ids.push_back(fmt::format("{}.{}", name, id));
        std::string after;
        for (const std::size_t before : runnable.after)
            after += (after.empty() ? "" : ", ") + ids.at(before);
        if (runnable.on_host) {
            text += text_of({id, runnable.wcet, runnable.basis, after, "", "CPU0"});
            continue;
        }
        text += text_of({different("submit_" + id, taken), submission,
                         "stated by the user, not bounded here", after, ids.back(), stream});
        text += text_of({id, runnable.wcet, runnable.basis, "", "", "iGPU"});
    }
    return text;
}

} // namespace

StmRunnable stm_runnable(const Report& report) {
    const Claim& upper = *report.claim("execution-time", analyzer::Side::Upper);
    return {report.kernel, report.time_of(upper).value(),
            fmt::format("upper bound of {} on {}: {} cycles at {}; {}", launch_text(report),
                        report.architecture, upper.value, clock_phrase(report.clock),
                        kind_phrase(report, upper))};
}

std::string render_stm(const StmGraph& graph) {
    std::string text =
        comment("Compute graph of NVIDIA DRIVE's System Task Manager.") + comment(graph.wcet_note);
    for (const std::string& kernel : graph.without_bound)
        text += comment("Left out, without a bound: " + kernel);
    text += fmt::format("Version: 3.0.0\n"
                        "{}:\n"
                        "  Identifier: 1\n"
                        "  Resources:\n"
                        "    CPU:\n"
                        "    - CPU0\n"
                        "    GPU:\n"
                        "    - iGPU\n"
                        "  Hyperepochs:\n"
                        "  - hyperepoch0:\n"
                        "      Epochs:\n",
                        identifier(graph.name));
    for (std::size_t i = 0; i < graph.clients.size(); ++i)
        text += fmt::format("      - epoch{}:\n"
                            "          Period: {}ns\n",
                            i, graph.clients[i].period.count());
    text += "  Clients:\n";
    std::set<std::string> taken;
    for (std::size_t i = 0; i < graph.clients.size(); ++i)
        text += client_text(graph.clients[i], i, graph.submission, taken);
    return text;
}

} // namespace warpbound::certification
