#include "harness/suite/emission/emission.hpp"

#include "assembly/isa/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::harness {

namespace {

constexpr std::int64_t longest_stall = 15;
/// A scoreboard counts its producer one cycle after the issue: a consumer that waits for it must
/// issue two cycles after it, or it finds the scoreboard clear (Huerta et al., MICRO 2025).
constexpr std::int64_t scoreboard_set = 2;
/// Stall count of an instruction that transfers control or ends the warp (maxas).
constexpr std::int64_t exit_stall = 5;

/// Results of these classes have a variable latency: the consumer waits for a scoreboard.
bool has_variable_latency(assembly::OpcodeClass opcode_class) {
    using assembly::OpcodeClass;
    switch (opcode_class) {
    case OpcodeClass::ClockRead:
    case OpcodeClass::SpecialRegister:
    case OpcodeClass::SpecialFunction:
    case OpcodeClass::Conversion:
    case OpcodeClass::LoadShared:
    case OpcodeClass::LoadGlobal:
    case OpcodeClass::AtomicShared:
        return true;
    default:
        return false;
    }
}

/// Longest fixed latency of a class's result.
Result<std::int64_t> fixed_latency(const models::Architecture& architecture,
                                   assembly::OpcodeClass opcode_class) {
    const std::string path = fmt::format("classes/{}", assembly::to_string(opcode_class));
    const auto found = architecture.classes.find(opcode_class);
    if (found == architecture.classes.end())
        return Failure{path + " is not described", architecture.name};
    const auto latency = models::require(architecture, found->second.values, path, "latency");
    if (!latency) return latency.as_failure();
    return latency.value().hi;
}

/// Assigns stalls and scoreboards in program order.
class ControlWriter {
public:
    ControlWriter(const models::Architecture& architecture, std::string& text)
        : architecture_{architecture}, text_{text} {}

    /// Schedules the operation after every fixed-latency result that it reads, and adds waits for
    /// the variable-latency ones.
    Result<void> put(const Operation& operation) {
        std::int64_t ready = 0;
        std::vector<int> waits;
        // A result that is overwritten must have arrived too.
        std::vector<int> registers = operation.sources;
        if (operation.destination >= 0) registers.push_back(operation.destination);
        for (const int accessed : registers) {
            if (const auto fixed = ready_.find(accessed); fixed != ready_.end())
                ready = std::max(ready, fixed->second);
            if (const auto variable = pending_results_.find(accessed);
                variable != pending_results_.end()) {
                waits.push_back(variable->second.scoreboard);
                // Later results may be outstanding on the same scoreboard.
                for (const auto& [reg, result] : pending_results_)
                    if (result.scoreboard == variable->second.scoreboard)
                        ready = std::max(ready, result.issued + scoreboard_set);
                pending_results_.erase(variable);
            }
        }
        issue_at(ready);
        std::string annotation;
        std::sort(waits.begin(), waits.end());
        waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
        if (!waits.empty()) annotation += fmt::format(" &req={{{}}}", fmt::join(waits, ","));
        if (operation.destination >= 0) {
            ready_.erase(operation.destination);
            if (has_variable_latency(operation.opcode_class)) {
                annotation += fmt::format(" &wr=0x{}", next_scoreboard_);
                pending_results_[operation.destination] = {next_scoreboard_, issue_};
                next_scoreboard_ = (next_scoreboard_ + 1) % assembly::scoreboard_count;
            } else {
                const auto latency = fixed_latency(architecture_, operation.opcode_class);
                if (!latency) return latency.as_failure();
                ready_[operation.destination] = issue_ + latency.value();
            }
        }
        pending_ = operation.text + annotation;
        addresses_.push_back(written_ * step());
        return boost::outcome_v2::success();
    }

    std::vector<std::int64_t> finish() {
        if (!pending_.empty()) write(exit_stall);
        return std::move(addresses_);
    }

private:
    [[nodiscard]] std::int64_t step() const { return architecture_.target.sm >= 70 ? 16 : 8; }

    /// Writes the pending instruction so that the next one issues `stall` cycles later.
    void write(std::int64_t stall) {
        text_ += stall > longest_plain_stall
                     ? fmt::format("  {} ?WAIT{}_END_GROUP;\n", pending_, stall)
                     : fmt::format("  {} ?trans{};\n", pending_, stall);
        pending_.clear();
        ++written_;
        issue_ += stall;
    }

    /// Chooses the pending instruction's stall so that the next one issues at `ready` or later.
    void issue_at(std::int64_t ready) {
        if (pending_.empty()) return;
        while (ready - issue_ > longest_stall) {
            write(longest_stall);
            pending_ = "NOP";
        }
        write(std::max<std::int64_t>(1, ready - issue_));
    }

    /// An outstanding result of variable latency.
    struct PendingResult {
        int scoreboard = 0;
        std::int64_t issued =
            0; ///< Issue cycle of its producer as far as stall counts determine it.
    };

    const models::Architecture& architecture_;
    std::string& text_;
    std::string pending_;
    std::int64_t issue_ =
        0; ///< Issue cycle of the pending instruction as far as stall counts determine it.
    std::int64_t written_ = 0; ///< Instructions before the pending one.
    int next_scoreboard_ = 0;
    std::map<int, std::int64_t> ready_;
    std::map<int, PendingResult> pending_results_; ///< By register.
    std::vector<std::int64_t> addresses_;
};

} // namespace

Result<EmittedKernel> emit(const std::string& kernel, const std::vector<Operation>& operations,
                           const models::Architecture& architecture) {
    if (is_amd(architecture.target))
        return Failure{fmt::format("microbenchmarks are made for NVIDIA's instruction sets; {} is "
                                   "a machine with {}",
                                   architecture.name, to_string(architecture.target))};
    EmittedKernel emitted;
    emitted.text =
        fmt::format("!Arch {}\n!Kernel {}\n", assembly::to_string(architecture.target), kernel);
    if (architecture.issue_control == models::IssueControl::Interlocked) {
        for (const auto& operation : operations) {
            emitted.addresses.push_back(static_cast<std::int64_t>(emitted.addresses.size()) * 8);
            emitted.text += "  " + operation.text + ";\n";
        }
    } else {
        ControlWriter writer{architecture, emitted.text};
        for (const auto& operation : operations)
            if (auto put = writer.put(operation); !put) return put.as_failure();
        emitted.addresses = writer.finish();
    }
    emitted.text += "!EndKernel\n";
    return emitted;
}

} // namespace warpbound::harness
