#include "certification/bundle/inputs.hpp"

#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/flow/flow_facts.hpp"
#include "assembly/amd/code_object.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/isa/reader.hpp"
#include "assembly/support/printable.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/shown_data.hpp"
#include "certification/verify/samples.hpp"
#include "harness/simulated_identity.hpp"
#include "models/architecture/costless_groups.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace warpbound::certification {

namespace {

constexpr const char* run_path = "inputs/run.json";
constexpr const char* requirements_path = "inputs/requirements.xml";
constexpr const char* qualification_path = "inputs/qualification-result.md";

std::string path_of(const std::string& id, const std::string& file) {
    return "inputs/" + id + "/" + file;
}

/// Canonical: keys in order. Row by row, as the tree of many runs takes more memory than their
/// text.
std::string series_text(const SeriesInput& series) {
    Json key = Json::object();
    for (const auto& [name, field] : harness::key_fields)
        key[std::string{name}] = series.key.*field;
    std::string text = "{\"samples\":[";
    // Seeds have 64 bits: as numbers they would not survive every JSON reader.
    for (const auto& sample : series.samples) {
        text += sample.run == 0 ? "[\"" : ",[\"";
        text += std::to_string(sample.seed) + "\"";
        for (const std::int64_t time : sample.times)
            text += "," + std::to_string(time);
        text += "]";
    }
    return text + "],\"series\":" + canonical(key) + ",\"unit\":\"core cycles\"}";
}

/// Files of a bundle. Throws a `Failure` that names the file when it is missing.
class BundleFolder {
public:
    explicit BundleFolder(const std::map<std::string, std::string>& files) : files_{files} {}

    [[nodiscard]] const std::string& text(const std::string& path) const {
        const auto found = files_.find(path);
        if (found == files_.end()) throw Failure{"is missing from the bundle", path};
        return found->second;
    }
    [[nodiscard]] Json json(const std::string& path) const {
        auto read = read_json(text(path), path);
        if (!read) throw read.error();
        return std::move(read).value();
    }
    /// Marks a file that only one entry of the inputs may refer to.
    void take(const std::string& path) {
        if (!taken_.insert(path).second) throw Failure{"named twice", path};
    }

private:
    const std::map<std::string, std::string>& files_;
    std::set<std::string> taken_;
};

SeriesInput read_series(BundleFolder& folder, const std::string& path) {
    folder.take(path);
    try {
        verify::Series read = verify::read_samples(folder.text(path), path);
        return {std::move(read.key), std::move(read.samples)};
    } catch (const verify::Finding& finding) {
        throw Failure{finding.what(), ""};
    }
}

KernelInput kernel_of(BundleFolder& folder, const std::string& id,
                      const assembly::amd::CodeDecoder* decoder) {
    const std::string path = path_of(id, "launch.json");
    folder.take(path);
    const Json launch = folder.json(path);
    KernelInput input;
    input.decoder = decoder;
    try {
        launch.at("kernel").get_to(input.kernel);
        launch.at("launch").get_to(input.launch);
        launch.at("policy").get_to(input.policy);
        input.multiprocessors = launch.value("multiprocessors", input.multiprocessors);
        input.listing = folder.text(launch.at("listing").get<std::string>());
        input.architecture = folder.text(launch.at("architecture").get<std::string>());
        if (launch.contains("flow-facts"))
            input.flow_facts = folder.text(launch.at("flow-facts").get<std::string>());
        for (const auto& source : launch.value("sources", Json::array())) {
            const auto file = source.get<std::string>();
            folder.take(file);
            input.sources.push_back(folder.text(file));
        }
        for (const auto& samples : launch.at("samples"))
            input.series.push_back(read_series(folder, samples.get<std::string>()));
        if (launch.contains("clock")) input.clock = launch.at("clock").get<std::string>();
        if (launch.contains("cubin")) input.cubin_digest = launch.at("cubin").get<std::string>();
        if (launch.contains("binary")) input.binary_digest = launch.at("binary").get<std::string>();
        input.disassembler = launch.value("disassembler", input.disassembler);
        input.loads_through_caches = launch.value("loads-through-caches", false);
        if (launch.contains("traces"))
            for (const auto& trace : launch.at("traces")) {
                const auto file = trace.get<std::string>();
                folder.take(file);
                input.traces.push_back(folder.text(file));
            }
    } catch (const Json::exception& error) {
        throw Failure{error.what(), path};
    }
    return input;
}

/// Those of branch conditions (S19b), as facts in use.
Result<void> add_infeasible_paths(LoadedInput& loaded) {
    auto resolved =
        analyzer::resolve_facts(*loaded.function, loaded.graph, loaded.facts, loaded.launch);
    if (!resolved) return resolved.as_failure();
    append(loaded.facts, resolved.value().infeasible_paths);
    return boost::outcome_v2::success();
}

std::int64_t factor_of(std::int64_t thousandths) {
    constexpr std::int64_t largest = 1'000'000'000;
    if (thousandths < 1000 || thousandths > largest)
        throw Failure{fmt::format("check-factor-thousandths is {}; expected 1000 to {}",
                                  thousandths, largest),
                      run_path};
    return thousandths;
}

} // namespace

