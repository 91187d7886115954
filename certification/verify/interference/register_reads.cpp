#include "certification/verify/interference/register_reads.hpp"

#include "assembly/isa/operand_reads.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using assembly::OperandRead;

/// What the machine of a kernel says about its read ports.
struct ReadPortValues {
    std::int64_t banks = 1;
    std::int64_t window = 1;
    std::int64_t reuse_slots = 0;
};

bool certainly_executes(const Instruction& instruction) {
    return !instruction.guard || instruction.guard->always();
}

/// Asks what the reuse cache may keep when an instruction reads (C62).
class ReuseSearch {
public:
    ReuseSearch(const TimedCode& code, const ReadPortValues& ports)
        : code_{code}, ports_{ports}, flow_{code.lower_flow},
          entry_is_fresh_{predecessors_of(flow_).front().empty()} {}

    /// Whether a read of register `reg` at `position` by instruction `index` of the block may hit.
    [[nodiscard]] bool may_hit(std::size_t block, std::size_t index, int position, int reg) {
        if (position >= ports_.reuse_slots) return false;
        switch (search_back(block, index, position, reg)) {
        case Found::Kept:
            return true;
        case Found::Gone:
            return false;
        case Found::Nothing:
            break;
        }
        if (block == 0 && entry_is_fresh_) return false;
        const auto [known, first] = left_by_some_block_.emplace(std::pair{position, reg}, false);
        for (std::size_t before = 0; first && before < flow_.blocks.size(); ++before)
            if (search_back(before, flow_.last[before] + 1, position, reg) == Found::Kept)
                known->second = true;
        return known->second;
    }

private:
    /// What an instruction before leaves at a place: the register, another one or none, or what was
    /// there.
    enum class Found { Kept, Gone, Nothing };

    /// From the instruction before `end` backwards to the begin of the block.
    [[nodiscard]] Found search_back(std::size_t block, std::size_t end, int position,
                                    int reg) const {
        for (std::size_t i = end; i-- > flow_.first[block];) {
            const Instruction& instruction = code_.kernel.function->instructions[i];
            if (!assembly::has_fixed_latency(instruction)) continue;
            const Found found = left_by(instruction, position, reg);
            if (found == Found::Kept) return found;
            if (found == Found::Gone && certainly_executes(instruction)) return found;
        }
        return Found::Nothing;
    }

    [[nodiscard]] Found left_by(const Instruction& instruction, int position, int reg) const {
        Found found = Found::Nothing;
        for (const OperandRead& operand :
             assembly::operand_reads(instruction, code_.kernel.function->target)) {
            if (operand.position != position) continue;
            const bool keeps = operand.is_reused && operand.has_width && operand.registers <= 2;
            for (int other = operand.first; other < operand.first + operand.registers; ++other)
                if (other % ports_.banks == reg % ports_.banks)
                    found = keeps && other == reg ? Found::Kept : Found::Gone;
        }
        return found;
    }

    const TimedCode& code_;
    const ReadPortValues& ports_;
    const ControlFlow& flow_;
    bool entry_is_fresh_;
    std::map<std::pair<int, int>, bool> left_by_some_block_; ///< By position and register.
};

ReadPortValues read_port_values(const KernelCase& kernel) {
    const models::ValueGroup& group = kernel.architecture.register_file;
    const auto number = [&](const char* name, std::int64_t least) {
        return exact_number(kernel, group, "register-file", name, least);
    };
    if (number("read-ports", 1) != 1) refuted(kernel.id + ": register-file/read-ports is not 1");
    return {number("banks", 1), number("read-window", 1), number("reuse-slots", 0)};
}

/// What instructions of fixed latency do in the stages in front of the units, in the symbols of
/// S33. Side: upper.
class Allocate {
public:
    explicit Allocate(const TimedCode& code)
        : code_{code}, m_(code.timings.size(), 0),
          longest_use_(code.kernel.architecture.units.size(), 0) {
        const std::int64_t banks = read_port_values(code.kernel).banks;
        for (std::size_t i = 0; i < m_.size(); ++i) {
            if (!passes(i)) continue;
            m_[i] = std::max<std::int64_t>(1, most_reads_of_a_bank(i, banks));
            std::int64_t& longest = longest_use_[code.timings[i].value().unit];
            longest = std::max(longest, use_of_latch(i));
        }
    }

