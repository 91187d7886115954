#include "analyzer/microarchitecture/register_writes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

std::int64_t RegisterWrites::most_of_a_bank(std::size_t instruction) const {
    const BankCounts& counts = registers[instruction];
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

bool RegisterWrites::share_a_bank(std::size_t one, std::size_t other) const {
    for (std::size_t bank = 0; bank < registers[one].size(); ++bank)
        if (registers[one][bank] > 0 && registers[other][bank] > 0) return true;
    return false;
}

Result<std::optional<RegisterWrites>> register_writes(const assembly::Function& function,
                                                      const std::optional<RegisterReads>& reads,
                                                      const models::Architecture& architecture) {
    if (!architecture.has_write_ports()) return std::optional<RegisterWrites>{};
    const auto refuse = [&](const char* what) {
        return Failure{fmt::format("register-file/write-ports of architecture {}: {}",
                                   architecture.name, what),
                       architecture.name};
    };
    const auto ports =
        models::require(architecture, architecture.register_file, "register-file", "write-ports");
    if (!ports) return ports.as_failure();
    if (!ports.value().is_exact() || ports.value().lo != 1) return refuse("1 was expected");
    if (!reads) return refuse("register-file/read-ports was expected beside it");
    if (architecture.issue_control != models::IssueControl::Encoded)
        return refuse("a machine with encoded control fields was expected");
    RegisterWrites writes;
    writes.registers.assign(function.instructions.size(), BankCounts(reads->banks, 0));
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
        for (const assembly::Register& reg : function.instructions[i].effects.writes)
            if (reg.file == assembly::RegisterFile::General)
                ++writes.registers[i][static_cast<std::size_t>(reg.index) % reads->banks];
    return std::optional{std::move(writes)};
}

Result<void> check_register_writes(const RegisterWrites& writes, const RegisterReads& reads,
                                   std::size_t instruction,
                                   const models::InstructionTiming& timing) {
    const std::int64_t most = writes.most_of_a_bank(instruction);
    if (most > 1 && reads.has_fixed_latency[instruction] && !timing.queue)
        return Failure{"its result of fixed latency has several registers of a bank, which "
                       "register-file/write-ports does not cover; expected one, or --assume "
                       "register-file=none",
                       ""};
    if (most > 0 && !timing.through_caches && timing.latency.lo < 1)
        return Failure{"its result comes in the cycle of its issue, which "
                       "register-file/write-ports does not cover; expected a latency of at least "
                       "one cycle, or --assume register-file=none",
                       ""};
    return boost::outcome_v2::success();
}

} // namespace warpbound::analyzer