std::string kernel_id(std::size_t kernel) {
    return fmt::format("K{}", kernel + 1);
}

std::string model_path(const models::Architecture& machine) {
    std::string name = machine.name;
    for (std::string group : models::groups_that_cost_nothing(machine)) {
        std::replace(group.begin(), group.end(), '/', '-');
        name += "." + group + "-none";
    }
    return "model/" + name + ".xml";
}

std::string listing_path(const std::string& id, const std::string& listing) {
    return path_of(id, assembly::amd::is_code_object(listing) ? "code.hsaco" : "listing.sass");
}

std::string trace_path(const std::string& id, std::size_t trace) {
    return path_of(id, fmt::format("trace-{}.traceg", trace + 1));
}

std::string source_path(const std::string& id, std::size_t source) {
    return path_of(id, fmt::format("source-{}.txt", source + 1));
}

Result<EvidenceFiles> input_files(const BundleInputs& inputs) {
    EvidenceFiles files;
    const auto add = [&](const std::string& path, const char* role, std::string bytes) {
        files[path] = {role, "inputs", std::move(bytes)};
    };
    Json run{{"tool", {{"name", "warpbound"}, {"version", inputs.tool_version}}},
             {"solver-seed", inputs.solver_seed},
             {"components", Json::array()},
             {"kernels", Json::array()}};
    for (const auto& component : inputs.components)
        run["components"].push_back({{"name", component.name},
                                     {"version", component.version},
                                     {"licence", component.licence}});
    if (inputs.check_factor_thousandths)
        run["check-factor-thousandths"] = *inputs.check_factor_thousandths;
    if (inputs.requirements) {
        run["requirements"] = requirements_path;
        add(requirements_path, "requirements", *inputs.requirements);
    }
    if (inputs.qualification_result) {
        run["qualification-result"] = qualification_path;
        add(qualification_path, "qualification-result", *inputs.qualification_result);
    }
    for (std::size_t i = 0; i < inputs.calibration.size(); ++i) {
        const std::string path = fmt::format("inputs/calibration/samples-{}.json", i + 1);
        run["calibration"].push_back(path);
        add(path, "samples", series_text(inputs.calibration[i]));
    }
    for (std::size_t i = 0; i < inputs.kernels.size(); ++i) {
        const KernelInput& kernel = inputs.kernels[i];
        const std::string id = kernel_id(i);
        run["kernels"].push_back(id);
        const auto architecture = models::read_architecture({"architecture", kernel.architecture});
        if (!architecture) return architecture.as_failure();
        const std::string model = model_path(architecture.value());
        if (const auto known = files.find(model);
            known != files.end() && known->second.bytes != kernel.architecture)
            return Failure{"two different machine descriptions have this name", model};
        add(model, "architecture", kernel.architecture);
        const std::string listing = listing_path(id, kernel.listing);
        add(listing, "listing", kernel.listing);
        Json launch{{"kernel", kernel.kernel}, {"launch", kernel.launch},
                    {"policy", kernel.policy}, {"listing", listing},
                    {"architecture", model},   {"samples", Json::array()}};
        if (kernel.multiprocessors != 1) launch["multiprocessors"] = kernel.multiprocessors;
        if (kernel.flow_facts) {
            launch["flow-facts"] = path_of(id, "flow-facts.xml");
            add(path_of(id, "flow-facts.xml"), "flow-facts", *kernel.flow_facts);
        }
        for (std::size_t source = 0; source < kernel.sources.size(); ++source) {
            launch["sources"].push_back(source_path(id, source));
            add(source_path(id, source), "source", kernel.sources[source]);
        }
        for (std::size_t series = 0; series < kernel.series.size(); ++series) {
            const std::string path = path_of(id, fmt::format("samples-{}.json", series + 1));
            launch["samples"].push_back(path);
            add(path, "samples", series_text(kernel.series[series]));
        }
        if (kernel.clock) launch["clock"] = *kernel.clock;
        if (kernel.cubin_digest) launch["cubin"] = *kernel.cubin_digest;
        if (kernel.binary_digest) launch["binary"] = *kernel.binary_digest;
        if (!kernel.disassembler.empty()) launch["disassembler"] = kernel.disassembler;
        if (kernel.loads_through_caches) launch["loads-through-caches"] = true;
        for (std::size_t trace = 0; trace < kernel.traces.size(); ++trace) {
            launch["traces"].push_back(trace_path(id, trace));
            add(trace_path(id, trace), "trace", kernel.traces[trace]);
        }
        add(path_of(id, "launch.json"), "launch", canonical(launch));
    }
    add(run_path, "run", canonical(run));
    return files;
}

