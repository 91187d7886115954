#include "assembly/amd/opcodes.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace warpbound::assembly::amd {

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return text.starts_with(start); });
}
bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return contains(text, part); });
}

std::string_view without_encoding(std::string_view name) {
    for (const std::string_view suffix :
         {"_e32", "_e64", "_sdwa", "_dpp", "_dpp8", "_e64_dpp", "_e64_dpp8"})
        if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
            return name.substr(0, name.size() - suffix.size());
    return name;
}

OpcodeClass compare_class(std::string_view name) {
    if (contains(name, "_f64")) return OpcodeClass::Double;
    if (contains(name, "_f16")) return OpcodeClass::Half;
    return contains(name, "_f32") ? OpcodeClass::FloatCompare : OpcodeClass::IntegerCompare;
}

/// Of floating-point operations by their type, which the names end in.
OpcodeClass float_class(std::string_view name) {
    if (contains(name, "_f64")) return OpcodeClass::Double;
    if (contains_any(name, {"_f16", "_bf16"}) || name.starts_with("v_pk_"))
        return OpcodeClass::Half;
    if (contains_any(name, {"fma", "_mad_", "_mac_"})) return OpcodeClass::FloatMultiplyAdd;
    if (contains(name, "_mul_")) return OpcodeClass::FloatMultiply;
    if (contains_any(name, {"_min", "_max", "_med3", "div_scale", "div_fixup", "cubeid"}))
        return OpcodeClass::FloatCompare;
    return OpcodeClass::FloatAdd;
}

