// Speed of reading listings. Unit: instructions per second.
#include "assembly/isa/reader.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace warpbound::assembly;

/// A straight-line kernel of `count` instructions in `cuobjdump -sass` form for sm_90.
SourceText straight_kernel(std::int64_t count) {
    constexpr const char* statements[]{
        "LDG.E R2, desc[UR6][R2.64] ;        /* 0x0000000602027981 */",
        "FFMA R4, R7.reuse, c[0x3][0x38], R4 ;    /* 0x00c00e0007047a23 */",
        "IADD3 R8, P0, R6, 0x1, RZ ;         /* 0x0000000106087810 */",
        "@P1 ISETP.GE.AND P0, PT, R0, R1, PT ; /* 0x000000010000120c */"};
    SourceText source{.name = "straight", .text = "\tcode for sm_90\n\t\tFunction : straight\n"};
    for (std::int64_t i = 0; i < count; ++i) {
        char address[64];
        std::snprintf(address, sizeof address, "        /*%04llx*/                   ",
                      static_cast<unsigned long long>(i) * 16);
        source.text += address;
        source.text += statements[i % 4];
        source.text += "\n                                        /* 0x000fe20007ffe0ff */\n";
    }
    source.text += "\t\t..........\n";
    return source;
}

void read_listing(benchmark::State& state) {
    const SourceText source = straight_kernel(state.range(0));
    for ([[maybe_unused]] auto _ : state) {
        const auto program = read_program(source);
        if (!program) {
            state.SkipWithError(warpbound::to_string(program.error()).c_str());
            break;
        }
        benchmark::DoNotOptimize(program.value().functions.data());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.text.size()));
}
BENCHMARK(read_listing)->Arg(1'000)->Arg(100'000);

} // namespace

BENCHMARK_MAIN();
