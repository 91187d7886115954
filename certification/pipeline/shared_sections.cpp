#include "certification/pipeline/shared_sections.hpp"

#include "certification/page/escape.hpp"
#include "certification/pipeline/pipeline_wording.hpp"
#include "certification/report/assumptions_html.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

using models::Nanoseconds;

std::string bytes_text(std::int64_t bytes) {
    for (const auto& [name, size] :
         {std::pair{"GB", std::int64_t{1'000'000'000}}, std::pair{"MB", std::int64_t{1'000'000}},
          std::pair{"kB", std::int64_t{1000}}})
        if (bytes >= size && bytes % (size / 1000) == 0)
            return fmt::format("{:g} {}", static_cast<double>(bytes) / static_cast<double>(size),
                               name);
    return fmt::format("{} B", bytes);
}

std::string co_runners(const PipelineReport& report) {
    if (report.system.clients.empty()) return {};
    std::string rows;
    for (const auto& client : report.system.clients) {
        std::string operations;
        for (const auto& operation : client.operations)
            operations += fmt::format(
                "{}{}: up to {}, {}", operations.empty() ? "" : "; ",
                report.system.servers[operation.server].name, models::to_string(operation.longest),
                operation.distance ? "at least every " + models::to_string(*operation.distance)
                                   : std::string{"at any rate"});
        rows += "<tr>" + cell(client.name) + cell(operations.empty() ? "none stated" : operations);
        for (const auto& budget : client.traffic)
            rows += cell(budget ? fmt::format("{} + {}/s", bytes_text(budget->burst),
                                              bytes_text(budget->rate))
                                : std::string{"not stated"});
        rows += "</tr>\n";
    }
    return "<h2 id=\"clients\">Co-runners and their budgets</h2>\n"
           "<p>Best-effort clients have the least urgent priority. A client that exceeds its "
           "budget "
           "breaks every bound of this page.</p>\n" +
           table("In any time t a memory serves at most burst + rate t of a client",
                 {{"client", false}, {"operations", false}, {"L2", false}, {"DRAM", false}}, rows);
}

std::string servers(const PipelineReport& report) {
    std::string rows;
    for (std::size_t i = 0; i < report.system.servers.size(); ++i) {
        const auto& server = report.system.servers[i];
        rows += "<tr>" + cell(server.name) +
                cell(server.multiprocessors > 0 ? fmt::format("{}", server.multiprocessors) : "-",
                     true) +
                cell(std::string{to_string(server.order)}) + cell(in_use_phrase(report, i), true) +
                "</tr>\n";
    }
    std::string memory = "The shared memories are excluded: nobody delays anybody else there.";
    if (!report.system.memory.is_excluded) {
        memory.clear();
        for (std::size_t m = 0; m < models::shared_memories.size(); ++m)
            memory +=
                fmt::format("{}{}: {}", m == 0 ? "Service for all together, at least: " : "; ",
                            models::shared_memories.at(m) == "l2" ? "L2" : "DRAM",
                            report.system.memory.bandwidth.at(m)
                                ? bytes_text(*report.system.memory.bandwidth.at(m)) + "/s"
                                : std::string{"not stated"});
        memory += report.system.memory.keeps_lines ? "; lines of the L2 are kept."
                                                   : "; others may evict lines of the L2.";
    }
    return "<h2 id=\"servers\">Engines and partitions</h2>\n<p>" + escape(memory) + "</p>\n" +
           table("In use: operations and others' memory traffic, at most",
                 {{"server", false}, {"SMs", true}, {"order", false}, {"in use", true}}, rows);
}

std::string sensitivity(const PipelineReport& report) {
    if (!report.wants_sensitivity) return {};
    const std::string head = "<h2 id=\"sensitivity\">Sensitivity</h2>\n";
    if (!report.sensitivity)
        return head +
               "<p>None: not every pipeline with a deadline meets it, or none has one.</p>\n";
    const auto& system = report.system;
    std::string rows;
    const auto row = [&](const std::string& what, const std::string& now, const std::string& to) {
        rows += "<tr>" + cell(what) + cell(now, true) + cell(to, true) + "</tr>\n";
    };
    for (const auto& slack : report.sensitivity->stages) {
        const auto& pipeline = system.pipelines[slack.pipeline];
        row(fmt::format("longest time of {}/{}", pipeline.name, pipeline.stages[slack.stage].name),
            models::to_string(Nanoseconds{slack.now}),
            at_least_text(slack.most) + (slack.is_open ? " and more" : ""));
    }
    for (const auto& slack : report.sensitivity->rates)
        row(fmt::format("distance of the jobs of {}", system.pipelines[slack.pipeline].name),
            models::to_string(Nanoseconds{slack.now}), at_most_text(slack.least));
    if (report.sensitivity->lowest_clock)
        row("lowest clock", fmt::format("{} kHz", system.clock->lo / 1000),
            fmt::format("{} kHz", *report.sensitivity->lowest_clock / 1000 + 1));
    return head + table("Each change alone leaves all deadlines met",
                        {{"what changes", false}, {"now", true}, {"up to", true}}, rows);
}

std::vector<RegisterRow>
assumption_rows(const std::vector<analyzer::PipelineAssumption>& assumptions) {
    std::vector<RegisterRow> rows = register_rows({assumptions.begin(), assumptions.end()});
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].stages = stages_phrase(assumptions[i].stages);
    return rows;
}

std::string closing(const PipelineReport& report) {
    return "<h2 id=\"assumptions\">Assumptions</h2>\n" +
           assumption_groups(assumption_rows(report.assumptions), {}, {}, {}) +
           "<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
           "<dt>latency</dt><dd>From the nominal instant of a job to the end of its last "
           "stage.</dd>\n"
           "<dt>own time</dt><dd>Of a stage when nothing else uses the device.</dd>\n"
           "<dt>queue</dt><dd>Time in which its server executes other operations.</dd>\n"
           "<dt>memory</dt><dd>Delay by traffic of others at the L2 and the DRAM.</dd>\n"
           "<dt>bound</dt><dd>No job is slower as long as every assumption is true.</dd>\n"
           "<dt>hybrid estimate</dt><dd>Computed like a bound from times of which one was "
           "measured; "
           "an observation is no bound.</dd>\n"
           "<dt>estimate</dt><dd>May err on either side; it never takes part in a verdict on the "
           "deadline.</dd>\n</dl>\n" +
           fmt::format("<p class=\"quiet\">warpbound {}; description {}.</p>\n",
                       escape(report.tool_version), escape(report.system.digest));
}

} // namespace

