#include "analyzer/flow/data_footprint.hpp"

#include "analyzer/value/kernel_parameters.hpp"
#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/strided_set.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::StateSpace;

/// The same for all threads of a launch.
bool is_of_launch(Symbol symbol) {
    const auto number = geometry_of(symbol);
    return constant_of(symbol) ||
           (number && *number >= Geometry::ThreadsX && *number <= Geometry::BlocksZ);
}

/// The part of an address that all threads share, without its constant; nothing where something
/// else than indices changes it.
std::optional<AffineExpression> base_of(const AffineExpression& address) {
    AffineExpression base;
    for (const auto& [symbol, coefficient] : address.terms()) {
        if (is_of_launch(symbol))
            base = base + AffineExpression::of(symbol) * coefficient;
        else if (const auto number = geometry_of(symbol); !number || *number > Geometry::BlockZ)
            return std::nullopt;
    }
    return base;
}

/// The offset in constant bank 0 of the only word that the base consists of.
std::optional<std::int64_t> pointer_of(const AffineExpression& base) {
    if (base.terms().size() != 1 || base.terms().front().second != 1) return std::nullopt;
    const auto word = constant_of(base.terms().front().first);
    return word && word->first == 0 ? std::optional{word->second} : std::nullopt;
}

/// The low 32 bits of the address; nothing where they are not known.
std::optional<AffineExpression> address_of(const Instruction& access,
                                           const SymbolicRegisters& values) {
    const assembly::MemoryOperand* memory = nullptr;
    for (const auto& operand : access.operands)
        if (const auto* one = std::get_if<assembly::MemoryOperand>(&operand)) {
            if (memory != nullptr) return std::nullopt;
            memory = one;
        }
    if (memory == nullptr) return std::nullopt;
    AffineExpression address{static_cast<std::uint32_t>(memory->offset)};
    for (const auto& part : {memory->base, memory->uniform}) {
        if (!part || !part->index) continue;
        const bool is_plain = !part->negated && !part->absolute && !part->inverted &&
                              std::ranges::all_of(part->suffixes, [](const std::string& suffix) {
                                  return suffix == "64" || suffix == "U32" || suffix == "reuse";
                              });
        const auto number = values.number({part->file, *part->index});
        if (!is_plain || !number) return std::nullopt;
        address = address + *number;
    }
    return address;
}

/// May write data that a load through the caches could read. Atomics fetch what they change.
bool may_store(const Instruction& instruction) {
    const auto& memory = instruction.effects.memory;
    const bool stores = memory && memory->store && memory->space != StateSpace::Shared &&
                        memory->space != StateSpace::Local &&
                        instruction.opcode_class != assembly::OpcodeClass::AtomicGlobal;
    return stores || instruction.opcode_class == assembly::OpcodeClass::StoreGlobal ||
           instruction.opcode_class == assembly::OpcodeClass::Unknown ||
           instruction.control_flow == assembly::ControlFlow::ExternalCall;
}

/// Loads of one address form, at one or several places of the code.
struct LoadForm {
    std::vector<bool> blocks;    ///< With such a load. `Shape:` [block]
    std::int64_t first_load = 0; ///< Address.
    bool is_read_only = true;
};
/// By address and bytes of a lane.
using LoadForms = std::map<std::pair<AffineExpression, std::int64_t>, LoadForm>;

/// By size of the units.
using UnitCounts = std::array<TouchedUnits, 2>;
using LoadedSets = std::array<LoadedSet, 2>;
struct BaseCounts {
    LoadedSets touched{};
    LoadedSets covered_by_read_only{};
};

void raise_to(LoadedSet& most, const LoadedSet& loaded, std::int64_t units) {
    if (units <= most.units) return;
    most = loaded;
    most.units = units;
}

/// Boxes of thread blocks: all; without the last ones; without the first and last ones.
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> trims{{{0, 0}, {0, 1}, {1, 1}}};

