#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

constexpr auto table = std::to_array<Specimen>({
    {OpcodeClass::IntegerAdd,
     "IADD R{0}, R2, R3",
     true,
     {"min.s32 %r{0}, %r{0}, %r3;", "max.s32 %r{0}, %r{0}, %r4;"}},
    {OpcodeClass::IntegerMultiply,
     "IMUL R{0}, R2, R3",
     true,
     {"mad.lo.s32 %r{0}, %r{0}, %r3, %r4;", "mad.lo.s32 %r{0}, %r{0}, %r3, %r4;"}},
    {OpcodeClass::Logic,
     "LOP.AND R{0}, R2, R3",
     true,
     {"lop3.b32 %r{0}, %r{0}, %r3, %r4, 0x96;", "lop3.b32 %r{0}, %r{0}, %r3, %r4, 0x96;"}},
    {OpcodeClass::Shift,
     "SHL R{0}, R2, 0x1",
     true,
     {"shl.b32 %r{0}, %r{0}, %r3;", "shl.b32 %r{0}, %r{0}, %r3;"}},
    {OpcodeClass::Move, "MOV R{0}, R2", true, {}, "mov.b32 %r{0}, %r{0};"},
    {OpcodeClass::IntegerCompare, "ISET.LT.AND R{0}, R2, R3, PT", true},
    {OpcodeClass::FloatAdd,
     "FADD R{0}, R2, R3",
     true,
     {"add.rn.f32 %f{0}, %f{0}, %f3;", "add.rn.f32 %f{0}, %f{0}, %f3;"}},
    {OpcodeClass::FloatMultiply,
     "FMUL R{0}, R2, R3",
     true,
     {"mul.rn.f32 %f{0}, %f{0}, %f3;", "mul.rn.f32 %f{0}, %f{0}, %f3;"}},
    {OpcodeClass::FloatMultiplyAdd,
     "FFMA R{0}, R2, R3, R3",
     true,
     {"fma.rn.f32 %f{0}, %f{0}, %f3, %f3;", "fma.rn.f32 %f{0}, %f{0}, %f3, %f3;"}},
    {OpcodeClass::FloatCompare,
     "FMNMX R{0}, R2, R3, PT",
     true,
     {"min.f32 %f{0}, %f{0}, %f3;", "max.f32 %f{0}, %f{0}, %f4;"}},
    {OpcodeClass::Double,
     "DADD R{0}, R2, R4",
     true,
     {"add.rn.f64 %fd{0}, %fd{0}, %fd4;", "add.rn.f64 %fd{0}, %fd{0}, %fd4;"}},
    {OpcodeClass::SpecialFunction,
     "MUFU.COS R{0}, R2",
     true,
     {"ex2.approx.ftz.f32 %f{0}, %f{0};", "ex2.approx.ftz.f32 %f{0}, %f{0};"}},
    {OpcodeClass::Conversion,
     "I2F.F32.S32 R{0}, R2",
     true,
     {"cvt.rn.f32.s32 %f{0}, %r{0}; mov.b32 %r{0}, %f{0};",
      "cvt.rn.f32.s32 %f{0}, %r{0}; mov.b32 %r{0}, %f{0};"}},
    {OpcodeClass::BitCount,
     "POPC R{0}, R2, R3",
     true,
     {"popc.b32 %r{0}, %r{0};", "popc.b32 %r{0}, %r{0};"}},
    {OpcodeClass::SpecialRegister, "S2R R{0}, SR_Tid_X", true},
    {OpcodeClass::LoadConstant, "LDC R{0}, c[0x0][0x20]", true},
    {OpcodeClass::LoadShared,
     "LDS R{0}, [R4]",
     true,
     {},
     "ld.volatile.shared.f32 %f{0}, [%shared_by_{1}];"},
    {OpcodeClass::StoreShared,
     "STS [R4], R5",
     false,
     {"st.volatile.shared.f32 [%shared_by_{1}], %f5;",
      "st.volatile.shared.f32 [%shared_by_{1}], %f5;"}},
    {OpcodeClass::LoadGlobal,
     "LD R{0}, [R4]",
     true,
     {"ld.volatile.global.f32 %f{0}, [%global_by_{2}+{3}];", ""},
     "ld.volatile.global.f32 %f{0}, [%global_by_{2}+{3}];"},
    {OpcodeClass::StoreGlobal,
     "ST [R4], R6",
     false,
     {"st.volatile.global.f32 [%global_by_{2}], %f6;",
      "st.volatile.global.f32 [%global_by_{2}], %f6;"}},
    {OpcodeClass::AtomicGlobal,
     "ATOM.ADD R{0}, [R4], R6",
     true,
     {"atom.global.add.u32 %r{0}, [%global_by_{2}], %r6;",
      "atom.global.add.u32 %r{0}, [%global_by_{2}], %r6;"}},
    {OpcodeClass::LoadLocal, "LDL R{0}, [R4]", true},
    {OpcodeClass::StoreLocal, "STL [R4], R6", false},
    {OpcodeClass::Nop, "NOP", false, {}, "nop;"},
});