Result<BundleInputs> inputs_of(const std::map<std::string, std::string>& files,
                               const assembly::amd::CodeDecoder* decoder) {
    try {
        BundleFolder folder{files};
        const Json run = folder.json(run_path);
        BundleInputs inputs;
        run.at("tool").at("version").get_to(inputs.tool_version);
        run.at("solver-seed").get_to(inputs.solver_seed);
        for (const auto& component : run.at("components"))
            inputs.components.push_back({component.at("name").get<std::string>(),
                                         component.at("version").get<std::string>(),
                                         component.at("licence").get<std::string>()});
        if (run.contains("check-factor-thousandths"))
            inputs.check_factor_thousandths =
                factor_of(run.at("check-factor-thousandths").get<std::int64_t>());
        if (run.contains("requirements"))
            inputs.requirements = folder.text(run.at("requirements").get<std::string>());
        if (run.contains("qualification-result"))
            inputs.qualification_result =
                folder.text(run.at("qualification-result").get<std::string>());
        for (const auto& path : run.value("calibration", Json::array()))
            inputs.calibration.push_back(read_series(folder, path.get<std::string>()));
        for (const auto& id : run.at("kernels"))
            inputs.kernels.push_back(kernel_of(folder, id.get<std::string>(), decoder));
        return inputs;
    } catch (const Failure& failure) {
        return failure;
    } catch (const Json::exception& error) {
        return Failure{error.what(), run_path};
    }
}

