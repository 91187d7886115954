#include "tests/support/stated_uniformity.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "models/facts/divergence_default.hpp"

namespace warpbound::tests {

void state_uniform_elsewhere(models::FlowFacts& facts, const std::string& listing) {
    const auto program = assembly::read_program({facts.kernel, listing}).value();
    const assembly::Function& function = *assembly::find_function(program, facts.kernel).value();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const auto deciding = models::deciding_instructions(function, graph);
    for (std::size_t i = 0; i < deciding.size(); ++i)
        if (const std::int64_t at = function.instructions[i].address;
            deciding[i] && !facts.is_divergent(at) && !facts.is_uniform(at))
            facts.uniforms.push_back({at, {}});
}

} // namespace warpbound::tests