constexpr std::int64_t word_bytes = 4;
constexpr std::int64_t specimen_line_bytes = 128;

} // namespace

std::span<const Specimen> specimens() {
    return table;
}

bool is_shared_access(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadShared || opcode_class == OpcodeClass::StoreShared;
}

bool is_global_access(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::StoreGlobal ||
           opcode_class == OpcodeClass::AtomicGlobal || opcode_class == OpcodeClass::LoadLocal ||
           opcode_class == OpcodeClass::StoreLocal;
}

Operation specimen(const Specimen& of, int destination, std::int64_t passes,
                   models::MemoryLevel level, std::size_t use) {
    Operation operation;
    operation.text = fmt::format(fmt::runtime(of.text), destination);
    // Lanes at the distance that results in that many transactions, and lines that no other access
    // uses.
    const std::string_view ptx = of.ptx[use % of.ptx.size()];
    operation.needs_assembler = ptx.empty();
    operation.ptx = fmt::format(fmt::runtime(ptx.empty() ? of.assembled : ptx), destination, passes,
                                passes * word_bytes, destination * passes * specimen_line_bytes);
    operation.opcode_class = of.opcode_class;
    if (of.has_result) operation.destination = destination;
    if (is_shared_access(of.opcode_class)) return shared_access(std::move(operation), passes);
    if (is_global_access(of.opcode_class))
        return global_access(std::move(operation), passes, level);
    return operation;
}

const Specimen& specimen_of(OpcodeClass opcode_class) {
    return *std::find_if(table.begin(), table.end(), [&](const Specimen& candidate) {
        return candidate.opcode_class == opcode_class;
    });
}

Operation predicated_off(int source) {
    return {fmt::format("@!PT IADD R6, R{}, R3", source), OpcodeClass::IntegerAdd, 6, {source}};
}

void append_predicated_off(std::vector<Operation>& operations, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        operations.push_back(predicated_off());
}

Region isolated(std::vector<Operation> operations) {
    Region region;
    append_predicated_off(region.timed, padding);
    for (auto& operation : operations)
        region.timed.push_back(std::move(operation));
    append_predicated_off(region.timed, padding);
    return region;
}

std::string path_of(OpcodeClass opcode_class, std::string_view value) {
    return fmt::format("classes/{}/{}", to_string(opcode_class), value);
}

Benchmark interlocked(Benchmark benchmark) {
    benchmark.interlocked = true;
    return benchmark;
}

Benchmark clocked(Benchmark benchmark, std::int64_t most_runs) {
    benchmark.quantity = Quantity::Clocks;
    benchmark.most_runs = most_runs;
    return interlocked(std::move(benchmark));
}

} // namespace warpbound::harness
