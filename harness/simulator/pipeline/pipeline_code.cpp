#include "harness/simulator/pipeline/pipeline_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace warpbound::harness::simulator {

namespace {

constexpr std::int64_t count_limit = std::int64_t{1} << 16U;

/// Reads counts of one group; keeps the first failure.
class Counts {
public:
    Counts(const models::Architecture& architecture, const models::ValueGroup& group,
           std::string path)
        : architecture_{architecture}, group_{group}, path_{std::move(path)} {}

    Range range(std::string_view name) {
        const auto found = models::require(architecture_, group_, path_, name);
        if (!found) {
            if (!failure_) failure_ = found.error();
            return {1, 1};
        }
        return {found.value().lo, found.value().hi};
    }
    std::size_t count(std::string_view name) {
        const Range read = range(name);
        if (read.lo == read.hi && read.lo >= 1 && read.hi <= count_limit)
            return static_cast<std::size_t>(read.lo);
        if (!failure_)
            failure_ = Failure{fmt::format("{}/{} is {}..{}; expected one number of 1 to {}", path_,
                                           name, read.lo, read.hi, count_limit),
                               architecture_.name, 0, 0};
        return 1;
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    const models::Architecture& architecture_;
    const models::ValueGroup& group_;
    std::string path_;
    std::optional<Failure> failure_;
};

CollectorShape collector_of(Counts& counts) {
    return CollectorShape{.issue_slots = counts.count("issue-slots"),
                          .entry_ports = counts.count("entry-ports"),
                          .collectors = counts.count("collectors"),
                          .exit_ports = counts.count("exit-ports"),
                          .dispatch_slots = counts.count("dispatch-slots"),
                          .execution_units = counts.count("execution-units")};
}

const assembly::RegisterOperand* general_register(const assembly::Instruction& instruction,
                                                  std::size_t operand) {
    if (operand >= instruction.operands.size()) return nullptr;
    const auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[operand]);
    return reg != nullptr && reg->file == assembly::RegisterFile::General && reg->index ? reg
                                                                                        : nullptr;
}

/// Whether every operand that names the register finds it kept.
bool is_kept(const assembly::Instruction& instruction, int index,
             const assembly::Instruction& before) {
    bool named = false;
    for (std::size_t operand = 1; operand < instruction.operands.size(); ++operand) {
        const auto* reg = general_register(instruction, operand);
        if (reg == nullptr || *reg->index != index) continue;
        const auto* kept = general_register(before, operand);
        if (kept == nullptr || *kept->index != index ||
            std::find(kept->suffixes.begin(), kept->suffixes.end(), "reuse") ==
                kept->suffixes.end())
            return false;
        named = true;
    }
    return named;
}

} // namespace

std::vector<std::uint64_t> lines_of(const assembly::Function& function, const FetchShape& fetch) {
    const std::uint64_t line = fetch.cache ? fetch.cache->line : 1;
    std::vector<std::uint64_t> lines;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    for (const auto& instruction : function.instructions) {
        size = static_cast<std::uint64_t>(instruction.address) - address;
        address = static_cast<std::uint64_t>(instruction.address);
        lines.push_back(address / line);
    }
    lines.push_back((address + size) / line);
    return lines;
}

Result<std::optional<FetchShape>> fetch_of(const models::Architecture& architecture) {
    const models::ValueGroup& group = architecture.fetch;
    if (group.values.empty()) return std::optional<FetchShape>{};
    Counts counts{architecture, group, "fetch"};
    FetchShape fetch;
    fetch.delivered = std::min(counts.count("buffer"), counts.count("width"));
    fetch.ports = counts.count("ports");
    const bool cached =
        std::any_of(group.values.begin(), group.values.end(),
                    [](const auto& value) { return value.name.starts_with("cache-"); });
    if (cached)
        fetch.cache = FetchShape::Cache{.sets = counts.count("cache-sets"),
                                        .ways = counts.count("cache-ways"),
                                        .line = counts.count("cache-line"),
                                        .miss = counts.range("cache-miss")};
    if (counts.failure()) return *counts.failure();
    return std::optional{fetch};
}

Result<std::optional<RegisterFileShape>> register_file_of(const models::Architecture& architecture,
                                                          std::size_t schedulers) {
    if (architecture.register_file.values.empty() && architecture.operand_collectors.empty())
        return std::optional<RegisterFileShape>{};
    Counts counts{architecture, architecture.register_file, "register-file"};
    RegisterFileShape code;
    code.banks = counts.count("banks");
    code.result_slots = counts.count("result-slots");
    code.write_back = static_cast<std::int64_t>(counts.count("write-back"));
    if (counts.failure()) return *counts.failure();
    for (const models::Unit& unit : architecture.units) {
        const models::ValueGroup* group = architecture.operand_collector(unit.name);
        code.pool_of_unit.emplace_back();
        if (group == nullptr) continue;
        Counts of_unit{architecture, *group, fmt::format("operand-collectors/{}", unit.name)};
        const CollectorShape collector = collector_of(of_unit);
        if (of_unit.failure()) return *of_unit.failure();
        code.pool_of_unit.back() = code.pools.size();
        const bool partitioned = unit.scope == models::UnitScope::Partition;
        code.pools.insert(code.pools.end(), partitioned ? schedulers : 1, collector);
    }
    return std::optional{std::move(code)};
}

std::vector<std::uint16_t> bank_reads(const assembly::Instruction& instruction,
                                      const std::vector<assembly::Register>& reads,
                                      const assembly::Instruction* before) {
    std::vector<std::uint16_t> banked;
    for (const assembly::Register& reg : reads) {
        if (reg.file != assembly::RegisterFile::General) continue;
        if (before != nullptr && is_kept(instruction, reg.index, *before)) continue;
        banked.push_back(static_cast<std::uint16_t>(reg.index));
    }
    return banked;
}

} // namespace warpbound::harness::simulator
