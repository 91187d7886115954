#include "harness/suite/benchmarks/stall_search.hpp"

#include "harness/suite/benchmarks/specimens.hpp"
#include "harness/suite/emission/stated_emission.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

/// An instruction of the class that changes R8 (or R9, or P0) from 0. R10 holds 1, R11 and R15 hold
/// ones of float and double.
struct Searched {
    OpcodeClass opcode_class;
    std::string_view text;
    std::string_view reset = "MOV R8, RZ";
    std::string_view consumer = "MOV R12, R8";
};

constexpr auto searched = std::to_array<Searched>({
    {OpcodeClass::IntegerAdd, "IADD3 R8, RZ, 0x1, RZ"},
    {OpcodeClass::IntegerMultiply, "IMAD R8, R10, 0x3, RZ"},
    {OpcodeClass::Logic, "LOP3.LUT R8, RZ, 0x1, RZ, 0xfc, !PT"},
    {OpcodeClass::Shift, "SHF.L.U32 R8, R10, 0x1, RZ"},
    {OpcodeClass::Move, "MOV R8, 0x1"},
    {OpcodeClass::IntegerCompare, "ISETP.NE.AND P0, PT, R10, RZ, PT",
     "ISETP.NE.AND P0, PT, RZ, RZ, PT", "SEL R12, R10, RZ, P0"},
    {OpcodeClass::FloatAdd, "FADD R8, RZ, R11"},
    {OpcodeClass::FloatMultiply, "FMUL R8, R11, R11"},
    {OpcodeClass::FloatMultiplyAdd, "FFMA R8, R11, R11, RZ"},
    {OpcodeClass::FloatCompare, "FMNMX R8, R11, RZ, !PT"},
    {OpcodeClass::Double, "DADD R8, R14, RZ", "MOV R9, RZ", "MOV R12, R9"},
});

Operation stalled(std::string_view text, OpcodeClass opcode_class, std::int64_t stall) {
    Operation operation{std::string{text}, opcode_class, -1, {}};
    operation.stall = stall;
    return operation;
}

Region search_region(const Searched& of, std::int64_t stall) {
    Region region;
    for (const std::string_view text :
         {"MOV R10, 0x1", "MOV R11, 0x3f800000", "MOV R14, RZ", "MOV R15, 0x3ff00000"})
        region.before.push_back(stalled(text, OpcodeClass::Move, settled));
    region.timed = {stalled(of.reset, OpcodeClass::Move, settled),
                    stalled(of.text, of.opcode_class, stall),
                    stalled(of.consumer, OpcodeClass::Move, settled),
                    stalled("STG.E [R4], R12", OpcodeClass::StoreGlobal, stated_stall)};
    return region;
}

} // namespace

std::vector<std::string> searched_classes() {
    std::vector<std::string> names;
    for (const auto& of : searched)
        names.emplace_back(to_string(of.opcode_class));
    return names;
}

std::int64_t stated_cycles_of_search(std::int64_t stall) {
    return settled + stall + settled + stated_stall;
}

std::vector<Benchmark> stall_searches() {
    std::vector<Benchmark> all;
    for (const auto& of : searched) {
        const std::string name{to_string(of.opcode_class)};
        Benchmark search{
            "search-" + name,
            fmt::format("At which stall count does a consumer read the result of a {}?", name),
            "wrong words below the latency, right ones from it on",
            "C97; Huerta et al., MICRO 2025",
            {{"stall", one_to(longest_search)}},
            [&of](const Axes& axes, const models::Architecture&) {
                return search_region(of, axis_value(axes, "stall", 1));
            },
            {path_of(of.opcode_class, "latency")}};
        search.quantity = Quantity::CheckedRegion;
        search.most_runs = runs_of_a_distance;
        all.push_back(std::move(search));
    }
    return all;
}

} // namespace warpbound::harness
