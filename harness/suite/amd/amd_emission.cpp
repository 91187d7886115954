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
#include <set>
#include <utility>

namespace warpbound::harness {

namespace {

using namespace amd_sgprs;

/// Offsets of global accesses are below it on every processor; farther ones have a register with
/// an address of their own.
constexpr std::int64_t page = 2048;

/// Writes the body of a kernel.
class AmdWriter {
public:
    AmdWriter(const AmdDialect& dialect, std::int64_t trips) : dialect_{dialect}, trips_{trips} {
        kernel.loops = trips > 1;
    }

    Result<void> take(const std::vector<Operation>& operations, bool timed) {
        for (const Operation& operation : operations) {
            if (operation.ptx.empty())
                return Failure{fmt::format("'{}' has no form for AMD", operation.text), "AMD"};
            auto instruction = amd_instruction_of(operation.ptx);
            if (!instruction) return instruction.as_failure();
            const PtxEffects effects = effects_of_ptx(operation.ptx);
            if (auto noted = note(operation, effects, timed); !noted) return noted;
            Line line{std::move(instruction).value(), effects};
            (timed ? timed_ : before_).push_back(std::move(line));
        }
        return boost::outcome_v2::success();
    }

    /// Requires: all operations were taken.
    Result<std::string> body() {
        for (const auto* lines : {&before_, &timed_})
            for (const Line& line : *lines)
                if (auto placed = place_registers(line); !placed) return placed.as_failure();
        set_up();
        text_ += amd_timer_read(dialect_, time_before);
        AmdWaits waits{dialect_};
        for (const Line& line : before_)
            text_ += written(line, waits);
        text_ += amd_wait_for_all(dialect_);
        if (kernel.loops) line(fmt::format("s_mov_b32 s{}, {}", trips_left, trips_));
        text_ += amd_clock_read(dialect_, first_clock);
        text_ += region();
        text_ += amd_wait_for_all(dialect_);
        text_ += amd_clock_read(dialect_, last_clock);
        text_ += amd_timer_read(dialect_, time_after);
        text_ += amd_unwrap(dialect_);
        text_ += amd_end(dialect_);
        return std::move(text_);
    }

    [[nodiscard]] std::int64_t vgprs() const { return registers_.used(); }

    PtxKernel kernel;

private:
    struct Line {
        AmdInstruction instruction;
        PtxEffects effects;
    };

    /// What the operation needs of memory, and its place in the region.
    Result<void> note(const Operation& operation, const PtxEffects& effects, bool timed) {
        for (const PtxRegister& reg : effects.reads)
            if (auto known = note_read(reg, effects.largest_offset); !known) return known;
        written_.insert(effects.writes.begin(), effects.writes.end());
        if (timed) append_to_region(operation, effects, producers_, kernel);
        note_level(operation, kernel);
        return take_walk(operation, effects, kernel);
    }

    Result<void> note_read(const PtxRegister& reg, std::int64_t largest_offset) {
        reserve_memory(reg, dialect_.lanes, largest_offset, kernel);
        if (!written_.contains(reg)) inputs_.insert(reg);
        return boost::outcome_v2::success();
    }

    /// Registers of the line; an address beyond the largest offset has one for its page.
    Result<void> place_registers(const Line& line) {
        for (const auto& operand : line.instruction.operands)
            if (auto placed = registers_.place(operand.registers); !placed) return placed;
        for (const auto& operand : line.instruction.operands)
            if (const PtxRegister& reg = operand.registers.front(); reg.prefix == global_prefix)
                registers_.place_page(reg, line.instruction.offset / page);
        if (registers_.used() > most_vgprs)
            return Failure{fmt::format("takes more than {} VGPRs of a lane", most_vgprs), "AMD"};
        return boost::outcome_v2::success();
    }

    void line(std::string_view instruction) { text_ += fmt::format("  {}\n", instruction); }

    [[nodiscard]] VgprRange range_of(const AmdOperand& operand, std::int64_t offset) const {
        const PtxRegister& first = operand.registers.front();
        if (first.prefix == global_prefix) return registers_.page_of(first, offset / page);
        const VgprRange whole = registers_.range_of(operand.registers);
        return operand.is_low_half ? VgprRange{whole.first, 1} : whole;
    }

    /// The instruction with the waits that it needs.
    std::string written(const Line& one, AmdWaits& waits) const {
        const AmdInstruction& instruction = one.instruction;
        std::array<std::string, 4> names;
        std::vector<int> accessed;
        for (std::size_t i = 0; i < instruction.operands.size() && i < names.size(); ++i) {
            const VgprRange range = range_of(instruction.operands[i], instruction.offset);
            names[i] = range.name();
            for (int j = 0; j < range.count; ++j)
                accessed.push_back(range.first + j);
        }
        std::vector<int> results;
        for (const PtxRegister& reg : one.effects.writes)
            if (registers_.is_placed(reg))
                for (int j = 0; j < registers_.range_of({reg}).count; ++j)
                    results.push_back(registers_.range_of({reg}).first + j);
        std::string text = waits.before(instruction, accessed, results);
        text += fmt::format("  {}\n", fmt::format(fmt::runtime(instruction.form), names[0],
                                                  names[1], names[2], names[3],
                                                  fmt::arg("offset", instruction.offset % page),
                                                  fmt::arg("returns", dialect_.returning)));
        waits.issued(instruction, results);
        return text;
    }

