#include "certification/verify/pipeline/claimed_pipelines.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_claims(const std::string& what) {
    incomplete("claims.json: " + what);
}

std::int64_t time_of(const json& value) {
    const std::int64_t time = whole_number(value);
    if (time < 0 || time > models::longest_latency.count())
        refuse_claims(fmt::format("{}: a time from 0 to 2^57 ns was expected", time));
    return time;
}

ClaimedStage stage_of(const json& row, const models::PipelineStage& stage,
                      const std::string& pipeline) {
    ClaimedStage claimed;
    claimed.where = fmt::format("stage '{}' of '{}'", stage.name, pipeline);
    if (row.at("name") != stage.name)
        refuse_claims(
            fmt::format("{} was expected, {} is there", claimed.where, row.at("name").dump()));
    row.at("basis").get_to(claimed.basis);
    claimed.source = row.value("source", std::string{});
    claimed.server = row.value("server", std::string{});
    claimed.kernel = row.value("kernel", std::string{});
    if (row.contains("cycles"))
        claimed.cycles = {whole_number(row.at("cycles").at("lower")),
                          whole_number(row.at("cycles").at("upper"))};
    claimed.own_lower = time_of(row.at("own-time").at("lower"));
    claimed.own_upper = time_of(row.at("own-time").at("upper"));
    claimed.earliest = time_of(row.at("earliest"));
    claimed.latest = time_of(row.at("latest"));
    claimed.response = time_of(row.at("response"));
    claimed.end = time_of(row.at("end"));
    if (row.contains("busy-period")) claimed.busy_period = time_of(row.at("busy-period"));
    for (const auto& start : row.value("starts", json::array()))
        claimed.starts.push_back(time_of(start));
    for (std::size_t m = 0; m < models::shared_memories.size(); ++m) {
        const std::string memory{models::shared_memories.at(m)};
        if (row.contains("traffic") && row.at("traffic").contains(memory))
            claimed.traffic.at(m) = whole_number(row.at("traffic").at(memory));
    }
    if (row.contains("interference")) claimed.interference = row.at("interference");
    return claimed;
}

ClaimedPipeline pipeline_of(const json& row, const models::Pipeline& pipeline) {
    ClaimedPipeline claimed;
    if (row.at("name") != pipeline.name)
        refuse_claims(fmt::format("pipeline '{}' was expected, {} is there", pipeline.name,
                                  row.at("name").dump()));
    claimed.name = pipeline.name;
    row.at("kind").get_to(claimed.kind);
    if (row.at("unit") != "ns") refuse_claims("the unit of a latency is not ns");
    claimed.lower = time_of(row.at("lower"));
    claimed.upper = time_of(row.at("upper"));
    if (row.contains("deadline")) claimed.deadline = time_of(row.at("deadline"));
    claimed.criticality = row.value("criticality", std::string{});
    claimed.verdict = row.value("verdict", std::string{});
    if (row.at("stages").size() != pipeline.stages.size())
        refuse_claims(fmt::format("'{}' has {} stages, the description {}", pipeline.name,
                                  row.at("stages").size(), pipeline.stages.size()));
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
        claimed.stages.push_back(
            stage_of(row.at("stages").at(i), pipeline.stages[i], pipeline.name));
    return claimed;
}

} // namespace

ClaimedPipelines read_claimed_pipelines(const json& claims, const models::PipelineSystem& system) {
    try {
        ClaimedPipelines claimed;
        const json& rows = claims.at("pipelines");
        if (rows.size() != system.pipelines.size())
            refuse_claims(fmt::format("{} pipelines, the description has {}", rows.size(),
                                      system.pipelines.size()));
        for (std::size_t p = 0; p < system.pipelines.size(); ++p)
            claimed.pipelines.push_back(pipeline_of(rows.at(p), system.pipelines[p]));
        claims.at("kind").get_to(claimed.kind);
        claims.at("verdict").get_to(claimed.verdict);
        if (claims.contains("clock"))
            claimed.clock = {whole_number(claims.at("clock").at("lo")),
                             whole_number(claims.at("clock").at("hi"))};
        return claimed;
    } catch (const json::exception& error) {
        refuse_claims(error.what());
    }
}

} // namespace warpbound::certification::verify
