#pragma once
/// \file
/// Executes a wavefront of AMD instruction by instruction, from the instruction set guide and apart
/// from the analyzer: a part of the integer, mask and memory instructions.

#include "assembly/isa/program.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::tests {

/// Of 32 lanes the upper ones are not used.
struct WavefrontState {
    std::array<std::array<std::uint32_t, 64>, 32> vector{};
    std::array<std::uint32_t, 128> scalar{}; ///< VCC in 106 and 107, EXEC in 126 and 127.
    bool scc = false;
};

class WavefrontRun {
public:
    /// What an access to memory does: its addresses in each lane, one or two.
    using Addresses = std::vector<std::array<std::uint64_t, 64>>;
    using Access = std::function<void(std::size_t, const Addresses&, std::uint64_t active)>;
    /// `word`: what memory holds at an address.
    WavefrontRun(const assembly::Function& function, WavefrontState start,
                 std::function<std::uint32_t(std::uint64_t)> word, Access access)
        : function_{function}, state_{start}, word_{std::move(word)}, access_{std::move(access)},
          lanes_{static_cast<std::size_t>(function.entry.lanes)} {}

    /// Visits the indices of what it executes; false where it does not end after so many.
    bool run(const std::function<void(std::size_t)>& visit, int most = 20'000) {
        for (std::size_t at = 0; most > 0; --most) {
            visit(at);
            const assembly::Instruction& instruction = function_.instructions[at];
            if (instruction.control_flow == assembly::ControlFlow::Exit) return true;
            if (instruction.control_flow == assembly::ControlFlow::Branch && takes(instruction))
                at = *function_.index_of(
                    *std::get<assembly::TargetOperand>(instruction.operands[0]).address);
            else
                ++at;
            if (instruction.control_flow == assembly::ControlFlow::None) execute(at - 1);
        }
        return false;
    }

private:
    [[nodiscard]] bool takes(const assembly::Instruction& branch) const {
        const std::string& name = branch.mnemonic;
        if (name == "s_branch") return true;
        if (name == "s_cbranch_scc0") return !state_.scc;
        if (name == "s_cbranch_scc1") return state_.scc;
        if (name == "s_cbranch_vccz") return mask(106) == 0;
        if (name == "s_cbranch_vccnz") return mask(106) != 0;
        if (name == "s_cbranch_execz") return mask(126) == 0;
        if (name == "s_cbranch_execnz") return mask(126) != 0;
        throw std::logic_error{name};
    }

    [[nodiscard]] std::uint64_t pair(int first) const {
        const auto at = static_cast<std::size_t>(first);
        return state_.scalar.at(at) | std::uint64_t{state_.scalar.at(at + 1)} << 32U;
    }
    void set_pair(int first, std::uint64_t value) {
        const auto at = static_cast<std::size_t>(first);
        state_.scalar.at(at) = static_cast<std::uint32_t>(value);
        state_.scalar.at(at + 1) = static_cast<std::uint32_t>(value >> 32U);
    }

    /// Two registers of 64 lanes, one of 32.
    [[nodiscard]] std::uint64_t mask(int first) const {
        return lanes_ == 64 ? pair(first) : state_.scalar.at(static_cast<std::size_t>(first));
    }
    void set_mask(int first, std::uint64_t value) {
        if (lanes_ == 64)
            set_pair(first, value);
        else
            state_.scalar.at(static_cast<std::size_t>(first)) = static_cast<std::uint32_t>(value);
    }

    /// The number of the register that a text begins with, in its file.
    static int index_in(const std::string& text) {
        if (text == "vcc" || text == "vcc_lo") return 106;
        if (text == "exec" || text == "exec_lo") return 126;
        return std::atoi(text.c_str() + (text[1] == '[' ? 2 : 1));
    }
    static bool is_number(const std::string& text) {
        return text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    }
    [[nodiscard]] std::uint32_t value(const std::string& text, std::size_t lane, int word) const {
        if (is_number(text)) {
            const auto number = std::strtoll(text.c_str(), nullptr, 0);
            return word == 0 ? static_cast<std::uint32_t>(number) : number < 0 ? ~0U : 0U;
        }
        const auto index = static_cast<std::size_t>(index_in(text) + word);
        return text[0] == 'v' && text[1] != 'c' ? state_.vector.at(index)[lane]
                                                : state_.scalar.at(index);
    }
    [[nodiscard]] std::uint64_t mask(const std::string& text) const {
        return lanes_ == 64 ? wide(text) : value(text, 0, 0);
    }

