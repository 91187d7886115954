#include "tests/support/evidence.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/bundle/manifest.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/protocol/measure.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace warpbound::tests {

namespace {

const std::string source{WARPBOUND_SOURCE_DIR};

std::string text_of(const std::string& path) {
    return assembly::read_source(source + "/" + path).value().text;
}

} // namespace

certification::KernelInput example_kernel(const std::string& listing, const std::string& kernel,
                                          const std::string& facts, const std::string& architecture,
                                          const std::string& launch, std::int64_t runs) {
    certification::KernelInput input;
    input.listing = text_of("examples/" + listing);
    input.kernel = kernel;
    input.flow_facts = text_of("examples/" + facts);
    input.architecture = text_of("models/architecture/data/" + architecture + ".xml");
    input.launch = launch;
    input.policy = "lrr";
    if (runs > 0) add_runs(input, runs);
    return input;
}

void add_runs(certification::KernelInput& input, std::int64_t runs, harness::Draw draw) {
    const auto loaded = certification::load(input, "K1", true);
    if (!loaded) throw std::runtime_error{to_string(loaded.error())};
    const auto& made = *loaded.value();
    const auto device =
        harness::simulated_device(made.architecture, made.policy, made.multiprocessors);
    const harness::Kernel launched{made.function, &made.graph, &made.facts, made.launch};
    harness::Protocol protocol;
    protocol.repetitions = runs;
    protocol.draw = draw;
    protocol.warm_up = 0;
    const harness::SeriesKey key{made.function->name,
                                 device->identity().name,
                                 device->identity().detail,
                                 harness::to_string(protocol),
                                 made.program.digest,
                                 made.facts.digest,
                                 models::to_string(made.launch),
                                 "execution-time"};
    const auto measured = harness::measure(*device, launched, key, protocol,
                                           harness::Quantity::ExecutionTime, nullptr);
    if (!measured) throw std::runtime_error{to_string(measured.error())};
    input.series.push_back({key, measured.value().samples});
}

certification::verify::Files plain(const certification::EvidenceFiles& files) {
    certification::verify::Files all;
    for (const auto& [path, file] : files)
        all.emplace(path, file.bytes);
    return all;
}

Result<certification::verify::Files> rebuild(const certification::verify::Files& files) {
    const auto inputs = certification::inputs_of(files);
    if (!inputs) return inputs.as_failure();
    const auto bundle = certification::build_bundle(inputs.value());
    if (!bundle) return bundle.as_failure();
    return plain(bundle.value().files);
}

void edit(certification::EvidenceFiles& files, const std::string& path,
          const std::function<void(certification::Json&)>& change) {
    auto json = certification::Json::parse(files.at(path).bytes);
    change(json);
    files.at(path).bytes = certification::canonical(json);
}

std::int64_t sum_of_terms(const certification::Json& terms) {
    std::int64_t sum = 0;
    for (const auto& term : terms)
        sum += term.at("count").get<std::int64_t>() * term.at("cycles").get<std::int64_t>();
    return sum;
}

void set_value(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& value : group.values)
        if (value.name == name) {
            value.interval = interval;
            if (value.grade == models::Grade::Unknown) value.grade = models::Grade::Assumed;
            value.source = "made up for a test";
            value.reason = "made up for a test";
        }
}

void seal_again(certification::EvidenceFiles& files) {
    auto claims = certification::Json::parse(files.at("claims.json").bytes);
    for (auto& claim : claims.at("claims"))
        for (auto& evidence : claim.at("evidence")) {
            const auto file = files.find(evidence.at("path").get<std::string>());
            if (file != files.end()) evidence["sha256"] = assembly::digest_of(file->second.bytes);
        }
    files.at("claims.json").bytes = certification::canonical(claims);
    const auto run = certification::Json::parse(files.at("inputs/run.json").bytes);
    files.erase("manifest.json");
    const auto manifest =
        certification::manifest_of(files, run.at("tool").at("version").get<std::string>());
    files["manifest.json"] = {"manifest", "manifest", manifest.text};
}

certification::verify::StepResult
step_of(const std::vector<certification::verify::StepResult>& steps, const std::string& step) {
    for (const auto& result : steps)
        if (result.step == step) return result;
    throw std::runtime_error{"no step " + step};
}

} // namespace warpbound::tests
