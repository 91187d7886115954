#include "tests/silicon/launch_trial.hpp"

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "harness/execution/input_values.hpp"
#include "harness/simulator/decode/occupancy_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace warpbound::silicon {

namespace {

using harness::execution::DeviceMemory;

/// The words of the arguments. Buffers enter the memory; without one only their alignment is known.
Result<models::ArgumentWords> words_of(const std::string& arguments, DeviceMemory* memory) {
    models::ArgumentWords words;
    std::istringstream text{arguments};
    for (std::string argument; text >> argument;) {
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = argument.substr(equals + 1);
        std::vector<std::string> plain;
        if (harness::execution::is_buffer_form(value)) {
            if (memory == nullptr) {
                // CUDA C++ Programming Guide, Device Memory Accesses: what is allocated is aligned
                // to at least 256 bytes.
                if (const auto added = models::add_argument_word(name + "=disjoint:256", words);
                    !added)
                    return added.as_failure();
                continue;
            }
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

Result<std::map<std::int64_t, std::vector<std::byte>>> constants_of(const std::string& text) {
    std::map<std::int64_t, std::vector<std::byte>> banks;
    if (text.empty()) return banks;
    const std::size_t equals = text.find('=');
    const auto bank = models::read_number(text.substr(0, equals));
    if (!bank || equals == std::string::npos)
        return Failure{text + ": expected BANK=buffer:..", "", 0, 0};
    auto buffer = harness::execution::read_buffer("bank", text.substr(equals + 1));
    if (!buffer) return buffer.as_failure();
    banks[static_cast<std::int64_t>(*bank)] = std::move(buffer.value().bytes);
    return banks;
}

constexpr std::int64_t sampled_waves = 3;
constexpr std::int64_t sampled_multiprocessors = 8;
constexpr harness::RunOptions typical_run{.seed = 1, .draw = harness::Draw::Typical, .path = {}};

} // namespace

Result<std::unique_ptr<LaunchTrial>> LaunchTrial::load(TrialInput input, const MeasuredCard& card) {
    std::unique_ptr<LaunchTrial> trial{new LaunchTrial{card}};
    auto file = harness::toolchain::KernelFile::open(input.file.string(), {});
    if (!file) return file.as_failure();
    const auto kernel = file.value().find(input.kernel);
    if (!kernel) return kernel.as_failure();
    auto code = file.value().read(kernel.value());
    if (!code) return code.as_failure();
    trial->code_ = std::move(code).value();
    auto graph = assembly::build_control_flow_graph(*trial->code_.function);
    if (!graph) return graph.as_failure();
    trial->graph_ = std::move(graph).value();
    auto launch = models::parse_launch(input.launch);
    if (!launch) return launch.as_failure();
    trial->launch_ = std::move(launch).value();
    auto words = words_of(input.arguments, nullptr);
    if (!words) return words.as_failure();
    trial->launch_.arguments = std::move(words).value();
    if (input.facts) {
        const auto text = assembly::read_source(*input.facts);
        if (!text) return text.as_failure();
        auto facts = models::read_flow_facts(text.value());
        if (!facts) return facts.as_failure();
        trial->facts_ = std::move(facts).value();
    }
    trial->input_ = std::move(input);
    return trial;
}

std::optional<std::int64_t> LaunchTrial::registers() const {
    if (launch_.registers) return launch_.registers;
    return code_.summary.registers;
}

std::int64_t LaunchTrial::multiprocessors() const {
    return card_.machine.geometry.find("multiprocessors")->interval->lo;
}

Result<models::Bounds<models::Cycles>> LaunchTrial::bounds() const {
    const auto facts =
        analyzer::facts_in_use(*code_.function, graph_, card_.machine, launch_, facts_);
    if (!facts) return facts.as_failure();
    analyzer::Request request;
    request.function = code_.function;
    request.graph = &graph_;
    request.architecture = &card_.machine;
    request.facts = &facts.value();
    request.launch = launch_;
    request.multiprocessors = multiprocessors();
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return analysis.as_failure();
    return analysis.value().execution_time.bounds();
}

Result<std::unique_ptr<harness::execution::ExecutedLaunch>>
LaunchTrial::execute(const models::Launch& launch) const {
    harness::execution::LaunchInputs inputs{code_.function, &graph_, launch, {}};
    auto words = words_of(input_.arguments, &inputs.memory);
    if (!words) return words.as_failure();
    inputs.launch.arguments = std::move(words).value();
    auto constants = constants_of(input_.constants);
    if (!constants) return constants.as_failure();
    inputs.constants = std::move(constants).value();
    return harness::execution::ExecutedLaunch::run(std::move(inputs));
}

std::vector<std::size_t> LaunchTrial::path_of(const harness::execution::ExecutedLaunch& executed,
                                              std::int64_t number) const {
    std::vector<std::size_t> path;
    const auto block = executed.block(number);
    if (!block) return path;
    for (const auto& stretch : block.value()->warps.front().stretches)
        if ((stretch.lanes & 1U) != 0 && stretch.first == graph_.blocks[stretch.block].first)
            path.push_back(stretch.block);
    return path;
}

Result<SimulatedLaunch> LaunchTrial::simulate() const {
    const auto executed = execute(launch_);
    if (!executed) return executed.as_failure();
    const models::FlowFacts none;
    const harness::Kernel kernel{code_.function, &graph_, &none, launch_, executed.value().get()};
    const models::HostOperation again{.kind = models::HostOperationKind::Launch, .stream = 0};
    const harness::Workload workload{{kernel}, {again, again}};
    const models::WarpPolicy policy = models::read_policy("gto").value();
    const auto prepared = harness::simulator::WorkloadMachine::prepare(
        card_.machine, workload, policy, multiprocessors(), harness::simulator::Range{0, 0});
    if (!prepared) return prepared.as_failure();
    ResourceUse use{card_.machine, *code_.function, launch_.blocks * launch_.warps_per_block(),
                    multiprocessors()};
    const auto observed = prepared.value()->run(
        typical_run, [&](const harness::simulator::Event& event) { use.add(event); });
    if (!observed) return observed.as_failure();
    const auto& times = observed.value().operations;
    SimulatedLaunch result;
    result.cycles = times[1].ended - times[0].ended;
    result.blocks = launch_.blocks;
    use.report(result);
    result.path = path_of(*executed.value(), launch_.blocks / 2);
    return result;
}

Result<std::int64_t> LaunchTrial::block_slots() const {
    const auto limit =
        harness::simulator::occupancy_limit_of(card_.machine, launch_, *code_.function, 32, true);
    if (!limit) return limit.as_failure();
    return limit.value().slots;
}

Result<SimulatedLaunch> LaunchTrial::sample() const {
    const std::int64_t sms = std::min(sampled_multiprocessors, multiprocessors());
    const auto slots = block_slots();
    if (!slots) return slots.as_failure();
    const std::int64_t wave = slots.value() * sms;
    models::Launch part = launch_;
    const std::int64_t columns = launch_.grid->blocks[0];
    part.grid->blocks[1] =
        std::min(launch_.grid->blocks[1], (sampled_waves * wave + columns - 1) / columns);
    part.blocks = part.grid->count();
    const auto executed = execute(part);
    if (!executed) return executed.as_failure();
    const models::FlowFacts none;
    const harness::Kernel kernel{code_.function, &graph_, &none, part, executed.value().get()};
    const models::WarpPolicy policy = models::read_policy("gto").value();
    const auto prepared = harness::simulator::Machine::prepare(card_.machine, kernel, policy, sms);
    if (!prepared) return prepared.as_failure();
    ResourceUse use{card_.machine, *code_.function, 0, sms};
    std::vector<std::int64_t> ends; // Of warps, in their order.
    const auto observed =
        prepared.value()->run(typical_run, [&](const harness::simulator::Event& event) {
            use.add(event);
            if (const auto* ended = std::get_if<harness::simulator::WarpEnded>(&event))
                ends.push_back(ended->cycle);
        });
    if (!observed) return observed.as_failure();
    SimulatedLaunch result;
    result.cycles = observed.value().execution_time.count();
    result.blocks = part.blocks;
    use.report(result);
    result.path = path_of(*executed.value(), part.blocks / 2);
    // Of these SMs alone; a launch of few blocks is rounded up.
    const std::int64_t share = (launch_.blocks * sms + multiprocessors() - 1) / multiprocessors();
    const auto warps = static_cast<std::size_t>(wave * launch_.warps_per_block());
    if (ends.size() < 2 * warps)
        return Failure{"the launch has fewer than two waves: simulate all of it", "", 0, 0};
    const auto second_wave = static_cast<double>(ends[2 * warps - 1] - ends[warps - 1]);
    result.cycles += std::llround(second_wave * static_cast<double>(share - part.blocks) /
                                  static_cast<double>(wave));
    return result;
}

std::vector<std::size_t> LaunchTrial::stated_path() const {
    std::vector<std::size_t> path;
    const auto facts =
        analyzer::facts_in_use(*code_.function, graph_, card_.machine, launch_, facts_);
    if (!facts) return path;
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
        path.push_back(block);
        const auto loop = std::ranges::find_if(graph_.loops, [&](const assembly::Loop& one) {
            return one.depth == 1 && one.blocks.back() == block;
        });
        if (loop == graph_.loops.end()) continue;
        const auto fact = std::ranges::find(
            facts.value().loops, graph_.blocks[loop->header].address, &models::LoopFact::header);
        if (fact == facts.value().loops.end()) continue;
        for (std::int64_t turn = 1; turn < fact->max; ++turn)
            path.insert(path.end(), loop->blocks.begin(), loop->blocks.end());
    }
    return path;
}

std::map<std::string, double> LaunchTrial::predict(const SimulatedLaunch& simulated) const {
    SimulatedLaunch run = simulated;
    if (run.path.empty()) run.path = stated_path();
    return predictions_of(*code_.function, graph_, card_.machine, launch_, facts_, run);
}

} // namespace warpbound::silicon
