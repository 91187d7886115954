/// \file
/// A program that uses the libraries: reads a listing of one kernel, bounds a launch of it on all
/// multiprocessors of a described machine, under any policy that conserves work, and prints the
/// bounds.
#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdio>

namespace {

using namespace warpbound;

Result<models::Bounds<models::Cycles>> bound(const char* file, const char* machine,
                                             const char* launch_text) {
    const auto source = assembly::read_source(file);
    if (!source) return source.as_failure();
    const auto program = assembly::read_program(source.value());
    if (!program) return program.as_failure();
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) return graph.as_failure();
    const auto architecture = models::load_architecture(machine);
    if (!architecture) return architecture.as_failure();
    const auto launch = models::parse_launch(launch_text);
    if (!launch) return launch.as_failure();
    const auto multiprocessors = models::require(
        architecture.value(), architecture.value().geometry, "geometry", "multiprocessors");
    if (!multiprocessors) return multiprocessors.as_failure();
    const auto policy = models::read_policy("unknown");
    if (!policy) return policy.as_failure();
    // Loop bounds, uniform branches, bank conflicts: what follows from the code and the launch.
    const auto facts = analyzer::facts_in_use(function, graph.value(), architecture.value(),
                                              launch.value(), models::FlowFacts{});
    if (!facts) return facts.as_failure();

    analyzer::Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &architecture.value();
    request.facts = &facts.value();
    request.launch = launch.value();
    request.multiprocessors = multiprocessors.value().hi;
    request.policy = policy.value();
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return analysis.as_failure();
    return analysis.value().execution_time.bounds();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: bound_listing LISTING MACHINE LAUNCH\n");
        return 2;
    }
    const auto bounds = bound(argv[1], argv[2], argv[3]);
    if (!bounds) {
        std::fprintf(stderr, "%s\n", to_string(bounds.error()).c_str());
        return 3;
    }
    std::printf("%lld to %lld core cycles\n",
                static_cast<long long>(bounds.value().lower().count()),
                static_cast<long long>(bounds.value().upper().count()));
}