OpcodeClass vector_class(std::string_view name) {
    if (starts_with_any(name, {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac", "v_dot"}))
        return OpcodeClass::Tensor;
    if (name.starts_with("v_cmp")) return compare_class(name);
    if (starts_with_any(name, {"v_readlane", "v_readfirstlane", "v_writelane"}))
        return OpcodeClass::Vote;
    if (contains(name, "permlane")) return OpcodeClass::Shuffle;
    if (starts_with_any(name,
                        {"v_cvt", "v_ceil", "v_floor", "v_trunc", "v_rndne", "v_fract", "v_frexp"}))
        return OpcodeClass::Conversion;
    if (starts_with_any(name, {"v_rcp", "v_rsq", "v_sqrt", "v_exp_", "v_log_", "v_sin", "v_cos"}))
        return contains(name, "_f64") ? OpcodeClass::Double : OpcodeClass::SpecialFunction;
    if (starts_with_any(name, {"v_bcnt", "v_mbcnt", "v_ffb", "v_cl", "v_bfrev", "v_ctz"}))
        return OpcodeClass::BitCount;
    if (starts_with_any(name, {"v_mov", "v_cndmask", "v_swap", "v_accvgpr", "v_dual"}))
        return OpcodeClass::Move;
    if (starts_with_any(name, {"v_and", "v_or", "v_xor", "v_not", "v_xnor", "v_bf", "v_perm",
                               "v_align", "v_xad"}))
        return OpcodeClass::Logic;
    if (starts_with_any(name, {"v_lshl", "v_lshr", "v_ashr"})) return OpcodeClass::Shift;
    if (name.starts_with("v_nop")) return OpcodeClass::Nop;
    if (contains_any(name, {"_f64", "_f32", "_f16", "_bf16"})) return float_class(name);
    if (contains_any(name, {"v_mul_", "v_mad_", "v_pk_mul", "v_pk_mad", "v_mad"}))
        return OpcodeClass::IntegerMultiply;
    if (starts_with_any(name, {"v_add", "v_sub", "v_pk_", "v_min", "v_max", "v_med3", "v_sad",
                               "v_msad", "v_qsad", "v_mqsad", "v_addc", "v_lerp"}))
        return OpcodeClass::IntegerAdd;
    return OpcodeClass::Unknown;
}

/// Bytes that a lane, or for scalar loads the wavefront, moves.
int bytes_of(std::string_view name) {
    struct Width {
        std::string_view part;
        int bytes;
    };
    // Longer names first: "dwordx2" begins as "dword".
    constexpr std::array widths{
        Width{"dwordx16", 64}, Width{"b512", 64}, Width{"dwordx8", 32}, Width{"b256", 32},
        Width{"dwordx4", 16},  Width{"b128", 16}, Width{"xyzw", 16},    Width{"dwordx3", 12},
        Width{"b96", 12},      Width{"xyz", 12},  Width{"dwordx2", 8},  Width{"b64", 8},
        Width{"_x2", 8},       Width{"u64", 8},   Width{"i64", 8},      Width{"f64", 8},
        Width{"dword", 4},     Width{"b32", 4},   Width{"u32", 4},      Width{"i32", 4},
        Width{"f32", 4},       Width{"pk_", 4},   Width{"short", 2},    Width{"b16", 2},
        Width{"u16", 2},       Width{"i16", 2},   Width{"byte", 1},     Width{"b8", 1},
        Width{"u8", 1},        Width{"i8", 1},
    };
    for (const auto& [part, bytes] : widths)
        if (contains(name, part)) return bytes;
    return contains_any(name, {"atomic", "_rtn", "ds_add", "ds_sub", "ds_inc", "ds_dec", "ds_and",
                               "ds_or", "ds_xor", "ds_min", "ds_max"})
               ? 4
               : 0;
}

bool is_atomic(std::string_view name) {
    if (contains(name, "atomic")) return true;
    return starts_with_any(name,
                           {"ds_add", "ds_sub", "ds_rsub", "ds_inc", "ds_dec", "ds_min", "ds_max",
                            "ds_and", "ds_or", "ds_xor", "ds_mskor", "ds_cmpst", "ds_cmpstore",
                            "ds_wrxchg", "ds_storexchg", "ds_pk_add", "ds_condxchg", "ds_wrap"}) &&
           !name.starts_with("ds_add_gs");
}

OpcodeProperties lds_properties(std::string_view name) {
    if (contains_any(name, {"permute", "swizzle"}))
        return {OpcodeClass::Shuffle, StateSpace::None, 4};
    if (contains_any(name, {"ds_nop", "gws", "ordered_count"}))
        return {contains(name, "ds_nop") ? OpcodeClass::Nop : OpcodeClass::Barrier,
                StateSpace::None, 0};
    const int bytes =
        bytes_of(name) *
        (contains_any(name, {"read2", "write2", "load_2addr", "store_2addr"}) ? 2 : 1);
    if (is_atomic(name)) return {OpcodeClass::AtomicShared, StateSpace::Shared, bytes};
    if (contains_any(name, {"write", "store"}))
        return {OpcodeClass::StoreShared, StateSpace::Shared, bytes};
    return {OpcodeClass::LoadShared, StateSpace::Shared, bytes};
}

OpcodeProperties vector_memory_properties(std::string_view name) {
    if (contains_any(name, {"wbl2", "wbinv", "_inv", "gl0", "gl1", "wb"}))
        return {OpcodeClass::MemoryFence, StateSpace::None, 0};
    StateSpace space = StateSpace::Global;
    if (name.starts_with("flat_")) space = StateSpace::Generic;
    if (name.starts_with("scratch_")) space = StateSpace::Local;
    const int bytes = bytes_of(name);
    const bool is_local = space == StateSpace::Local;
    if (is_atomic(name)) return {OpcodeClass::AtomicGlobal, space, bytes};
    if (contains(name, "store"))
        return {is_local ? OpcodeClass::StoreLocal : OpcodeClass::StoreGlobal, space, bytes};
    return {is_local ? OpcodeClass::LoadLocal : OpcodeClass::LoadGlobal, space, bytes};
}

OpcodeProperties scalar_properties(std::string_view name) {
    const auto plain = [](OpcodeClass opcode_class) {
        return OpcodeProperties{opcode_class, StateSpace::None, 0};
    };
    if (starts_with_any(name, {"s_waitcnt", "s_wait_"}))
        return plain(OpcodeClass::DependenceBarrier);
    if (starts_with_any(name, {"s_memtime", "s_memrealtime"})) return plain(OpcodeClass::ClockRead);
    if (starts_with_any(name, {"s_load", "s_buffer_load", "s_scratch_load"}))
        return {OpcodeClass::LoadConstant, StateSpace::Constant, bytes_of(name)};
    if (starts_with_any(name, {"s_store", "s_buffer_store", "s_scratch_store"}))
        return {OpcodeClass::StoreGlobal, StateSpace::Global, bytes_of(name)};
    if (starts_with_any(name, {"s_atomic", "s_buffer_atomic"}))
        return {OpcodeClass::AtomicGlobal, StateSpace::Global, 4};
    if (starts_with_any(name, {"s_dcache", "s_icache", "s_gl1_inv", "s_atc_probe"}))
        return plain(OpcodeClass::MemoryFence);
    if (name.starts_with("s_barrier")) return plain(OpcodeClass::Barrier);
    if (starts_with_any(name, {"s_endpgm", "s_code_end"})) return plain(OpcodeClass::Exit);
    if (starts_with_any(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_rfe",
                               "s_subvector_loop", "s_trap"}))
        return plain(OpcodeClass::Branch);
    if (starts_with_any(name, {"s_nop", "s_sleep", "s_delay_alu", "s_clause", "s_inst_prefetch",
                               "s_set_inst_prefetch", "s_sethalt", "s_setprio", "s_incperflevel",
                               "s_decperflevel", "s_ttracedata"}))
        return plain(OpcodeClass::Nop);
    return plain(OpcodeClass::Uniform);
}

} // namespace

OpcodeProperties properties_of(std::string_view mnemonic) {
    const std::string_view name = without_encoding(mnemonic);
    if (name.starts_with("v_")) return {vector_class(name), StateSpace::None, 0};
    if (name.starts_with("s_")) return scalar_properties(name);
    if (name.starts_with("ds_")) return lds_properties(name);
    if (starts_with_any(name, {"global_", "flat_", "buffer_", "tbuffer_", "scratch_"}))
        return vector_memory_properties(name);
    if (name.starts_with("image_")) return {OpcodeClass::Texture, StateSpace::Texture, 4};
    return {};
}

} // namespace warpbound::assembly::amd