    /// By the names of gfx9.
    static std::string older(std::string name) {
        if (name.ends_with("_e32") || name.ends_with("_e64")) name.resize(name.size() - 4);
        for (const auto& [longer, shorter] : {std::pair{"_not1_saveexec", "n2_saveexec"},
                                              {"_not1_b", "n2_b"},
                                              {"_nc_", "_"},
                                              {"v_add_co_ci", "v_addc_co"},
                                              {"s_load_b32", "s_load_dword"},
                                              {"load_2addr", "read2"},
                                              {"ds_load", "ds_read"},
                                              {"ds_store", "ds_write"}})
            if (const auto at = name.find(longer); at != std::string::npos)
                name.replace(at, std::string{longer}.size(), shorter);
        return name;
    }
    [[nodiscard]] std::uint64_t wide(const std::string& text, std::size_t lane = 0) const {
        return value(text, lane, 0) | std::uint64_t{value(text, lane, 1)} << 32U;
    }

    void execute(std::size_t index) {
        const assembly::Instruction& instruction = function_.instructions[index];
        std::vector<std::string> in;
        for (const auto& operand : instruction.operands)
            in.push_back(std::get<assembly::TextOperand>(operand).text);
        const std::string name = older(instruction.mnemonic);
        if (name.starts_with("s_waitcnt") || name == "s_nop") return;
        if (name.starts_with("v_dual_")) return both(name, in);
        if (name.starts_with("global_") || name.starts_with("ds_")) return access(index, name, in);
        if (name.starts_with("v_")) return vector(name, in);
        if (name == "s_load_dword") {
            const std::uint64_t address =
                pair(index_in(in[1])) + std::strtoul(in[2].c_str(), nullptr, 0);
            state_.scalar.at(static_cast<std::size_t>(index_in(in[0]))) = word_(address);
            return;
        }
        const bool is_mask = name.find("saveexec") != std::string::npos;
        if (is_mask || name.ends_with("_b64")) return masks(name, in);
        scalar(name, in);
    }

    /// "v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, v0": both read what was there before.
    void both(const std::string& name, const std::vector<std::string>& in) {
        std::vector<std::string> first;
        std::vector<std::string> second;
        std::string other;
        for (const std::string& text : in) {
            const auto at = text.find(" :: ");
            if (at == std::string::npos) {
                (other.empty() ? first : second).push_back(text);
                continue;
            }
            first.push_back(text.substr(0, at));
            const std::string rest = text.substr(at + 4);
            other = rest.substr(0, rest.find(' '));
            second.push_back(rest.substr(rest.find(' ') + 1));
        }
        const auto single = [](const std::string& dual) {
            return older("v_" + dual.substr(std::string{"v_dual_"}.size()));
        };
        const auto run = [&](const std::string& dual, std::vector<std::string> operands) {
            if (dual.find("cndmask") != std::string::npos) operands.emplace_back("vcc_lo");
            vector(single(dual), operands);
        };
        const WavefrontState before = state_;
        run(name, first);
        const auto written = static_cast<std::size_t>(index_in(first[0]));
        const auto result = state_.vector.at(written);
        state_ = before;
        run(other, second);
        state_.vector.at(written) = result;
    }

