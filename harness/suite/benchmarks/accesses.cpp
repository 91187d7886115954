#include "harness/suite/benchmarks/accesses.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

constexpr std::int64_t access_line_bytes = 128; ///< Line size of the caches of every machine.

/// Before sm_50 global memory has instructions without a suffix.
bool is_old(const models::Architecture& architecture) {
    return architecture.target.sm < 50;
}

/// "%f8, %f9"
std::string float_registers(int first, std::int64_t count) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i)
        text += fmt::format("{}%f{}", i == 0 ? "" : ", ", first + i);
    return text;
}

} // namespace

Operation arithmetic_operation(const std::string& name, int destination, int source) {
    Operation operation;
    operation.destination = destination;
    operation.sources = {source};
    // In PTX an operation without a producer reads its own destination register.
    const int own = source < first_register ? destination : source;
    if (name == "add") {
        operation.opcode_class = OpcodeClass::FloatAdd;
        operation.text = fmt::format("FADD R{}, R{}, R3", destination, source);
        operation.ptx = fmt::format("add.rn.f32 %f{}, %f{}, %f3;", destination, own);
    } else if (name == "mul") {
        operation.opcode_class = OpcodeClass::FloatMultiply;
        operation.text = fmt::format("FMUL R{}, R{}, R3", destination, source);
        operation.ptx = fmt::format("mul.rn.f32 %f{}, %f{}, %f3;", destination, own);
    } else if (name == "mad") {
        operation.opcode_class = OpcodeClass::FloatMultiplyAdd;
        operation.text = fmt::format("FFMA R{}, R{}, R3, R3", destination, source);
        operation.ptx = fmt::format("fma.rn.f32 %f{}, %f{}, %f3, %f3;", destination, own);
    } else {
        operation.opcode_class = OpcodeClass::SpecialFunction;
        // cos.approx is a multiplication and a MUFU.COS, ex2.approx is one MUFU (ptxas 13.0).
        operation.text = fmt::format("MUFU.COS R{}, R{}", destination, source);
        operation.ptx = fmt::format("ex2.approx.ftz.f32 %f{}, %f{};", destination, own);
    }
    return operation;
}

Operation shared_load(int destination, std::int64_t stride) {
    Operation load{
        fmt::format("LDS R{}, [R4]", destination), OpcodeClass::LoadShared, destination, {4}};
    load.ptx = fmt::format("ld.volatile.shared.f32 %f{}, [%shared_by_{}];", destination, stride);
    return shared_access(std::move(load), std::gcd<std::int64_t>(stride, 32));
}

Operation shared_store(std::int64_t stride) {
    Operation store{"STS [R4], R5", OpcodeClass::StoreShared, -1, {4, 5}};
    store.ptx = fmt::format("st.volatile.shared.f32 [%shared_by_{}], %f5;", stride);
    return shared_access(std::move(store), std::gcd<std::int64_t>(stride, 32));
}

Operation global_load(const models::Architecture& architecture, int destination,
                      std::int64_t transactions, std::int64_t line, std::int64_t words) {
    const std::string offset = line == 0 ? "" : fmt::format("+0x{:x}", line * access_line_bytes);
    Operation load{fmt::format("{}{} R{}, [R4{}]", is_old(architecture) ? "LD" : "LDG",
                               words == 1 ? "" : fmt::format(".{}", 32 * words), destination,
                               offset),
                   OpcodeClass::LoadGlobal,
                   destination,
                   {4}};
    if (words == 1)
        load.ptx = fmt::format("ld.volatile.global.f32 %f{}, [%global_by_{}+{}];", destination,
                               4 * transactions, line * access_line_bytes);
    else
        load.ptx = fmt::format("ld.volatile.global.v{}.f32 {{{}}}, [%global_by_{}+{}];", words,
                               float_registers(destination, words), 4 * transactions,
                               line * access_line_bytes);
    return global_access(std::move(load), transactions, models::MemoryLevel::Dram);
}

Operation global_store(const models::Architecture& architecture, std::int64_t transactions) {
    Operation store{is_old(architecture) ? "ST [R4], R6" : "STG [R4], R6",
                    OpcodeClass::StoreGlobal,
                    -1,
                    {4, 6}};
    store.ptx = fmt::format("st.volatile.global.f32 [%global_by_{}], %f6;", 4 * transactions);
    return global_access(std::move(store), transactions, models::MemoryLevel::Dram);
}

Operation as_ptx(Operation operation, std::string ptx) {
    operation.ptx = std::move(ptx);
    return operation;
}

Operation closing_store(int result) {
    return as_ptx({"", OpcodeClass::StoreShared, -1, {}},
                  fmt::format("st.volatile.shared.f32 [%shared_by_1], %f{};", result));
}

Region loads_and_sum(const models::Architecture& architecture, int loads, std::int64_t line_step,
                     models::AddressPattern (*pattern)(int number)) {
    constexpr int sum = first_register + 1;
    Region region;
    for (int i = 0; i < loads; ++i) {
        Operation load = global_load(architecture, first_register + 2 * i, 1, line_step * i);
        region.timed.push_back(
            pattern == nullptr ? std::move(load)
                               : patterned(std::move(load), pattern(i), models::MemoryLevel::Any));
    }
    for (int i = 0; i < loads; ++i)
        region.timed.push_back(
            as_ptx(arithmetic_operation("add", first_register + 2 * i + 1, first_register + 2 * i),
                   fmt::format("add.rn.f32 %f{0}, %f{0}, %f{1};", sum, first_register + 2 * i)));
    region.closing = {closing_store(sum)};
    return region;
}

Region listing_only(Region region) {
    for (auto& operation : region.timed)
        operation.needs_assembler = true;
    return region;
}

} // namespace warpbound::harness