    /// Of a loop, the body as it is in every iteration but the first: with what the one before left
    /// outstanding. In the first one its waits are met at once.
    std::string region() {
        AmdWaits waits{dialect_};
        const auto once = [&] {
            std::string text;
            for (const Line& one : timed_)
                text += written(one, waits);
            return text;
        };
        std::string text = once();
        if (!kernel.loops) return text;
        text = "again:\n" + once();
        return text + fmt::format("  s_sub_u32 s{0}, s{0}, 1\n  s_cmp_lg_u32 s{0}, 0\n"
                                  "  s_cbranch_scc1 again\n",
                                  trips_left);
    }

    void set_up() {
        text_ += amd_begin(dialect_);
        text_ += amd_address_of_warp(warp_memory, memory_address, kernel.memory_per_warp);
        for (const PtxRegister& reg : inputs_)
            set(reg);
        for (const auto& [key, range] : registers_.pages())
            set_address(range, key.first.number, key.second * page);
        text_ += amd_wait_for_all(dialect_);
    }

    void set_address(const VgprRange& range, std::int64_t bytes_of_lane, std::int64_t offset) {
        line(fmt::format("s_add_u32 s{}, s{}, {}", scratch, warp_memory, offset));
        line(fmt::format("s_addc_u32 s{}, s{}, 0", scratch + 1, warp_memory + 1));
        line(fmt::format("v_mov_b32_e32 v4, s{}", scratch));
        line(fmt::format("v_mov_b32_e32 v5, s{}", scratch + 1));
        line(fmt::format("v_mov_b32_e32 v2, {}", bytes_of_lane));
        line(fmt::format("v_mad_u64_u32 {}, {}, v1, v2, v[4:5]", range.name(), dialect_.carry));
    }

    void set(const PtxRegister& reg) {
        if (reg.prefix == global_prefix) return; // Its pages are set.
        const VgprRange range = registers_.range_of({reg});
        if (reg.prefix == walk_prefix) {
            line(fmt::format("v_mov_b32_e32 v{}, s{}", range.first, warp_memory));
            line(fmt::format("v_mov_b32_e32 v{}, s{}", range.first + 1, warp_memory + 1));
        } else if (reg.prefix == shared_prefix) {
            line(fmt::format("v_mul_u32_u24_e32 {}, {}, v1", range.name(),
                             shared_word * reg.number));
        } else {
            const std::uint64_t value = start_value(reg);
            constexpr unsigned word_bits = 32;
            for (int i = 0; i < range.count; ++i)
                line(fmt::format("v_mov_b32_e32 v{}, {:#x}", range.first + i,
                                 static_cast<std::uint32_t>(value >> (word_bits * unsigned(i)))));
        }
    }

    AmdDialect dialect_;
    std::int64_t trips_;
    std::string text_;
    AmdRegisters registers_;
    std::vector<Line> before_;
    std::vector<Line> timed_;
    std::set<PtxRegister> inputs_;
    std::set<PtxRegister> written_;
    Producers producers_;
};

} // namespace

Result<PtxKernel> emit_amd(const std::string& entry, const std::vector<Operation>& before,
                           const std::vector<Operation>& timed, assembly::Target target,
                           std::int64_t trips, std::int64_t registers) {
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    AmdWriter writer{dialect.value(), trips};
    if (auto taken = writer.take(before, false); !taken) return taken.as_failure();
    if (auto taken = writer.take(timed, true); !taken) return taken.as_failure();
    // Each warp's memory begins at a line boundary.
    constexpr std::int64_t line_bytes = 128;
    auto& per_warp = writer.kernel.memory_per_warp;
    per_warp = (per_warp + line_bytes - 1) / line_bytes * line_bytes;
    auto body = writer.body();
    if (!body) return body.as_failure();
    constexpr int address_bytes = 8;
    AmdKernelFrame frame{entry,
                         {address_bytes, address_bytes, address_bytes, address_bytes, 4},
                         std::max(writer.vgprs(), registers)};
    if (frame.vgprs > most_vgprs)
        return Failure{fmt::format("{} registers of a lane; AMD's vector instructions name {}",
                                   frame.vgprs, most_vgprs),
                       "AMD"};
    PtxKernel kernel = std::move(writer.kernel);
    kernel.entry = entry;
    kernel.text = amd_module(dialect.value(), frame, body.value());
    return kernel;
}

} // namespace warpbound::harness
