#include "harness/suite/amd/hip_source.hpp"

#include "harness/suite/amd/amd_emission.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/amd/amd_registers.hpp"
#include "harness/suite/amd/amd_statement.hpp"
#include "harness/suite/amd/amd_waits.hpp"
#include "harness/suite/emission/register_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::harness {

namespace {

constexpr std::int64_t page_bytes = 2048; ///< As of `emit_amd`.
constexpr std::int64_t word_bytes = 4;

constexpr std::string_view head = R"(#ifndef __global__ // Without the headers of HIP.
#define __global__ __attribute__((global))
#endif

struct WarpRecord {{
  unsigned long long first_clock, last_clock, time_before, time_after, place;
}};

extern "C" __global__ void {0}(WarpRecord* records, unsigned*, const unsigned long long*,
                               char* memory, unsigned) {{
  const unsigned thread = __builtin_amdgcn_workitem_id_x();
  unsigned lane = thread % {1};
  const unsigned in_group =
      static_cast<unsigned>(__builtin_amdgcn_readfirstlane(thread)) / {1};
  const unsigned per_group = (__builtin_amdgcn_workgroup_size_x() + {2}) / {1};
  unsigned warp = __builtin_amdgcn_workgroup_id_x() * per_group + in_group;
  // What is computed before the region stays there.
  asm volatile("" : "+s"(warp), "+v"(lane));
  char* const own = memory + static_cast<unsigned long long>(warp) * {3};
  unsigned long long first_clock, last_clock, time_before, time_after;
  unsigned place;
)";

/// An operation with its instruction.
struct HipStatement {
    AmdInstruction instruction;
    PtxEffects effects;
};

/// Text of assembly as a string in C++, on one line.
std::string quoted(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        out += fmt::format("{}{}", out.empty() ? "" : "\\n", line.substr(begin));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return '"' + out + '"';
}

class HipWriter {
public:
    HipWriter(const AmdDialect& dialect, std::string name)
        : dialect_{dialect}, name_{std::move(name)} {}

    Result<void> take(const std::vector<Operation>& operations, std::vector<HipStatement>& lines) {
        for (const Operation& operation : operations) {
            auto instruction = amd_instruction_of(operation.ptx);
            if (!instruction) return instruction.as_failure();
            for (const AmdOperand& operand : instruction.value().operands) {
                if (operand.registers.size() > 1)
                    return Failure{"HIP C++ has no variable for an access of several registers",
                                   operation.ptx};
                if (auto placed = place(operand, instruction.value().offset); !placed)
                    return placed;
            }
            lines.push_back({std::move(instruction).value(), effects_of_ptx(operation.ptx)});
        }
        return boost::outcome_v2::success();
    }

    std::string text(const PtxKernel& kernel, const Region& region,
                     const std::vector<HipStatement>& before,
                     const std::vector<HipStatement>& timed) {
        out_ = fmt::format(fmt::runtime(head), name_, dialect_.lanes, dialect_.lanes - 1,
                           kernel.memory_per_warp);
        declare();
        read(amd_timer_read(dialect_, 0), "time_before");
        AmdWaits waits{dialect_};
        for (const HipStatement& line : before)
            statement(line, waits, out_);
        wait_for_all();
        read(amd_clock_read(dialect_, 0), "first_clock");
        out_ += region_text(region, timed);
        wait_for_all();
        read(amd_clock_read(dialect_, 0), "last_clock");
        read(amd_timer_read(dialect_, 0), "time_after");
        out_ += fmt::format("  asm volatile(\"s_getreg_b32 %0, {}\" : \"=s\"(place));\n",
                            dialect_.place);
        if (!dialect_.has_memtime)
            out_ +=
                fmt::format("  last_clock = first_clock + ((last_clock - first_clock) & {:#x});\n",
                            (1U << shader_cycles_bits) - 1);
        return out_ +
               "  if (lane == 0)\n    records[warp] = {first_clock, last_clock, time_before, "
               "time_after, place};\n}\n";
    }

private:
    Result<void> place(const AmdOperand& operand, std::int64_t offset) {
        const PtxRegister& reg = operand.registers.front();
        if (reg.prefix == global_prefix)
            registers_.place_page(reg, offset / page_bytes);
        else if (auto placed = registers_.place({reg}); !placed)
            return placed;
        const std::string variable = variable_of(operand, offset);
        variables_.emplace(variable, std::pair{reg, offset / page_bytes});
        return boost::outcome_v2::success();
    }

    /// "f8", "global_by_4_page_1"
    static std::string variable_of(const AmdOperand& operand, std::int64_t offset) {
        const PtxRegister& reg = operand.registers.front();
        std::string name = reg.prefix + std::to_string(reg.number);
        if (reg.prefix == global_prefix) name += fmt::format("_page_{}", offset / page_bytes);
        return name;
    }

    [[nodiscard]] VgprRange range_of(const AmdOperand& operand, std::int64_t offset) const {
        const PtxRegister& reg = operand.registers.front();
        return reg.prefix == global_prefix ? registers_.page_of(reg, offset / page_bytes)
                                           : registers_.range_of({reg});
    }

    /// All variables with values that the compiler does not know and that are in VGPRs.
    void declare() {
        std::string held;
        for (const auto& [name, of] : variables_) {
            const auto& [reg, page] = of;
            const bool wide = reg.prefix == global_prefix || registers_.range_of({reg}).count == 2;
            std::string value = fmt::format("{:#x}", start_value(reg));
            if (reg.prefix == global_prefix)
                value = fmt::format("reinterpret_cast<unsigned long long>(own + lane * {} + {})",
                                    reg.number, page * page_bytes);
            else if (reg.prefix == walk_prefix)
                value = "reinterpret_cast<unsigned long long>(own)";
            else if (reg.prefix == shared_prefix)
                value = fmt::format("lane * {}", word_bytes * reg.number);
            out_ += fmt::format("  {} {} = {};\n", wide ? "unsigned long long" : "unsigned", name,
                                value);
            held += fmt::format("  asm volatile(\"\" : \"+v\"({}));\n", name);
        }
        out_ += held;
    }

    /// A read of clock or timer, whose pair of SGPRs in the text is s[0:1].
    void read(std::string text, std::string_view variable) {
        const bool is_short = text.find("SHADER_CYCLES") != std::string::npos;
        const std::string pair = is_short ? "s0" : "s[0:1]";
        text.replace(text.find(pair), pair.size(), "%0");
        if (is_short) text.resize(text.find('\n'));
        // The pair's high half is no part of a short clock.
        if (is_short)
            out_ +=
                fmt::format("  {{\n    unsigned cycles;\n    asm volatile({} : \"=s\"(cycles) :: "
                            "\"memory\");\n    {} = cycles;\n  }}\n",
                            quoted(text), variable);
        else
            out_ += fmt::format("  asm volatile({} : \"=s\"({}) :: \"memory\");\n", quoted(text),
                                variable);
    }

    void wait_for_all() {
        out_ +=
            fmt::format("  asm volatile({} ::: \"memory\");\n", quoted(amd_wait_for_all(dialect_)));
    }

    /// As `emit_amd`: of a loop, the body with what an iteration left outstanding.
    std::string region_text(const Region& region, const std::vector<HipStatement>& timed) {
        AmdWaits waits{dialect_};
        const auto once = [&] {
            std::string text;
            for (const HipStatement& line : timed)
                statement(line, waits, text);
            return text;
        };
        std::string text = once();
        if (region.trips <= 1) return text;
        // The counter is a scalar, as in `emit_amd`.
        return fmt::format("  unsigned left = {};\n#pragma clang loop unroll(disable)\n"
                           "  do {{\n{}    asm volatile(\"s_sub_u32 %0, %0, 1\" : \"+s\"(left) :: "
                           "\"scc\");\n  }} while (left != 0);\n",
                           region.trips, once());
    }

    void statement(const HipStatement& line, AmdWaits& waits, std::string& text) {
        const AmdInstruction& instruction = line.instruction;
        std::vector<int> accessed;
        std::vector<int> results;
        std::set<std::string> written;
        for (const PtxRegister& reg : line.effects.writes)
            if (registers_.is_placed(reg)) written.insert(reg.prefix + std::to_string(reg.number));
        // Variables in the order of the operands of the statement: outputs, then inputs.
        std::vector<std::string> variables;
        for (const bool outputs : {true, false})
            for (const AmdOperand& operand : instruction.operands) {
                const std::string name = variable_of(operand, instruction.offset);
                const bool is_output = written.contains(name);
                if (is_output == outputs &&
                    std::find(variables.begin(), variables.end(), name) == variables.end())
                    variables.push_back(name);
                const VgprRange range = range_of(operand, instruction.offset);
                for (int i = 0; i < range.count && outputs; ++i) {
                    accessed.push_back(range.first + i);
                    if (is_output) results.push_back(range.first + i);
                }
            }
        const std::string before = waits.before(instruction, accessed, results);
        waits.issued(instruction, results);
        // What waits passes the variables on, so that nothing reads them before.
        if (!before.empty()) {
            std::string passed;
            for (const std::string& name : variables)
                passed += fmt::format("{}\"+v\"({})", passed.empty() ? "" : ", ", name);
            text += fmt::format("  asm volatile({} : {} :: \"memory\");\n", quoted(before), passed);
        }
        text += "  " + asm_of(instruction, variables, written) + "\n";
    }

    [[nodiscard]] std::string asm_of(const AmdInstruction& instruction,
                                     const std::vector<std::string>& variables,
                                     const std::set<std::string>& written) const {
        std::array<std::string, 4> names;
        std::vector<std::string> values = variables;
        std::set<std::string> read;
        for (std::size_t i = 0; i < instruction.operands.size() && i < names.size(); ++i) {
            const std::string name = variable_of(instruction.operands[i], instruction.offset);
            const auto number = std::find(variables.begin(), variables.end(), name);
            names[i] = fmt::format("%{}", number - variables.begin());
            // The first operand of an instruction with a result is only written.
            if (i > 0 || written.empty()) read.insert(name);
            if (instruction.operands[i].is_low_half)
                values[static_cast<std::size_t>(number - variables.begin())] =
                    fmt::format("static_cast<unsigned>({})", name);
        }
        const std::string text =
            fmt::format(fmt::runtime(instruction.form), names[0], names[1], names[2], names[3],
                        fmt::arg("offset", instruction.offset % page_bytes),
                        fmt::arg("returns", dialect_.returning));
        std::string outputs;
        std::string inputs;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const std::string& name = variables[i];
            std::string& list = written.contains(name) ? outputs : inputs;
            const std::string_view mode = !written.contains(name) ? "v"
                                          : read.contains(name)   ? "+v"
                                                                  : "=v";
            list += fmt::format("{}\"{}\"({})", list.empty() ? "" : ", ", mode, values[i]);
        }
        return fmt::format("asm volatile(\"{}\" : {} : {} : \"memory\");", text, outputs, inputs);
    }

    AmdDialect dialect_;
    std::string name_;
    std::string out_;
    AmdRegisters registers_;
    std::map<std::string, std::pair<PtxRegister, std::int64_t>> variables_; ///< And pages.
};

} // namespace

Result<std::string> hip_source(const BenchmarkPoint& point, assembly::Target target) {
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    if (point.copy || point.region.semaphore)
        return Failure{point.copy ? "a copy has no code"
                                  : "blocks that wait for each other have no HIP C++; expected "
                                    "assembly: --code with the processor alone",
                       point.name};
    const std::string entry = "timed_region";
    const auto kernel =
        emit_amd(entry, point.region.before, point.region.timed, target, point.region.trips);
    if (!kernel) return kernel.as_failure();
    HipWriter writer{dialect.value(), entry};
    std::vector<HipStatement> before;
    std::vector<HipStatement> timed;
    if (auto taken = writer.take(point.region.before, before); !taken) return taken.as_failure();
    if (auto taken = writer.take(point.region.timed, timed); !taken) return taken.as_failure();
    return writer.text(kernel.value(), point.region, before, timed);
}

} // namespace warpbound::harness