    void access(std::size_t index, const std::string& name, std::vector<std::string>& in) {
        const bool counts = name == "ds_add_rtn_u32";
        const bool loads =
            name.find("load") != std::string::npos || name.starts_with("ds_read") || counts;
        std::string last = in.back();
        std::int64_t offset = 0;
        if (const auto at = last.find("offset:"); at != std::string::npos)
            offset = std::atoi(last.c_str() + at + 7);
        last = last.substr(0, last.find(' '));
        const std::string base = in[loads ? 1 : 0].substr(0, in[loads ? 1 : 0].find(' '));
        std::array<std::uint64_t, 64> addresses{};
        const std::uint64_t active = mask(126);
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            const bool global = name.starts_with("global_");
            addresses[lane] =
                (global && last == "off" ? wide(base, lane) : std::uint64_t{value(base, lane, 0)}) +
                (global && last != "off" ? wide(last) : 0) + static_cast<std::uint64_t>(offset);
        }
        Addresses all{addresses};
        if (name == "ds_read2_b32") {
            all.push_back(addresses);
            for (const auto& [field, at] : {std::pair{"offset0:", 0U}, std::pair{"offset1:", 1U}})
                if (const auto found = in.back().find(field); found != std::string::npos)
                    for (std::uint64_t& address : all[at])
                        address += 4U * static_cast<std::uint64_t>(
                                            std::atoi(in.back().c_str() + found + 8));
        }
        access_(index, all, active);
        for (std::size_t lane = 0; counts && lane < lanes_; ++lane) // Some order of the lanes.
            if ((active >> lane & 1U) != 0)
                state_.vector.at(static_cast<std::size_t>(index_in(in[0])))[lane] =
                    word_(0x6666'0000'0000ULL + lane);
        if (!loads || counts) return;
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            for (std::size_t part = 0; (active >> lane & 1U) != 0 && part < all.size(); ++part)
                state_.vector.at(static_cast<std::size_t>(index_in(in[0])) + part)[lane] =
                    word_(all[part][lane] ^ (name.starts_with("ds_") ? 0x5555'0000'0000ULL : 0));
    }

    void masks(const std::string& name, const std::vector<std::string>& in) {
        if (name.find("saveexec") != std::string::npos) {
            const std::uint64_t exec = mask(126);
            const std::uint64_t a = mask(in[1]);
            const std::uint64_t after = name.starts_with("s_and_")  ? exec & a
                                        : name.starts_with("s_or_") ? exec | a
                                                                    : a & ~exec;
            set_mask(index_in(in[0]), exec);
            set_mask(126, after);
            state_.scc = after != 0;
            return;
        }
        const std::uint64_t a = wide(in[1]);
        const std::uint64_t b = in.size() > 2 ? wide(in[2]) : 0;
        std::uint64_t result = 0;
        if (name == "s_mov_b64") return set_pair(index_in(in[0]), a);
        if (name == "s_cselect_b64") return set_pair(index_in(in[0]), state_.scc ? a : b);
        if (name == "s_and_b64")
            result = a & b;
        else if (name == "s_or_b64")
            result = a | b;
        else if (name == "s_xor_b64")
            result = a ^ b;
        else if (name == "s_andn2_b64")
            result = a & ~b;
        else
            throw std::logic_error{name};
        set_pair(index_in(in[0]), result);
        state_.scc = result != 0;
    }

    static bool compare(const std::string& name, std::uint32_t a, std::uint32_t b) {
        const bool is_unsigned = name.find("u32") != std::string::npos;
        const std::int64_t x = is_unsigned ? std::int64_t{a} : static_cast<std::int32_t>(a);
        const std::int64_t y = is_unsigned ? std::int64_t{b} : static_cast<std::int32_t>(b);
        const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
        return is("_lt_")   ? x < y
               : is("_le_") ? x <= y
               : is("_eq_") ? x == y
               : is("_ge_") ? x >= y
               : is("_gt_") ? x > y
                            : x != y;
    }

    void scalar(const std::string& name, const std::vector<std::string>& in) {
        if (name.starts_with("s_cmp_")) {
            state_.scc = compare(name, value(in[0], 0, 0), value(in[1], 0, 0));
            return;
        }
        auto& result = state_.scalar.at(static_cast<std::size_t>(index_in(in[0])));
        const std::uint32_t a = value(in[1], 0, 0);
        const std::uint32_t b = in.size() > 2 ? value(in[2], 0, 0) : 0;
        const auto with_scc = [&](std::uint32_t number) {
            result = number;
            state_.scc = number != 0;
        };
        if (name == "s_mov_b32") {
            result = a;
        } else if (name == "s_movk_i32") {
            result = static_cast<std::uint32_t>(static_cast<std::int16_t>(a));
        } else if (name == "s_add_u32") {
            result = a + b;
            state_.scc = result < a;
        } else if (name == "s_add_i32" || name == "s_sub_i32") {
            const std::int64_t exact =
                std::int64_t{static_cast<std::int32_t>(a)} +
                (name == "s_add_i32" ? 1 : -1) * std::int64_t{static_cast<std::int32_t>(b)};
            result = static_cast<std::uint32_t>(exact);
            state_.scc = exact != static_cast<std::int32_t>(result);
        } else if (name == "s_mul_i32") {
            result = a * b;
        } else if (name == "s_lshl_b32") {
            with_scc(a << (b & 31U));
        } else if (name == "s_lshr_b32") {
            with_scc(a >> (b & 31U));
        } else if (name == "s_and_b32") {
            with_scc(a & b);
        } else if (name == "s_or_b32") {
            with_scc(a | b);
        } else if (name == "s_xor_b32") {
            with_scc(a ^ b);
        } else if (name == "s_andn2_b32") {
            with_scc(a & ~b);
        } else if (name == "s_min_u32") {
            state_.scc = a < b;
            result = a < b ? a : b;
        } else if (name == "s_cselect_b32") {
            result = state_.scc ? a : b;
        } else {
            throw std::logic_error{name};
        }
    }

    void vector(const std::string& name, const std::vector<std::string>& in) {
        const std::uint64_t exec = mask(126);
        if (name.starts_with("v_cmp")) {
            const bool to_exec = name.starts_with("v_cmpx"); // Of RDNA: to nothing else.
            const std::size_t first = to_exec ? 0 : 1;
            std::uint64_t bits = 0;
            for (std::size_t lane = 0; lane < lanes_; ++lane)
                if ((exec >> lane & 1U) != 0 &&
                    compare(name, value(in[first], lane, 0), value(in[first + 1], lane, 0)))
                    bits |= std::uint64_t{1} << lane;
            return set_mask(to_exec ? 126 : index_in(in[0]), bits);
        }
        if (name == "v_readfirstlane_b32") {
            std::size_t first = 0;
            while (first + 1 < lanes_ && (exec >> first & 1U) == 0)
                ++first;
            state_.scalar.at(static_cast<std::size_t>(index_in(in[0]))) =
                value(in[1], exec == 0 ? 0 : first, 0);
            return;
        }
        std::uint64_t carries = 0;
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            if ((exec >> lane & 1U) != 0 && lane_result(name, in, lane))
                carries |= std::uint64_t{1} << lane;
        if (name.find("_co_") != std::string::npos) set_mask(index_in(in[1]), carries);
    }

    /// Whether there is a carry.
    bool lane_result(const std::string& name, const std::vector<std::string>& in,
                     std::size_t lane) {
        const bool carries = name.find("_co_") != std::string::npos;
        const auto operand = [&](std::size_t i) {
            const std::size_t at = i + (carries ? 1 : 0);
            return at < in.size() ? value(in[at], lane, 0) : 0;
        };
        const std::uint32_t a = operand(1);
        const std::uint32_t b = operand(2);
        const std::uint32_t c = operand(3);
        const auto index = static_cast<std::size_t>(index_in(in[0]));
        auto& result = state_.vector.at(index)[lane];
        const auto is = [&](const char* text) { return name == text; };
        const auto less = [](std::uint32_t x, std::uint32_t y) {
            return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
        };
        if (is("v_lshlrev_b64") || is("v_ashrrev_i64")) {
            const std::uint64_t of = wide(in[2], lane);
            const std::uint64_t out =
                is("v_lshlrev_b64")
                    ? of << (a & 63U)
                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(of) >> (a & 63U));
            result = static_cast<std::uint32_t>(out);
            state_.vector.at(index + 1)[lane] = static_cast<std::uint32_t>(out >> 32U);
            return false;
        }
        if (carries) {
            const std::uint64_t in_carry = is("v_addc_co_u32") ? mask(in[4]) >> lane & 1U : 0;
            const std::uint64_t sum = std::uint64_t{a} + b + in_carry;
            result = static_cast<std::uint32_t>(sum);
            return sum >> 32U != 0;
        }
        result = is("v_mov_b32")        ? a
                 : is("v_add_u32")      ? a + b
                 : is("v_sub_u32")      ? a - b
                 : is("v_subrev_u32")   ? b - a
                 : is("v_add3_u32")     ? a + b + c
                 : is("v_lshl_add_u32") ? (a << (b & 31U)) + c
                 : is("v_lshl_or_b32")  ? (a << (b & 31U)) | c
                 : is("v_add_lshl_u32") ? (a + b) << (c & 31U)
                 : is("v_lshlrev_b32")  ? b << (a & 31U)
                 : is("v_lshrrev_b32")  ? b >> (a & 31U)
                 : is("v_and_b32")      ? a & b
                 : is("v_or_b32")       ? a | b
                 : is("v_xor_b32")      ? a ^ b
                 : is("v_and_or_b32")   ? (a & b) | c
                 : is("v_mul_lo_u32")   ? a * b
                 : is("v_mul_u32_u24")  ? (a & 0xffffffU) * (b & 0xffffffU)
                 : is("v_mad_u32_u24")  ? (a & 0xffffffU) * (b & 0xffffffU) + c
                 : is("v_bfe_u32")      ? a >> (b & 31U) & ((1U << (c & 31U)) - 1U)
                 : is("v_min_i32")      ? (less(a, b) ? a : b)
                 : is("v_max_u32")      ? (a < b ? b : a)
                 : is("v_cndmask_b32")  ? ((mask(in[3]) >> lane & 1U) != 0 ? b : a)
                                        : throw std::logic_error{name};
        return false;
    }

    const assembly::Function& function_;
    WavefrontState state_;
    std::function<std::uint32_t(std::uint64_t)> word_;
    Access access_;
    std::size_t lanes_;
};

} // namespace warpbound::tests
