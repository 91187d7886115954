#include "analyzer/launch/needs.hpp"

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/value/kernel_parameters.hpp"
#include "assembly/flow/backward_slice.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The needs of a request, in the order of the code.
class Needs {
public:
    explicit Needs(const Request& request) : request_{request} {}

    Result<std::vector<Need>> all() {
        const auto reached = reached_instructions();
        if (!reached) return reached.as_failure();
        add_loops(reached.value());
        add_instructions(reached.value());
        add_block_values();
        return std::move(needs_);
    }

private:
    /// Instructions that can be reached, whatever the bounds of the loops that have none.
    Result<std::vector<bool>> reached_instructions() {
        models::FlowFacts facts = *request_.facts;
        const auto derived =
            derive_loops(*request_.function, *request_.graph,
                         has_divergent_branch(*request_.function, facts) ? Convergence::MayDiverge
                                                                         : Convergence::Converged);
        for (std::size_t loop = 0; loop < request_.graph->loops.size(); ++loop) {
            const std::int64_t header = address_of(request_.graph->loops[loop].header);
            if (derived[loop] || facts.loop_at(header) != nullptr) continue;
            facts.loops.push_back({header, 0, 1, {}});
            unbounded_.insert(header);
        }
        auto resolved =
            resolve_facts(*request_.function, *request_.graph, facts,
                          request_.follow_branches ? std::optional{request_.launch} : std::nullopt);
        if (!resolved) return resolved.as_failure();
        return used_instructions(*request_.function, *request_.graph, resolved.value().never);
    }

    [[nodiscard]] std::int64_t address_of(std::size_t block) const {
        return request_.graph->blocks[block].address;
    }

    void add_loops(const std::vector<bool>& reached) {
        std::set<std::int64_t> named;
        for (const auto& loop : request_.graph->loops) {
            const std::int64_t header = address_of(loop.header);
            if (!reached[request_.graph->blocks[loop.header].first] ||
                unbounded_.count(header) == 0 || !named.insert(header).second)
                continue;
            needs_.push_back({Need::Kind::LoopBound,
                              fmt::format("the loop at 0x{:04x} has no bound", header),
                              header,
                              {},
                              request_.graph->blocks[loop.header].first});
            add_sources(loop, needs_.back());
        }
    }

    void add_sources(const assembly::Loop& loop, Need& need) const {
        const auto& function = *request_.function;
        const auto sources = assembly::exit_sources(function, *request_.graph, loop);
        const models::Launch& launch = request_.launch;
        const KernelParameters block =
            block_extents(function.target, models::block_shape_of(launch));
        const KernelParameters grid = grid_extents(function.target, {});
        const KernelParameters stated = launch_words(function, launch);
        const auto are_open = [&](const KernelParameters& extents) {
            return std::any_of(sources.constants.begin(), sources.constants.end(),
                               [&](std::int64_t offset) {
                                   return extents.count(offset) != 0 && stated.count(offset) == 0 &&
                                          launch.arguments.count(offset) == 0;
                               });
        };
        if (are_open(grid)) need.extents.push_back(fmt::format("grid={}", launch.blocks));
        if (are_open(block)) need.extents.push_back(fmt::format("block={}", launch.threads));
        for (const std::int64_t offset : sources.constants)
            if (launch.arguments.count(offset) == 0 && block.count(offset) == 0 &&
                grid.count(offset) == 0)
                need.arguments.push_back(offset);
        for (const std::size_t load : sources.loads)
            need.loads.push_back(function.instructions[load].address);
        for (const std::size_t conversion : sources.conversions)
            need.conversions.push_back(function.instructions[conversion].address);
    }

    void add_instructions(const std::vector<bool>& reached) {
        const auto timings = models::instruction_timings(*request_.function, *request_.architecture,
                                                         *request_.facts, request_.launch.threads);
        for (std::size_t i = 0; i < timings.size(); ++i) {
            if (!reached[i] || timings[i]) continue;
            if (models::lacks_control_field(request_.function->instructions[i],
                                            *request_.architecture)) {
                add_encoding(i);
                continue;
            }
            const auto missing = models::missing_values(*request_.function, i,
                                                        *request_.architecture, *request_.facts);
            if (missing.empty())
                needs_.push_back({Need::Kind::Construct, timings[i].error().what,
                                  request_.function->instructions[i].address,
                                  absent_class(request_.function->instructions[i]), i});
            for (const std::string& path : missing)
                add_value(path, i);
        }
    }

    /// "classes/atomic-global", where the description lacks the class; empty: it has it, or the
    /// opcode is not known.
    [[nodiscard]] std::string absent_class(const assembly::Instruction& instruction) const {
        const auto of = instruction.opcode_class;
        return of == assembly::OpcodeClass::Unknown || request_.architecture->classes.count(of) != 0
                   ? std::string{}
                   : fmt::format("classes/{}", to_string(of));
    }

    /// One need for all instructions.
    void add_encoding(std::size_t instruction) {
        const bool is_known = std::any_of(needs_.begin(), needs_.end(), [](const Need& need) {
            return need.kind == Need::Kind::Encoding;
        });
        if (is_known) return;
        const std::int64_t address = request_.function->instructions[instruction].address;
        needs_.push_back({Need::Kind::Encoding,
                          fmt::format("the listing has no control field at 0x{:04x} (stall count, "
                                      "scoreboards), by which {} issues",
                                      address, request_.architecture->name),
                          address,
                          {},
                          instruction});
    }

    /// Values that launches with more blocks than fit at once need.
    void add_block_values() {
        const auto geometry = launch_geometry(request_.launch, *request_.function,
                                              *request_.architecture, request_.multiprocessors);
        if (geometry || !geometry.error().what.starts_with("blocks/")) return;
        for (const char* name : {"replacement", "start"}) {
            const models::SourcedValue* value = request_.architecture->blocks.find(name);
            if (value == nullptr || !value->interval)
                add_value(fmt::format("blocks/{}", name), std::nullopt);
        }
    }

    void add_value(const std::string& path, std::optional<std::size_t> instruction) {
        if (!values_.insert(path).second) return;
        const auto& function = *request_.function;
        std::string what = fmt::format("{} is unknown for {}", path, request_.architecture->name);
        std::int64_t address = 0;
        if (instruction) {
            const auto& first = function.instructions[*instruction];
            address = first.address;
            what += fmt::format(", and {} at 0x{:04x} needs it", assembly::opcode_text(first),
                                first.address);
        } else {
            what += ", and a launch with more blocks than fit at once needs it";
        }
        needs_.push_back({Need::Kind::MachineValue, std::move(what), address, path, instruction});
    }

    const Request& request_;
    std::vector<Need> needs_;
    std::set<std::int64_t> unbounded_;
    std::set<std::string> values_;
};

} // namespace

Result<std::vector<Need>> needs_of(const Request& request) {
    return Needs{request}.all();
}

} // namespace warpbound::analyzer