class DataFootprint {
public:
    DataFootprint(const Function& code, const ControlFlowGraph& graph, const models::Launch& launch,
                  const models::FlowFacts& stated, const MemoryUnits& sizes, EdgesBy edges)
        : code_{code}, graph_{graph}, launch_{launch}, stated_{stated}, sizes_{sizes}, edges_{
                                                                                           edges} {}

    LoadedData count() {
        std::set<std::pair<IndexArray, IndexArray>> tried;
        for (const auto& [first, last] : trims) {
            const IndexBox box = box_of(first, last);
            if (!tried.emplace(*box.first_block, box.last_block).second) continue;
            const IndexBoxStates states{code_, graph_, launch_, box, edges_};
            if (tried.size() == 1) find_stores(states);
            if (count_loads(states, box)) break;
        }
        return chosen();
    }

private:
    using IndexArray = std::array<std::int64_t, 3>;

    [[nodiscard]] IndexBox box_of(std::int64_t first, std::int64_t last) const {
        IndexBox box;
        box.last_thread = models::block_shape_of(launch_).threads;
        box.first_block.emplace();
        for (std::size_t d = 0; d < box.last_block.size(); ++d) {
            --box.last_thread[d];
            const std::int64_t blocks = launch_.grid->blocks[d];
            const bool fits = blocks > first + last;
            (*box.first_block)[d] = fits ? first : 0;
            box.last_block[d] = blocks - 1 - (fits ? last : 0);
        }
        return box;
    }

    void find_stores(const IndexBoxStates& states) {
        states.for_each(
            [&](std::size_t, const Instruction& instruction, const SymbolicRegisters& values) {
                if (!may_store(instruction)) return;
                ++stores_;
                const auto address =
                    instruction.mnemonic == "STG" ? address_of(instruction, values) : std::nullopt;
                const auto base = address ? base_of(*address) : std::nullopt;
                const auto pointer = base ? pointer_of(*base) : std::nullopt;
                if (pointer && is_disjoint_buffer(*pointer))
                    stored_.insert(*pointer);
                else
                    all_stores_known_ = false;
            });
    }

    [[nodiscard]] bool is_disjoint_buffer(std::int64_t pointer) const {
        const auto found = launch_.arguments.find(pointer);
        return found != launch_.arguments.end() && found->second.is_disjoint;
    }

    [[nodiscard]] bool counts(const Instruction& instruction) const {
        if (instruction.mnemonic != "LDG" || !instruction.effects.exact ||
            !instruction.effects.memory)
            return false;
        const models::MemoryFact* fact = stated_.memory_at(instruction.address);
        return fact == nullptr || (fact->level == models::MemoryLevel::Any && !fact->pattern);
    }

    /// Whether every load of a known address counts, so that smaller boxes add nothing.
    bool count_loads(const IndexBoxStates& states, const IndexBox& box) {
        LoadForms forms;
        bool all_count = true;
        states.for_each(
            [&](std::size_t block, const Instruction& load, const SymbolicRegisters& values) {
                if (!counts(load)) return;
                const auto address = address_of(load, values);
                if (states.guard_of(load, values) != std::optional{true} || !address ||
                    !base_of(*address)) {
                    all_count = false;
                    return;
                }
                LoadForm& form = forms[{*address, load.effects.memory->bytes_per_lane}];
                if (form.blocks.empty()) form.first_load = load.address;
                form.blocks.resize(graph_.blocks.size(), false);
                form.blocks[block] = true;
                form.is_read_only = form.is_read_only && load.has_modifier("CONSTANT");
            });
        for (const auto& [form, loads] : forms) {
            if (!states.all_pass(loads.blocks)) {
                all_count = false;
                continue;
            }
            count_form(form.first, form.second, loads, box);
        }
        return all_count;
    }

    void count_form(const AffineExpression& address, std::int64_t bytes, const LoadForm& loads,
                    const IndexBox& box) {
        const UnitCounts units = units_of(address, bytes, box);
        const AffineExpression base = *base_of(address);
        const LoadedSet loaded{loads.first_load, pointer_of(base), *box.first_block, box.last_block,
                               0};
        BaseCounts& counts = by_base_[base];
        for (std::size_t size = 0; size < units.size(); ++size) {
            raise_to(counts.touched[size], loaded, units[size].touched);
            if (loads.is_read_only)
                raise_to(counts.covered_by_read_only[size], loaded, units[size].covered);
        }
    }

