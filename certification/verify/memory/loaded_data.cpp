#include "certification/verify/memory/loaded_data.hpp"

#include "certification/verify/flow/forms_in_box.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using assembly::ControlFlowGraph;
using assembly::Instruction;
using assembly::OpcodeClass;
using assembly::StateSpace;
using models::times;

constexpr std::int64_t bytes_of_low_words = std::int64_t{1} << 32;

std::int64_t quotient_up(std::int64_t value, std::int64_t by) {
    return value <= 0 ? 0 : (value - 1) / by + 1;
}

/// A set that grows by copies of itself at equal distances.
struct GrowingSet {
    std::int64_t width; ///< Of one access. `Unit:` bytes.
    std::int64_t unit;
    std::int64_t span;      ///< From its first byte to its last.
    bool is_close = true;   ///< Accesses begin at most a unit behind each other.
    bool is_gapless = true; ///< All bytes of the span are accessed.
    UnitsOfSet units{};

    [[nodiscard]] UnitsOfSet of_whole_span() const {
        const std::int64_t inside = span - unit + 1;
        return {quotient_up(span, unit), is_gapless && inside > 0 ? inside / unit : 0};
    }

    /// The cases of claim 1, in the order of its table.
    void take(const IndexStep& step) {
        const std::int64_t fitting = (bytes_of_low_words - unit - span) / step.distance + 1;
        const std::int64_t copies = std::min(step.values, fitting);
        if (copies < 2) return;
        const std::int64_t distance = step.distance;
        const std::int64_t grown = span + (copies - 1) * distance;
        if (is_close && distance <= span - width + unit) {
            const std::int64_t apart = distance >= span ? times(copies, units.filled) : 0;
            is_gapless = is_gapless && distance <= span;
            span = grown;
            const UnitsOfSet whole = of_whole_span();
            units = {whole.met, std::max({whole.filled, apart, units.filled})};
            return;
        }
        if (distance < span) return; // One copy counts.
        units.met = times(copies, units.met) - (distance >= span + unit - 1 ? 0 : copies - 1);
        units.filled = times(copies, units.filled);
        is_close = false;
        is_gapless = false;
        span = grown;
    }
};

/// Other lanes may write them while a lane waits.
std::set<assembly::Register> registers_of_warps(const assembly::Function& function) {
    std::set<assembly::Register> registers;
    for (const Instruction& instruction : function.instructions)
        for (const assembly::Register reg : instruction.effects.writes)
            if (reg.file == assembly::RegisterFile::Uniform ||
                reg.file == assembly::RegisterFile::UniformPredicate)
                registers.insert(reg);
    return registers;
}

/// Atomics fetch what they change; shared and local memory are no data of a buffer.
bool is_store_of_data(const Instruction& instruction) {
    switch (instruction.opcode_class) {
    case OpcodeClass::StoreGlobal:
    case OpcodeClass::Unknown:
        return true;
    case OpcodeClass::AtomicGlobal:
        return false;
    default:
        break;
    }
    if (instruction.control_flow == assembly::ControlFlow::ExternalCall) return true;
    const auto& access = instruction.effects.memory;
    return access && access->store && access->space != StateSpace::Shared &&
           access->space != StateSpace::Local;
}

/// Where the launch may store.
struct StoresOfLaunch {
    bool any = false;
    bool elsewhere = false;         ///< To something else than a disjoint buffer.
    std::set<std::int64_t> buffers; ///< Disjoint ones, by the offset of their pointer.
};

/// Loads of one address form and width.
struct LoadGroup {
    std::set<std::int64_t> addresses;
    std::vector<bool> blocks; ///< With such a load. `Shape:` [block]
    bool is_read_only = true;
};
using LoadGroups = std::map<std::pair<AffineForm, std::int64_t>, LoadGroup>;

class LoadedDataCheck {
public:
    LoadedDataCheck(const KernelCase& kernel, const ControlFlowGraph& graph,
                    const std::array<std::int64_t, 3>& threads)
        : kernel_{kernel}, graph_{graph}, threads_{threads}, launch_{*kernel.function,
                                                                     kernel.launch},
          execution_{*kernel.function, graph, kernel.launch, registers_of_warps(*kernel.function)} {
        LoadedSetRow all;
        for (std::size_t d = 0; d < 3; ++d)
            all.last_block.at(d) = kernel.launch.grid->blocks.at(d) - 1;
        of_all_ = box_of(all);
    }

    void check(const LoadedDataRow& stated) {
        std::set<std::int64_t> pointers;
        models::Cycles sum{0}; // A count.
        for (const LoadedSetRow& set : stated.sets) {
            const bool is_alone = stated.sets.size() == 1;
            if (!is_alone && (!is_disjoint(set.pointer) || !pointers.insert(*set.pointer).second))
                fail(set, "its data may be those of another set");
            const std::int64_t most = most_units(set, stated.bytes);
            if (set.units < 0 || set.units > most)
                fail(set, fmt::format("{} units of {} bytes are stated, {} follow from the code",
                                      set.units, stated.bytes, most));
            sum += models::Cycles{set.units};
        }
        if (sum.count() != stated.units)
            refuted(fmt::format("{}: {} units are stated to be loaded, those of the sets are {}",
                                kernel_.id, stated.units, sum.count()));
    }

private:
    [[noreturn]] void fail(const LoadedSetRow& set, const std::string& what) const {
        refuted(fmt::format("{}: loads like that at 0x{:04x}: {}", kernel_.id, set.load, what));
    }

