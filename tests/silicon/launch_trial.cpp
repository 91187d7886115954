#include "tests/silicon/launch_trial.hpp"

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "harness/execution/input_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace warpbound::silicon {

namespace {

using harness::execution::DeviceMemory;

std::string replaced(std::string text, std::string_view symbol, const std::string& number) {
    for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol))
        text.replace(at, symbol.size(), number);
    return text;
}

/// The words of the arguments. Buffers enter the memory; without one they are left out.
Result<models::ArgumentWords> words_of(const std::string& arguments, DeviceMemory* memory) {
    models::ArgumentWords words;
    std::istringstream text{arguments};
    for (std::string argument; text >> argument;) {
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = argument.substr(equals + 1);
        std::vector<std::string> plain;
        if (harness::execution::is_buffer_form(value)) {
            if (memory == nullptr) continue;
            auto buffer = harness::execution::read_buffer(name, value);
            if (!buffer) return buffer.as_failure();
            const std::uint64_t address = memory->add(std::move(buffer).value());
            const auto offset = models::read_number(name).value_or(0);
            plain = {fmt::format("0x{:x}={}", offset, address & 0xffffffffU),
                     fmt::format("0x{:x}={}", offset + 4, address >> 32U)};
        } else {
            const auto number = harness::execution::scalar_text(value, 4);
            if (!number) return Failure{argument + ": expected a number or a buffer", "", 0, 0};
            plain = {name + "=" + *number};
        }
        for (const std::string& word : plain)
            if (const auto added = models::add_argument_word(word, words); !added)
                return added.as_failure();
    }
    return words;
}

Result<models::Launch> launch_of(const Record& row, const Record& kernel) {
    const bool is_plane = !row.at("grid").empty();
    return models::parse_launch(fmt::format(
        "{}x256,registers={}{}{},block={},grid={}", row.at("blocks"), kernel.at("registers"),
        kernel.at("shared").empty() ? "" : ",shared-memory=", kernel.at("shared"),
        is_plane ? "16x16" : "256", row.at(is_plane ? "grid" : "blocks")));
}

} // namespace

Result<std::unique_ptr<LaunchTrial>> LaunchTrial::load(const Record& row, const Record& kernel,
                                                       const MeasuredCard& card,
                                                       const std::filesystem::path& folder) {
    std::unique_ptr<LaunchTrial> trial{new LaunchTrial{card}};
    trial->name_ = row.at("kernel");
    trial->arguments_ = kernel.at("arguments");
    for (const auto& [symbol, column] : std::initializer_list<std::pair<const char*, const char*>>{
             {"{n}", "n"}, {"{w}", "width"}, {"{i}", "iterations"}, {"{b}", "blocks"}})
        trial->arguments_ = replaced(trial->arguments_, symbol, row.at(column));
    const auto text = assembly::read_source((folder / (trial->name_ + ".sm_75.sass")).string());
    if (!text) return text.as_failure();
    auto program = assembly::read_program(text.value());
    if (!program) return program.as_failure();
    trial->program_ = std::move(program).value();
    auto graph = assembly::build_control_flow_graph(trial->program_.functions.front());
    if (!graph) return graph.as_failure();
    trial->graph_ = std::move(graph).value();
    auto launch = launch_of(row, kernel);
    if (!launch) return launch.as_failure();
    trial->launch_ = std::move(launch).value();
    auto words = words_of(trial->arguments_, nullptr);
    if (!words) return words.as_failure();
    trial->launch_.arguments = std::move(words).value();
    return trial;
}

Result<models::Bounds<models::Cycles>> LaunchTrial::bounds() const {
    const auto facts = analyzer::facts_in_use(program_.functions.front(), graph_, card_.machine,
                                              launch_, models::FlowFacts{});
    if (!facts) return facts.as_failure();
    analyzer::Request request;
    request.function = &program_.functions.front();
    request.graph = &graph_;
    request.architecture = &card_.machine;
    request.facts = &facts.value();
    request.launch = launch_;
    request.multiprocessors = card_.machine.geometry.find("multiprocessors")->interval->lo;
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return analysis.as_failure();
    return analysis.value().execution_time.bounds();
}

Result<SimulatedLaunch> LaunchTrial::simulate() const {
    harness::execution::LaunchInputs inputs{&program_.functions.front(), &graph_, launch_, {}};
    auto words = words_of(arguments_, &inputs.memory);
    if (!words) return words.as_failure();
    inputs.launch.arguments = std::move(words).value();
    auto executed = harness::execution::ExecutedLaunch::run(std::move(inputs));
    if (!executed) return executed.as_failure();
    const models::FlowFacts none;
    const harness::Kernel kernel{&program_.functions.front(), &graph_, &none, launch_,
                                 executed.value().get()};
    const models::HostOperation again{.kind = models::HostOperationKind::Launch, .stream = 0};
    const harness::Workload workload{{kernel}, {again, again}};
    models::WarpPolicy policy = models::read_policy("gto").value();
    const std::int64_t sms = card_.machine.geometry.find("multiprocessors")->interval->lo;
    const auto prepared = harness::simulator::WorkloadMachine::prepare(
        card_.machine, workload, policy, sms, harness::simulator::Range{0, 0});
    if (!prepared) return prepared.as_failure();
    ResourceUse use{card_.machine, program_.functions.front(),
                    launch_.blocks * launch_.warps_per_block()};
    const auto observed =
        prepared.value()->run({.seed = 1, .draw = harness::Draw::Typical, .path = {}},
                              [&](const harness::simulator::Event& event) { use.add(event); });
    if (!observed) return observed.as_failure();
    const auto& times = observed.value().operations;
    SimulatedLaunch result;
    result.cycles = times[1].ended - times[0].ended;
    result.instructions = executed.value()->instructions();
    use.report(result);
    const auto block = executed.value()->block(launch_.blocks / 2);
    if (!block) return block.as_failure();
    for (const auto& stretch : block.value()->warps.front().stretches)
        if ((stretch.lanes & 1U) != 0 && stretch.first == graph_.blocks[stretch.block].first)
            result.path.push_back(stretch.block);
    return result;
}

std::map<std::string, double> LaunchTrial::predict(const SimulatedLaunch& simulated) const {
    return predictions_of(program_.functions.front(), graph_, card_.machine, launch_, simulated);
}

} // namespace warpbound::silicon