Result<std::unique_ptr<LoadedInput>> read_stated(const KernelInput& input, const std::string& id,
                                                 bool will_simulate) {
    auto loaded = std::make_unique<LoadedInput>();
    const std::string listing = listing_path(id, input.listing);
    const bool is_amd = assembly::amd::is_code_object(input.listing);
    auto program = is_amd ? assembly::amd::read_code({listing, input.listing}, input.decoder)
                          : assembly::read_program({listing, input.listing});
    if (!program) return program.as_failure();
    loaded->program = std::move(program).value();
    const auto function = assembly::find_function(loaded->program, input.kernel);
    if (!function) return function.as_failure();
    loaded->function = function.value();
    if (!is_utf8(loaded->function->name))
        return Failure{fmt::format("the kernel's name '{}' is not UTF-8, and evidence is; expected "
                                   "another name: rename the kernel and compile it again",
                                   loaded->function->name),
                       listing};
    auto graph = assembly::build_control_flow_graph(*loaded->function);
    if (!graph) return graph.as_failure();
    loaded->graph = std::move(graph).value();
    auto architecture = models::read_architecture({"architecture of " + id, input.architecture});
    if (!architecture) return architecture.as_failure();
    loaded->architecture = std::move(architecture).value();
    if (auto checked =
            models::check_runs_on(loaded->architecture, input.kernel, loaded->function->target);
        !checked)
        return Failure{checked.error().what, listing};
    const auto launch = models::parse_launch(input.launch);
    if (!launch) return launch.as_failure();
    loaded->launch = launch.value();
    if (is_amd) {
        const auto lanes = models::require(loaded->architecture, loaded->architecture.geometry,
                                           "geometry", "warp-size");
        if (!lanes) return lanes.as_failure();
        if (auto checked = assembly::amd::check_launch(input.listing, loaded->function->name,
                                                       loaded->launch.threads, lanes.value().lo,
                                                       loaded->architecture.name);
            !checked)
            return Failure{checked.error().what, listing};
    }
    const auto policy = models::read_policy(input.policy);
    if (!policy) return policy.as_failure();
    loaded->policy = policy.value();
    loaded->multiprocessors = input.multiprocessors;
    loaded->loads_through_caches = input.loads_through_caches;
    auto clock = models::clock_in_use(input.clock.value_or(""), loaded->architecture);
    if (!clock) return Failure{clock.error().what, path_of(id, "launch.json")};
    loaded->follows_guards =
        !will_simulate &&
        std::none_of(input.series.begin(), input.series.end(), [](const SeriesInput& series) {
            return series.key.device.starts_with(harness::simulated_prefix);
        });
    loaded->clock = std::move(clock).value();
    loaded->facts.kernel = loaded->function->name;
    loaded->facts.program_digest = loaded->program.digest;
    if (input.flow_facts) {
        auto facts = models::read_flow_facts({path_of(id, "flow-facts.xml"), *input.flow_facts});
        if (!facts) return facts.as_failure();
        loaded->facts = std::move(facts).value();
        if (auto checked = models::check_written_for(loaded->facts, loaded->function->name,
                                                     loaded->program.digest);
            !checked)
            return checked.as_failure();
    }
    return loaded;
}

Result<std::unique_ptr<LoadedInput>> load(const KernelInput& input, const std::string& id,
                                          bool will_simulate) {
    auto read = read_stated(input, id, will_simulate);
    if (!read) return read;
    LoadedInput& loaded = *read.value();
    auto facts = analyzer::facts_in_use(*loaded.function, loaded.graph, loaded.architecture,
                                        loaded.launch, std::move(loaded.facts));
    if (!facts) return facts.as_failure();
    loaded.facts = std::move(facts).value();
    if (!loaded.follows_guards) return read;
    if (auto added = add_infeasible_paths(loaded); !added) return added.as_failure();
    return read;
}

analyzer::Request request_of(const LoadedInput& input, std::uint64_t solver_seed) {
    analyzer::Request request;
    request.function = input.function;
    request.graph = &input.graph;
    request.architecture = &input.architecture;
    request.facts = &input.facts;
    request.launch = input.launch;
    request.policy = input.policy;
    request.multiprocessors = input.multiprocessors;
    request.loads_through_caches = input.loads_through_caches;
    request.is_shown = [&input, solver_seed](const analyzer::LoadedUnits& loaded) {
        return is_shown(request_of(input, solver_seed), loaded);
    };
    request.follow_guards = input.follows_guards;
    request.seed = solver_seed;
    return request;
}

} // namespace warpbound::certification
