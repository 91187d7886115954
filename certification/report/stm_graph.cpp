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

std::string runnable_text(const std::string& id, models::Nanoseconds wcet, const std::string& basis,
                          const std::string& submits, std::string_view resources) {
    return fmt::format("          - {}:\n"
                       "              {}"
                       "              WCET: {}ns\n"
                       "              Dependencies: []\n"
                       "{}"
                       "              Resources: [{}]\n",
                       id, comment(basis), wcet.count(),
                       submits.empty() ? "" : "              Submits: " + submits + "\n",
                       resources);
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
    const std::string name = identifier(graph.name);
    std::string text =
        comment("Compute graph of NVIDIA DRIVE's System Task Manager.") +
        comment("The WCET of a kernel is its time on the GPU, alone there and without its launch.");
    for (const std::string& kernel : graph.without_bound)
        text += comment("Left out, without a bound: " + kernel);
    text += fmt::format("Version: 3.0.0\n"
                        "{0}:\n"
                        "  Identifier: 1\n"
                        "  Resources:\n"
                        "    CPU:\n"
                        "    - CPU0\n"
                        "    GPU:\n"
                        "    - iGPU\n"
                        "  Hyperepochs:\n"
                        "  - hyperepoch0:\n"
                        "      Epochs:\n"
                        "      - epoch0:\n"
                        "          Period: {1}ns\n"
                        "  Clients:\n"
                        "  - {0}_client:\n"
                        "      Resources:\n"
                        "        CUDA_STREAM:\n"
                        "        - CUDA_STREAM0: iGPU\n"
                        "      Epochs:\n"
                        "      - hyperepoch0.epoch0:\n"
                        "          Runnables:\n",
                        name, graph.period.count());
    std::set<std::string> taken;
    for (const StmRunnable& runnable : graph.runnables) {
        const std::string kernel = different(identifier(runnable.kernel), taken);
        text += runnable_text(different("submit_" + kernel, taken), graph.submission,
                              "stated by the user, not bounded here",
                              fmt::format("{}_client.{}", name, kernel), "CPU0, CUDA_STREAM0");
        text += runnable_text(kernel, runnable.wcet, runnable.basis, "", "iGPU");
    }
    return text;
}

} // namespace warpbound::certification