    [[nodiscard]] UnitCounts units_of(const AffineExpression& address, std::int64_t bytes,
                                      const IndexBox& box) const {
        std::vector<StridedIndex> indices;
        for (const auto& [symbol, coefficient] : address.terms()) {
            const auto number = geometry_of(symbol);
            if (!number || *number > Geometry::BlockZ) continue;
            const auto index = static_cast<std::size_t>(*number);
            const bool of_thread = index < 3;
            const std::int64_t first =
                of_thread ? box.first_thread[index] : (*box.first_block)[index - 3];
            const std::int64_t last =
                of_thread ? box.last_thread[index] : box.last_block[index - 3];
            indices.push_back({static_cast<std::int32_t>(coefficient), last - first + 1});
        }
        UnitCounts units;
        for (std::size_t size = 0; size < units.size(); ++size)
            units[size] = least_touched(indices, bytes, sizes_[size]);
        return units;
    }

    /// Of each size, the largest of the counts that hold.
    [[nodiscard]] LoadedData chosen() const {
        LoadedData data;
        for (std::size_t size = 0; size < sizes_.size(); ++size) {
            LoadedSet most;
            std::vector<LoadedSet> disjoint;
            std::int64_t sum = 0;
            bool sum_trusts_read_only = false;
            for (const auto& [base, counts] : by_base_) {
                const LoadedSet& touched = counts.touched[size];
                const LoadedSet& covered = counts.covered_by_read_only[size];
                const LoadedSet& of_base = stores_ == 0 ? touched : covered;
                if (of_base.units > most.units) most = of_base;
                const auto pointer = pointer_of(base);
                if (!pointer || !is_disjoint_buffer(*pointer)) continue;
                const bool is_stored = !all_stores_known_ || stored_.contains(*pointer);
                const LoadedSet& of_buffer = is_stored ? covered : touched;
                if (of_buffer.units == 0) continue;
                disjoint.push_back(of_buffer);
                sum += of_buffer.units;
                sum_trusts_read_only = sum_trusts_read_only || is_stored;
            }
            const bool adds_up = sum > most.units;
            data.units[size] = std::max(most.units, sum);
            if (adds_up)
                data.sets[size] = std::move(disjoint);
            else if (most.units > 0)
                data.sets[size] = {most};
            data.trusts_buffers = data.trusts_buffers || adds_up;
            data.trusts_read_only =
                data.trusts_read_only ||
                (adds_up ? sum_trusts_read_only : most.units > 0 && stores_ > 0);
        }
        return data;
    }

    const Function& code_;
    const ControlFlowGraph& graph_;
    const models::Launch& launch_;
    const models::FlowFacts& stated_;
    const MemoryUnits& sizes_;
    EdgesBy edges_;
    std::map<AffineExpression, BaseCounts> by_base_;
    std::set<std::int64_t> stored_; ///< Buffers, by their pointers.
    std::int64_t stores_ = 0;       ///< Instructions that may store.
    bool all_stores_known_ = true;  ///< They store to the buffers of `stored_`.
};

} // namespace

LoadedData least_loaded_data(const Function& function, const ControlFlowGraph& graph,
                             const models::Launch& launch, const models::FlowFacts& stated,
                             const MemoryUnits& sizes, EdgesBy edges) {
    const bool knows_shape = launch.shape || !reads_block_shape(function);
    if (!launch.grid || !knows_shape || is_amd(function.target)) return {};
    KernelParameters words = launch_words(function, launch);
    for (const auto& [offset, word] : launch.arguments)
        words[offset] = word;
    const Function code = with_parameters(function, words);
    return DataFootprint{code, graph, launch, stated, sizes, edges}.count();
}

} // namespace warpbound::analyzer
