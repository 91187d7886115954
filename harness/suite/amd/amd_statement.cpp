#include "harness/suite/amd/amd_statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

namespace warpbound::harness {

namespace {

struct Form {
    std::string_view ptx; ///< Of the statement.
    std::string_view amd;
    std::size_t operands; ///< Of the statement that the form reads.
    AmdCounter counter = AmdCounter::None;
};

/// Source: LLVM, AMDGPU instruction syntax of gfx906 to gfx1100, which all take these names.
constexpr auto forms = std::to_array<Form>({
    {"add.rn.f32", "v_add_f32_e32 {0}, {1}, {2}", 3},
    {"mul.rn.f32", "v_mul_f32_e32 {0}, {1}, {2}", 3},
    {"fma.rn.f32", "v_fma_f32 {0}, {1}, {2}, {3}", 4},
    {"min.f32", "v_min_f32_e32 {0}, {1}, {2}", 3},
    {"max.f32", "v_max_f32_e32 {0}, {1}, {2}", 3},
    {"add.rn.f64", "v_add_f64 {0}, {1}, {2}", 3},
    {"ex2.approx.ftz.f32", "v_exp_f32_e32 {0}, {1}", 2},
    {"min.s32", "v_min_i32_e32 {0}, {1}, {2}", 3},
    {"max.s32", "v_max_i32_e32 {0}, {1}, {2}", 3},
    {"mad.lo.s32", "v_mul_lo_u32 {0}, {1}, {2}", 4},
    {"lop3.b32", "v_or3_b32 {0}, {1}, {2}, {3}", 4},
    {"shl.b32", "v_lshlrev_b32_e32 {0}, {2}, {1}", 3},
    {"popc.b32", "v_bcnt_u32_b32 {0}, {1}, 0", 2},
    {"cvt.rn.f32.s32", "v_cvt_f32_i32_e32 {0}, {1}", 2},
    {"ld.volatile.shared.f32", "ds_read_b32 {0}, {1} offset:{offset}", 2, AmdCounter::Lds},
    {"st.volatile.shared.f32", "ds_write_b32 {0}, {1} offset:{offset}", 2, AmdCounter::Lds},
    {"ld.volatile.global.f32", "global_load_dword {0}, {1}, off offset:{offset}", 2,
     AmdCounter::Vector},
    {"ld.volatile.global.v2.f32", "global_load_dwordx2 {0}, {1}, off offset:{offset}", 2,
     AmdCounter::Vector},
    {"ld.volatile.global.v4.f32", "global_load_dwordx4 {0}, {1}, off offset:{offset}", 2,
     AmdCounter::Vector},
    {"ld.global.u64", "global_load_dwordx2 {0}, {1}, off offset:{offset}", 2, AmdCounter::Vector},
    {"st.volatile.global.f32", "global_store_dword {0}, {1}, off offset:{offset}", 2,
     AmdCounter::Store},
    {"atom.global.add.u32", "global_atomic_add {0}, {1}, {2}, off offset:{offset} {returns}", 3,
     AmdCounter::Vector},
    {"bar.sync", "s_barrier", 1},
    {"mov.b32", "v_mov_b32_e32 {0}, {1}", 2},
    {"nop", "v_nop", 0}, // No statement of PTX.
});

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    return text;
}

struct Statement {
    std::string_view name;
    std::vector<std::string> operands; ///< "%f4", "[%global_by_4+128]", "{%f8, %f9}"
};

Statement parsed(std::string_view text) {
    Statement statement;
    const std::size_t blank = std::min(text.find(' '), text.size());
    statement.name = text.substr(0, blank);
    int depth = 0;
    std::string operand;
    for (const char c : text.substr(blank)) {
        if (c == '{') ++depth;
        if (c == '}') --depth;
        if (c == ',' && depth == 0) {
            statement.operands.emplace_back(trimmed(operand));
            operand.clear();
        } else {
            operand += c;
        }
    }
    if (!trimmed(operand).empty()) statement.operands.emplace_back(trimmed(operand));
    return statement;
}

std::vector<Statement> statements_of(std::string_view text) {
    std::vector<Statement> statements;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        if (const auto one = trimmed(text.substr(0, end)); !one.empty())
            statements.push_back(parsed(one));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return statements;
}

/// In front of an operand of which the low half is read.
constexpr std::string_view low_half = "low:";

/// The names that stand for other registers, which no instruction copies.
void remove_copies(std::vector<Statement>& statements) {
    if (statements.size() != 2) return;
    Statement& first = statements[0];
    Statement& second = statements[1];
    if (first.operands.size() != 2) return;
    if (first.name == "cvt.u32.u64") {
        std::replace(second.operands.begin(), second.operands.end(), first.operands[0],
                     std::string{low_half} + first.operands[1]);
        statements.erase(statements.begin());
        return;
    }
    // Both types of number are in the same registers.
    if (second.name == "mov.b32" && second.operands.size() == 2 &&
        second.operands[1] == first.operands[0]) {
        first.operands[0] = second.operands[0];
        statements.pop_back();
    }
}

} // namespace

Result<AmdInstruction> amd_instruction_of(std::string_view statements) {
    auto parts = statements_of(statements);
    remove_copies(parts);
    const auto refused = [&] {
        return Failure{"no instruction of AMD does it", std::string{statements}};
    };
    if (parts.size() != 1) return refused();
    const Statement& statement = parts.front();
    const auto* const form = std::find_if(
        forms.begin(), forms.end(), [&](const Form& one) { return one.ptx == statement.name; });
    if (form == forms.end() || statement.operands.size() < form->operands) return refused();
    AmdInstruction instruction;
    instruction.form = form->amd;
    instruction.counter = form->counter;
    instruction.is_transcendental = form->amd.starts_with("v_exp");
    instruction.is_scalar = form->amd.starts_with("s_");
    for (const std::string& operand : statement.operands) {
        // An operand is read as what a statement without a result reads.
        auto effects = effects_of_ptx("st " + operand);
        instruction.offset = std::max(instruction.offset, effects.largest_offset);
        if (!effects.reads.empty())
            instruction.operands.push_back(
                {std::move(effects.reads), operand.starts_with(low_half)});
    }
    return instruction;
}

} // namespace warpbound::harness
