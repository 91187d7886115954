/// \file
/// `warpbound predict`: what the published formulas say of a kernel.

#include "cli/command.hpp"
#include "cli/voudouris.hpp"
#include "models/kernel_profile.hpp"
#ifdef WARPBOUND_HAS_ANALYZER
#include "analyzer/analysis.hpp"
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::cli {

namespace {

namespace voudouris = models::voudouris;
using Json = nlohmann::ordered_json;

struct Options {
    KernelOptions kernel;
    std::string profile;
    std::string architecture;
    std::string parameters;
    std::string model = "voudouris";
    std::string launch = "1x32";
    std::string format = "text";
    std::optional<std::int64_t> hidden;
};

struct Profiles {
    models::KernelProfile best;
    models::KernelProfile worst;
    models::Cycles hidden; ///< On the worst path.
    bool hidden_known = false;
    std::string origin;
};

#ifdef WARPBOUND_HAS_ANALYZER
std::vector<std::int64_t> counts_of(const assembly::ControlFlowGraph& graph,
                                    const analyzer::SideResult& side) {
    std::vector<std::int64_t> counts(graph.blocks.size(), 0);
    for (const auto& block : side.blocks)
        counts[block.block] = block.count;
    return counts;
}

/// Instruction counts along the shortest and the longest path of the analysis.
Result<Profiles> profiles_of_listing(const Options& options,
                                     const models::Architecture& architecture,
                                     const voudouris::Parameters& parameters) {
    const auto kernel = load_kernel(options.kernel);
    if (!kernel) return kernel.as_failure();
    const LoadedKernel& loaded = *kernel.value();
    const auto target = check_target(loaded, architecture);
    if (!target) return target.as_failure();
    const auto launch = models::parse_launch(options.launch);
    if (!launch) return launch.as_failure();
    analyzer::Request request;
    request.function = loaded.function;
    request.graph = &loaded.graph;
    request.architecture = &architecture;
    request.facts = &loaded.facts;
    request.launch = launch.value();
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return analysis.as_failure();
    const auto& envelope = analysis.value().execution_time;
    const auto best = voudouris::profile_of(*loaded.function, loaded.graph,
                                            counts_of(loaded.graph, envelope.lower), parameters);
    if (!best) return best.as_failure();
    const auto worst = voudouris::profile_of(*loaded.function, loaded.graph,
                                             counts_of(loaded.graph, envelope.upper), parameters);
    if (!worst) return worst.as_failure();
    return Profiles{best.value().counts, worst.value().counts, worst.value().hidden_latency, true,
                    "instruction counts along the shortest and the longest path of " +
                        loaded.function->name};
}
#endif

Result<Profiles> profiles_of(const Options& options, const models::Architecture& architecture,
                             const voudouris::Parameters& parameters) {
    if (!options.profile.empty()) {
        const auto source = assembly::read_source(options.profile);
        if (!source) return source.as_failure();
        const auto profile = models::read_profile(source.value());
        if (!profile) return profile.as_failure();
        const std::int64_t stated = profile.value().hidden_latency;
        return Profiles{profile.value().counts, profile.value().counts,
                        models::Cycles{options.hidden.value_or(stated)},
                        options.hidden.has_value() || stated != 0,
                        "instruction counts of " + options.profile};
    }
#ifdef WARPBOUND_HAS_ANALYZER
    return profiles_of_listing(options, architecture, parameters);
#else
    (void)architecture;
    (void)parameters;
    return Failure{
        "this build has no analyzer and cannot count a listing's instructions; give --profile",
        options.kernel.file};
#endif
}

struct Row {
    std::string variant;
    double value;
};

std::string render(const Options& options, const models::Architecture& architecture,
                   const voudouris::Parameters& parameters, const Profiles& profiles,
                   const std::vector<Row>& rows) {
    const auto symbols = voudouris::explain(profiles.worst, profiles.hidden, parameters);
    if (options.format == "json") {
        Json estimates = Json::array();
        for (const auto& [variant, value] : rows)
            estimates.push_back({{"model", "voudouris"},
                                 {"variant", variant},
                                 {"value", value},
                                 {"unit", "cycles"},
                                 {"kind", "estimate"},
                                 {"source", "Voudouris 2014, eq. 1-11, section 7.1"}});
        Json inputs = Json::array();
        for (const auto& symbol : symbols)
            inputs.push_back({{"symbol", symbol.symbol},
                              {"value", symbol.value},
                              {"unit", symbol.unit},
                              {"source", symbol.source}});
        return Json{
                   {"architecture", {{"name", architecture.name}, {"digest", architecture.digest}}},
                   {"parameters", parameters.name},
                   {"profile", profiles.origin},
                   {"estimates", estimates},
                   {"inputs", inputs}}
                   .dump(2) +
               "\n";
    }
    std::string out = fmt::format("Voudouris 2014 on {}, costs: {}\n{}\n\n", architecture.name,
                                  parameters.name, profiles.origin);
    for (const auto& [variant, value] : rows)
        out += fmt::format("  {:<8} {:>12.1f} cycles   estimate, not a bound\n", variant, value);
    if (!profiles.hidden_known)
        out += "  average: not given: the latency that loads hide is unknown for a profile "
               "(--hidden-latency states it)\n";
    out += "\ninputs (worst case)\n";
    for (const auto& symbol : symbols)
        out += fmt::format("  {:<24} {:>12} {:<12} {}\n", symbol.symbol, symbol.value, symbol.unit,
                           symbol.source);
    return out;
}

Exit run(const Options& options) {
    if (options.kernel.file.empty() == options.profile.empty())
        return refuse(Failure{"name either a listing or a --profile", "predict"});
    const auto architecture = models::load_architecture(options.architecture);
    if (!architecture) return refuse(architecture.error());
    const auto parameters = voudouris_parameters(options.parameters, architecture.value());
    if (!parameters) return refuse(parameters.error());
    const auto profiles = profiles_of(options, architecture.value(), parameters.value());
    if (!profiles) return refuse(profiles.error());
    const voudouris::Times best =
        voudouris::time_of(profiles.value().best, models::Cycles{0}, parameters.value());
    const voudouris::Times worst =
        voudouris::time_of(profiles.value().worst, profiles.value().hidden, parameters.value());
    std::vector<Row> rows{{"best", best.best.value()}};
    if (profiles.value().hidden_known) rows.push_back({"average", worst.average.value()});
    rows.push_back({"worst", worst.worst.value()});
    return write_result(
        render(options, architecture.value(), parameters.value(), profiles.value(), rows));
}

} // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("predict", "Estimate a kernel's time with published formulas");
    command->add_option("FILE", options->kernel.file, "Listing of the kernel");
    command->add_option("--kernel", options->kernel.kernel,
                        "Kernel to take when the file holds several");
    options->kernel.add_flow_facts_to(*command);
    command->add_option("--profile", options->profile,
                        "Instruction counts (XML) instead of a listing");
    command
        ->add_option("--architecture", options->architecture,
                     "Machine: a name from `architectures` or a file")
        ->required();
    command->add_option("--launch", options->launch, "Blocks x threads per block (with a listing)")
        ->capture_default_str();
    command->add_option("--model", options->model, "Formula")
        ->check(CLI::IsMember({"voudouris"}))
        ->capture_default_str();
    command
        ->add_option("--parameters", options->parameters,
                     "Costs per class: table-7 and reconstruction-a are published for Fermi, "
                     "description takes the "
                     "machine's (default: table-7 on Fermi, else description)")
        ->check(CLI::IsMember({"table-7", "reconstruction-a", "description"}));
    command
        ->add_option("--hidden-latency", options->hidden,
                     "Load latency in cycles that other instructions hide (with --profile)")
        ->check(CLI::NonNegativeNumber);
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Example: warpbound predict --profile examples/profiles/voudouris-rows.xml\n"
        "           --architecture fermi-gtx470 --model voudouris --parameters reconstruction-a");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