    /// The larger of m and O, per instruction.
    [[nodiscard]] DemandTable cycles() const {
        DemandTable cycles = m_;
        for (std::size_t i = 0; i < cycles.size(); ++i)
            if (passes(i) && use_of_latch(i) > 0)
                cycles[i] = std::max(longest_use_[code_.timings[i].value().unit], m_[i]);
        return cycles;
    }
    /// L.
    [[nodiscard]] std::int64_t lag() const {
        const std::int64_t most_reads = largest(m_); // M.
        if (most_reads <= 1) return 0;               // Every grant is at its issue.
        return models::plus(most_reads - 2, std::max(largest(longest_use_), most_reads));
    }

private:
    [[nodiscard]] bool passes(std::size_t i) const {
        return code_.reachable[i] &&
               assembly::has_fixed_latency(code_.kernel.function->instructions[i]);
    }
    [[nodiscard]] std::int64_t most_reads_of_a_bank(std::size_t i, std::int64_t banks) const {
        const auto& function = *code_.kernel.function;
        std::vector<std::int64_t> banks_read;
        for (const OperandRead& operand :
             assembly::operand_reads(function.instructions[i], function.target))
            for (int k = 0; k < operand.registers; ++k)
                banks_read.push_back((operand.first + k) % banks);
        std::int64_t most = 0;
        for (const std::int64_t bank : banks_read)
            most = std::max<std::int64_t>(most,
                                          std::count(banks_read.begin(), banks_read.end(), bank));
        return most;
    }
    /// Units of one warp, or of the multiprocessor, have no latch of the scheduler.
    [[nodiscard]] std::int64_t use_of_latch(std::size_t i) const {
        const models::InstructionTiming& timing = code_.timings[i].value();
        const bool has_latch =
            !is_port_of_multiprocessor(code_, timing) && !is_port_of_warp(code_, timing);
        return has_latch ? port_occupancy(timing) : 0;
    }
    [[nodiscard]] static std::int64_t largest(const std::vector<std::int64_t>& of) {
        return of.empty() ? 0 : *std::max_element(of.begin(), of.end());
    }

    const TimedCode& code_;
    DemandTable m_;
    std::vector<std::int64_t> longest_use_; ///< O, by unit.
};

/// S33: a warp that never shares its scheduler contains the lag in its own time.
bool shares_a_scheduler(const LaunchGeometry& launch) {
    const std::int64_t together =
        models::times(std::min(launch.block_slots, launch.blocks), launch.warps_per_block);
    return launch.waves > 1 || launch.per_scheduler(together) > 1;
}

/// Registers that are read from a bank in every run. Side: lower.
DemandTable certain_reads(const TimedCode& code, std::int64_t bank) {
    const ReadPortValues ports = read_port_values(code.kernel);
    ReuseSearch reuse{code, ports};
    const auto& flow = code.lower_flow;
    const auto& function = *code.kernel.function;
    // Of an instruction in several blocks the fewest reads count.
    std::map<std::size_t, std::int64_t> fewest;
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
            const Instruction& instruction = function.instructions[i];
            std::set<int> registers;
            if (assembly::has_fixed_latency(instruction) && certainly_executes(instruction))
                for (const OperandRead& operand :
                     assembly::operand_reads(instruction, function.target))
                    for (int k = 0; k < (operand.has_width ? operand.registers : 1); ++k) {
                        const int reg = operand.first + k;
                        if (reg % ports.banks != bank) continue;
                        if (!operand.position || !reuse.may_hit(block, i, *operand.position, reg))
                            registers.insert(reg);
                    }
            const auto count = static_cast<std::int64_t>(registers.size());
            const auto [counted, first] = fewest.emplace(i, count);
            if (!first) counted->second = std::min(counted->second, count);
        }
    return demand_table(code, [&](const models::InstructionTiming&, std::size_t i) {
        const auto counted = fewest.find(i);
        return counted == fewest.end() ? std::int64_t{0} : counted->second;
    });
}

} // namespace

