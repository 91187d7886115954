#pragma once
/// \file
/// Kernels of integer code with all forms that compilers use: carries, halves of products, pairs of
/// registers, predicates of predicates, registers of the warp, votes and shuffles.

#include "tests/support/random_listing.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Writes nested branches and loops, with convergence barriers or without, on few registers, so
/// that what one instruction computes decides soon. Words of constant bank 0 are read from
/// `first_argument` on; the pair of words at `data_argument` is the address of `data_bytes` of
/// global memory. As many bytes of shared memory are accessed.
class IntegerCodeWriter : private RandomListing {
public:
    static constexpr std::int64_t first_argument = 0x160;
    static constexpr std::int64_t last_argument = 0x174;
    static constexpr std::int64_t data_argument = 0x178;
    static constexpr std::int64_t data_bytes = 4096;

    explicit IntegerCodeWriter(RandomSource& random_source) : RandomListing{random_source} {}

    /// A listing with control fields, for `arch` such as "sm_75".
    std::string write(const std::string& arch);

private:
    static constexpr std::int64_t word_size = 4; ///< `Unit:` bytes.

    // Operands.
    std::string literal();
    std::string reg();
    std::string pair();
    std::string warp_reg();
    std::string constant();
    std::string source(bool may_be_negated = true);
    std::string three_sources();
    std::string predicate();
    std::string plain_predicate();
    /// Of a second destination.
    std::string other_predicate(const std::string& than);
    std::string combined();
    std::string guard();

    // Instructions.
    void begin();
    void operation();
    void arithmetic();
    void sum();
    void product();
    void shift();
    void scaled_sum();
    void logic();
    void choice();
    void bits();
    void compare();
    void of_predicates();
    void of_lanes();
    void of_warp();
    void access();
    void further_access();
    void wide_access();
    void related_numbers();
    void carried_product();
    void sum_and_extreme();
    void masks_of_votes();
    void further_of_warp();
    /// The arithmetic instruction that was written last, under a guard.
    void put_under_guard(std::size_t begin);

    // Statements.
    void block(int depth, std::int64_t statements, const std::string& exit);
    void branch(int depth, const std::string& exit);
    void loop(int depth);
    /// A loop over what is left of a window around a number.
    void window();
    void turns_of_lanes();
    /// What compilers write before shuffles: converged lanes fall through.
    void branch_on_active_lanes();
    /// Lanes that come to the label wait there for each other. Returns the barrier register, or
    /// nothing: no barrier is opened.
    std::string open_barrier(const std::string& target);
    void close_barrier(const std::string& barrier);
    void step(const std::string& counter);

    int open_barriers_ = 0;
    bool has_masks_ = false; ///< BRA.DIV names one.
};

} // namespace warpbound::tests
