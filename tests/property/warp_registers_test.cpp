/// \file
/// Registers of the warp in divergent code: loop bounds of abstract execution, compared with
/// executions in which the lanes of a warp share these registers (S32a).

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "assembly/isa/reader.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/harness/execution/snippet.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpbound::tests {
namespace {

/// A divergent branch; its sides, and what follows, have loops that count in registers of the warp.
/// R12 to R14 count how often each loop begins an iteration, by lane.
class CountingKernel {
public:
    explicit CountingKernel(RandomSource& random_source) : random_{random_source} {
        add("MOV R12, RZ; MOV R13, RZ; MOV R14, RZ; MOV R15, RZ");
        for (int reg = 4; reg < 7; ++reg)
            add(fmt::format("UMOV UR{}, 0x{:x}", reg, random_.whole(0, 3)));
        add(fmt::format("ISETP.LT.AND P0, PT, R0, 0x{:x}, PT", random_.whole(0, 33)));
        add("BSSY B0, D");
        add(fmt::format("@{}P0 BRA X", random_.whole(0, 1) == 0 ? "" : "!"));
        side(0);
        add("BRA D");
        text += "X: ";
        side(1);
        text += "D: ";
        add("BSYNC B0");
        side(2);
    }

    std::string text;

private:
    void add(const std::string& code) { text += code + ";\n"; }
    std::string warp_register() { return fmt::format("UR{}", random_.whole(4, 6)); }

    void side(int number) {
        for (auto i = random_.whole(0, 2); i > 0; --i)
            add(random_.whole(0, 1) == 0
                    ? fmt::format("UMOV {}, 0x{:x}", warp_register(), random_.whole(0, 5))
                    : fmt::format("UIADD3 {}, {}, 0x1, URZ", warp_register(), warp_register()));
        if (random_.whole(0, 3) == 0) return add("NOP");
        const std::string counter = warp_register();
        if (random_.whole(0, 2) != 0) add(fmt::format("UMOV {}, URZ", counter));
        text += fmt::format("L{}: ", number);
        add(fmt::format("IADD3 R{0}, R{0}, 0x1, RZ", 12 + number));
        add(fmt::format("UIADD3 {0}, {0}, 0x1, URZ", counter));
        const std::string limit =
            random_.whole(0, 1) == 0 ? warp_register() : fmt::format("0x{:x}", random_.whole(1, 6));
        add(fmt::format("UISETP.GE.AND UP0, UPT, {}, {}, UPT", counter, limit));
        add("PLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0");
        add(fmt::format("@!P1 BRA L{}", number));
    }

    RandomSource& random_;
};

TEST(WarpRegisters, BoundLoopsOfDivergentCode) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 60));
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    std::size_t bounded = 0;
    std::size_t entered = 0;
    for_seeds(cases, [&](RandomSource& random_source) {
        const CountingKernel kernel{random_source};
        SCOPED_TRACE(kernel.text);
        Snippet snippet{kernel.text};
        const assembly::Function& function = snippet.function();
        models::Launch launch{1, 32};
        const auto facts = analyzer::derive_thread_facts(function, snippet.graph(), {{32, 1, 1}},
                                                         architecture.value(), {});
        const auto run =
            analyzer::execute_abstractly(function, snippet.graph(), launch, facts.shared);
        const auto executed = snippet.execute(20'000);
        if (!executed) return; // It does not end.
        const auto outputs = snippet.run();
        for (std::size_t loop = 0; loop < run.loops.size(); ++loop) {
            const std::size_t first =
                snippet.graph().blocks[snippet.graph().loops[loop].header].first;
            const auto& counted =
                std::get<assembly::RegisterOperand>(function.instructions[first].operands.front());
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const auto count = outputs[lane].at(static_cast<std::size_t>(*counted.index) - 12);
                if (count == 0 || !run.loops[loop]) continue;
                ++bounded;
                ASSERT_LE(count, run.loops[loop]->max) << "lane " << lane << ", loop " << loop;
                ASSERT_GE(count, run.loops[loop]->min) << "lane " << lane << ", loop " << loop;
            }
            entered += 1;
        }
    });
    EXPECT_GT(entered, static_cast<std::size_t>(cases));
    EXPECT_GT(bounded, static_cast<std::size_t>(cases) * 8);
}

} // namespace
} // namespace warpbound::tests