DemandTable cycles_per_grant(const TimedCode& code) {
    if (longest_lag(code) == 0) return DemandTable(code.timings.size(), 0);
    return Allocate{code}.cycles();
}

std::int64_t longest_lag(const TimedCode& code) {
    if (!code.kernel.architecture.has_read_ports() || !shares_a_scheduler(code.geometry)) return 0;
    return Allocate{code}.lag();
}

void add_read_port_demand(const TimedCode& code, DemandTables& tables) {
    if (!code.kernel.architecture.has_read_ports()) return;
    const DemandTable distances = cycles_per_grant(code);
    DemandTable& own = tables.at(certificate_id::own_scheduler);
    // S38: delays by the memory queue are counted apart.
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = code.reachable[i] && code.timings[i].value().queue
                     ? models::plus(own[i], distances[i])
                     : std::max(own[i], distances[i]);
    const std::int64_t banks = read_port_values(code.kernel).banks;
    for (std::int64_t bank = 0; bank < banks; ++bank)
        tables[certificate_id::lower_read_port + std::to_string(bank)] = certain_reads(code, bank);
}

void require_provable_results(const TimedCode& code) {
    const KernelCase& kernel = code.kernel;
    const models::Architecture& machine = kernel.architecture;
    if (exact_number(kernel, machine.register_file, "register-file", "write-ports") != 1 ||
        !machine.has_read_ports() || machine.issue_control != models::IssueControl::Encoded)
        refuted(kernel.id + ": register-file/write-ports is not 1, beside read ports, on a machine "
                            "with control fields");
    const std::int64_t banks = read_port_values(kernel).banks;
    const auto refuse = [&](const Instruction& instruction) {
        refuted(fmt::format("{}: nothing is proved of the result at 0x{:04x} on a machine with "
                            "register-file/write-ports (S69)",
                            kernel.id, instruction.address));
    };
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        const Instruction& instruction = kernel.function->instructions[i];
        std::vector<std::int64_t> written; // Banks, one for each register.
        for (const assembly::Register& reg : instruction.effects.writes)
            if (reg.file == assembly::RegisterFile::General) written.push_back(reg.index % banks);
        if (written.empty() || !code.reachable[i]) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        // C108: a result time is behind the issue.
        if (timing.latency.lo < 1 && !timing.through_caches) refuse(instruction);
        // The lemma counts one cycle for each X and Y.
        if (timing.queue || !assembly::has_fixed_latency(instruction)) continue;
        std::sort(written.begin(), written.end());
        if (std::adjacent_find(written.begin(), written.end()) != written.end())
            refuse(instruction);
    }
}

void require_provable_reads(const TimedCode& code) {
    const KernelCase& kernel = code.kernel;
    const models::Architecture& machine = kernel.architecture;
    const char* const name = "variable-latency-reads";
    if (exact_number(kernel, machine.register_file, "register-file", name) != 1 ||
        !machine.has_read_ports() || machine.issue_control != models::IssueControl::Encoded)
        refuted(kernel.id +
                ": register-file/variable-latency-reads is not 1, beside read ports, on "
                "a machine with control fields");
    if (machine.has_memory_queue())
        refuted(kernel.id + ": nothing is proved of register-file/variable-latency-reads beside "
                            "memory-queue (S73)");
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        const Instruction& instruction = kernel.function->instructions[i];
        if (!code.reachable[i] || assembly::has_fixed_latency(instruction) ||
            assembly::operand_reads(instruction, kernel.function->target).empty())
            continue;
        const bool announces = instruction.control && instruction.control->read_barrier;
        const bool has_result = assembly::has_result(instruction);
        if (!announces && !has_result) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        const bool is_at_once = timing.source_read.lo < 1 || (has_result && timing.latency.lo < 1);
        const bool is_elsewhere = (timing.through_caches && !timing.enters_write_buffer) ||
                                  models::is_atomic_at_l2(timing);
        if (is_at_once || is_elsewhere)
            refuted(fmt::format("{}: nothing is proved of the reads at 0x{:04x} on a machine with "
                                "register-file/variable-latency-reads (S73)",
                                kernel.id, instruction.address));
    }
}

std::int64_t read_window(const TimedCode& code) {
    return read_port_values(code.kernel).window;
}

} // namespace warpbound::certification::verify