std::string misses_section(const PipelineReport& report, std::size_t p, const SectionScope& scope) {
    const auto& misses = report.misses[p];
    if (!misses) return {};
    const auto& pipeline = report.system.pipelines[p];
    const std::string tolerance = tolerance_phrase(pipeline, *misses);
    std::string out = heading(scope, "misses", "Missed deadlines, estimated") +
                      fmt::format("<p>{}{}{}.</p>\n", escape(misses_phrase(*misses)),
                                  tolerance.empty() ? "" : "; ", escape(tolerance));
    if (misses->refusal.empty())
        out +=
            "<p class=\"quiet\">Own times follow the samples; queues and traffic of others are at "
            "their bounds, so that the real share may be lower. The confidence is that of "
            "Dvoretzky, Kiefer, Wolfowitz and Massart, joint over the stages. An estimate is no "
            "bound and does not change the verdict.</p>\n";
    std::string rows;
    for (const auto& stage : misses->stages)
        rows += "<tr>" + cell(pipeline.stages[stage.stage].name) +
                cell(fmt::format("{}", stage.count), true) +
                cell(fmt::format("{:.4f}", stage.band), true) + "</tr>\n";
    return out + table("Other stages take their longest time",
                       {{"stage", false}, {"samples", true}, {"half width of the band", true}},
                       rows);
}

std::string shared_sections(const PipelineReport& report) {
    return co_runners(report) + servers(report) + sensitivity(report) + closing(report);
}

} // namespace warpbound::certification
