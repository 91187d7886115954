#pragma once
/// \file
/// The statements of random kernels, with the flow facts that they need.

#include "tests/support/random_kernel_text.hpp"
#include "tests/support/random_source.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Appends statements to a kernel. The same seed and calls give the same text.
class RandomStatements {
public:
    RandomStatements(std::uint64_t seed, const RandomKernelOptions& options)
        : options_{options}, random_source_{seed} {}

protected:
    std::int64_t draw(std::int64_t lo, std::int64_t hi) { return random_source_.whole(lo, hi); }
    bool with_probability(int percent) { return draw(1, 100) <= percent; }
    std::string reg() { return fmt::format("R{}", draw(2, 15)); }
    std::string predicate() { return fmt::format("P{}", draw(0, 3)); }
    std::int64_t step() const { return options_.sm >= 70 ? 16 : 8; }

    void put_label(const std::string& label) { kernel_.text += label + ":\n"; }

    /// Appends an instruction, with random control fields where the machine uses them.
    void instruction(const std::string& text, int least_stall = 1, bool variable = false,
                     bool has_result = true, bool has_sources = true);
    /// A conditional transfer or EXIT, at which lanes may diverge.
    void decide(const std::string& text);
    /// Pushes the reconvergence point after a branch or a loop; sometimes the code names none.
    /// Returns the barrier register, -1 for a point on the SIMT stack, or -2 for none.
    int push_point(const std::string& target);
    /// Transfers control to the reconvergence point.
    void arrive(int point, const std::string& target);
    void put_point(int point, const std::string& target);
    void clock_read(const std::string& into);
    void plain();
    void barrier() { instruction("BAR.SYNC 0x0", 2); }
    void guarded_exit() { decide(fmt::format("@{} EXIT", predicate())); }

    RandomKernelOptions options_;
    RandomSource random_source_;
    RandomKernel kernel_;
    std::int64_t address_ = 0;
    int barriers_ = 0; ///< Convergence barriers in use.

private:
    void may_diverge();
    void shared_fact();
    /// Fermi's caches are unknown, so its loads always state DRAM as their level.
    void global_fact();
    /// Draws whether the fact gets a pattern instead of passes; if so, adds it.
    bool has_pattern(models::MemoryFact& fact);
};

} // namespace warpbound::tests