    [[nodiscard]] ThreadBox box_of(const LoadedSetRow& set) const {
        ThreadBox box;
        for (std::size_t d = 0; d < 3; ++d) {
            box.last.at(d) = threads_.at(d) - 1;
            box.first.at(3 + d) = set.first_block.at(d);
            box.last.at(3 + d) = set.last_block.at(d);
            if (set.first_block.at(d) < 0 || set.last_block.at(d) < set.first_block.at(d) ||
                set.last_block.at(d) >= kernel_.launch.grid->blocks.at(d))
                fail(set, "thread blocks that the launch does not have");
        }
        return box;
    }

    /// `parts`: of boxes that make up the box.
    [[nodiscard]] FormsInBox forms_of(const ThreadBox& box,
                                      const std::vector<PossibleWays>& parts) const {
        PossibleWays ways = parts.front();
        for (const PossibleWays& part : parts) {
            for (std::size_t edge = 0; edge < ways.edges.size(); ++edge)
                ways.edges[edge] = ways.edges[edge] || part.edges[edge];
            for (std::size_t block = 0; block < ways.ends.size(); ++block)
                ways.ends[block] = ways.ends[block] || part.ends[block];
        }
        return {*kernel_.function, graph_, launch_, box, ways};
    }

    [[nodiscard]] bool is_disjoint(const std::optional<std::int64_t>& pointer) const {
        if (!pointer) return false;
        const auto word = kernel_.launch.arguments.find(*pointer);
        return word != kernel_.launch.arguments.end() && word->second.is_disjoint;
    }

    static std::optional<std::int64_t> pointer_in(const AffineForm& form) {
        const auto word = form.only_word();
        return word && word->first == 0 ? std::optional{word->second} : std::nullopt;
    }

    /// Of the threads of all blocks. `parts`: of boxes that make up that of the launch.
    [[nodiscard]] StoresOfLaunch stores_by(const std::vector<PossibleWays>& parts) const {
        StoresOfLaunch stores;
        forms_of(of_all_, parts)
            .visit([&](std::size_t, const Instruction& instruction, const FormReader& forms) {
                if (is_store_of_data(instruction)) note_store(instruction, forms, stores);
            });
        return stores;
    }

    void note_store(const Instruction& store, const FormReader& forms,
                    StoresOfLaunch& stores) const {
        stores.any = true;
        const auto address = store.mnemonic == "STG" ? forms.address(store) : std::nullopt;
        const auto pointer = address ? pointer_in(*address) : std::nullopt;
        if (is_disjoint(pointer))
            stores.buffers.insert(*pointer);
        else
            stores.elsewhere = true;
    }

    /// Loads of global memory whose level nobody states.
    [[nodiscard]] bool counts(const Instruction& instruction) const {
        if (instruction.mnemonic != "LDG" || !instruction.effects.exact ||
            !instruction.effects.memory)
            return false;
        const models::MemoryFact* fact = kernel_.facts.memory_at(instruction.address);
        return fact == nullptr || (fact->level == models::MemoryLevel::Any && !fact->pattern);
    }

    [[nodiscard]] LoadGroups groups_in(const FormsInBox& forms) const {
        LoadGroups groups;
        forms.visit([&](std::size_t block, const Instruction& load, const FormReader& reader) {
            if (!counts(load) || reader.executes(load) != std::optional{true}) return;
            const auto address = reader.address(load);
            if (!address) return;
            LoadGroup& group = groups[{*address, load.effects.memory->bytes_per_lane}];
            group.blocks.resize(graph_.blocks.size(), false);
            group.blocks[block] = true;
            group.addresses.insert(load.address);
            group.is_read_only = group.is_read_only && load.has_modifier("CONSTANT");
        });
        return groups;
    }

    /// What is found of a set.
    struct FoundUnits {
        bool is_known = false;    ///< A load of a known address and base.
        bool is_executed = false; ///< By each thread that ends.
        std::int64_t most = 0;
    };

