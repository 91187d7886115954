#pragma once
/// \file
/// Single statements of random kernels, with the flow facts that they need.

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

    /// Appends an instruction with made-up control information where the machine takes it from the
    /// encoding.
    void instruction(const std::string& text, int least_stall = 1, bool variable = false,
                     bool has_result = true, bool has_sources = true);
    /// A transfer or EXIT that decides something; lanes may part there.
    void decide(const std::string& text);
    /// Names the point at which lanes meet behind a branch or a loop; sometimes nothing does.
    /// The barrier register, or -1 where a stack keeps the points, or -2.
    int join_point(const std::string& target);
    /// Goes to the point.
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
    void may_part();
    void shared_fact();
    /// Fermi's caches are unknown, so that its loads always say that they go to DRAM.
    void global_fact();
    /// Gives the fact a pattern in place of passes, and keeps it; or not.
    bool has_pattern(models::MemoryFact& fact);
};

} // namespace warpbound::tests