    /// First by one execution for the whole box, then by one for each of its parts.
    std::int64_t most_units(const LoadedSetRow& set, std::int64_t unit) {
        const ThreadBox box = box_of(set);
        if (!stores_) stores_ = stores_by({execution_.ways(of_all_)});
        FoundUnits found = units_by({execution_.ways(box)}, *stores_, set, box, unit);
        if (found.most < set.units) {
            if (stores_->any && !stores_by_parts_)
                stores_by_parts_ = stores_by(execution_.ways_of_parts(of_all_));
            const FoundUnits by_parts = units_by(
                execution_.ways_of_parts(box), stores_by_parts_.value_or(*stores_), set, box, unit);
            found.is_known = found.is_known || by_parts.is_known;
            found.is_executed = found.is_executed || by_parts.is_executed;
            found.most = std::max(found.most, by_parts.most);
        }
        if (!found.is_known) fail(set, "no such load of a known address and base");
        if (!found.is_executed) fail(set, "threads of its thread blocks may end without it");
        return found.most;
    }

    /// A load that no thread of the box comes to: the analysis may follow more edges.
    [[nodiscard]] bool is_left_out(const LoadedSetRow& set, const FormsInBox& forms) const {
        bool is_reached = false;
        forms.visit([&](std::size_t, const Instruction& instruction, const FormReader&) {
            is_reached = is_reached || instruction.address == set.load;
        });
        const auto& code = kernel_.function->instructions;
        return !is_reached &&
               std::any_of(code.begin(), code.end(), [&](const Instruction& instruction) {
                   return instruction.address == set.load && counts(instruction);
               });
    }

    /// Of the forms that the load has, the one that counts most; of a load that is left out, of all
    /// that begin with the pointer.
    [[nodiscard]] FoundUnits units_by(const std::vector<PossibleWays>& parts,
                                      const StoresOfLaunch& stores, const LoadedSetRow& set,
                                      const ThreadBox& box, std::int64_t unit) const {
        const FormsInBox forms = forms_of(box, parts);
        FoundUnits found;
        const bool is_any = is_left_out(set, forms);
        for (const auto& [form, group] : groups_in(forms)) {
            if (!is_any && group.addresses.count(set.load) == 0) continue;
            if (pointer_in(form.first) != set.pointer) continue;
            found.is_known = true;
            const auto& blocks = group.blocks;
            if (!std::all_of(parts.begin(), parts.end(), [&](const PossibleWays& part) {
                    return forms.all_ends_lie_behind(blocks, part);
                }))
                continue;
            found.is_executed = true;
            found.most =
                std::max(found.most, units_not_stored(form, group, box, stores, set.pointer, unit));
        }
        return found;
    }

    /// Claim 2.
    [[nodiscard]] std::int64_t units_not_stored(const LoadGroups::key_type& form,
                                                const LoadGroup& group, const ThreadBox& box,
                                                const StoresOfLaunch& stores,
                                                const std::optional<std::int64_t>& pointer,
                                                std::int64_t unit) const {
        std::vector<IndexStep> steps;
        for (std::size_t i = 0; i < index_count; ++i)
            steps.push_back(
                {std::abs(std::int64_t{static_cast<std::int32_t>(form.first.factors.at(i))}),
                 box.last.at(i) - box.first.at(i) + 1});
        const UnitsOfSet units = units_of_strides(std::move(steps), form.second, unit);
        const bool is_apart =
            is_disjoint(pointer) && !stores.elsewhere && stores.buffers.count(*pointer) == 0;
        if (!stores.any || is_apart) return units.met;
        return group.is_read_only ? units.filled : 0;
    }

    const KernelCase& kernel_;
    const ControlFlowGraph& graph_;
    std::array<std::int64_t, 3> threads_;
    LaunchValues launch_;
    WarpExecution execution_;
    ThreadBox of_all_;
    std::optional<StoresOfLaunch> stores_;
    std::optional<StoresOfLaunch> stores_by_parts_;
};

} // namespace

UnitsOfSet units_of_strides(std::vector<IndexStep> steps, std::int64_t width, std::int64_t unit) {
    std::erase_if(steps,
                  [](const IndexStep& step) { return step.distance == 0 || step.values < 2; });
    std::map<std::int64_t, std::int64_t> further; // Values beside the first, by distance.
    for (const IndexStep& step : steps)
        further[step.distance] += step.values - 1;
    GrowingSet set{.width = width, .unit = unit, .span = width};
    set.units = set.of_whole_span();
    for (const auto& [distance, values] : further)
        set.take({distance, values + 1});
    return set.units;
}

void check_loaded_data(const KernelCase& kernel, const LoadedDataRow& stated) {
    if (is_amd(kernel.function->target))
        refuted(kernel.id + ": loaded data are not counted of code of AMD");
    const auto threads = extents_of_blocks(*kernel.function, kernel.launch);
    if (!kernel.launch.grid || !threads)
        refuted(kernel.id + ": loaded data need the shapes of grid and blocks");
    if (!kernel.loads_through_caches)
        refuted(kernel.id + ": it is not stated that loads go through the caches");
    if (stated.bytes < 1) refuted(kernel.id + ": loaded data in units of no bytes");
    const auto graph = assembly::build_control_flow_graph(*kernel.function);
    if (!graph) incomplete(kernel.id + ": " + to_string(graph.error()));
    LoadedDataCheck{kernel, graph.value(), *threads}.check(stated);
}

} // namespace warpbound::certification::verify
