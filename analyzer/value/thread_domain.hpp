#pragma once
/// \file
/// Abstract domain of thread values: numbers and predicates of all threads of a block, as known
/// offsets by thread plus an unknown base that the lanes of a group share (S32).

#include "analyzer/value/kernel_parameters.hpp"
#include "analyzer/value/matched_masks.hpp"
#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/isa/program.hpp"
#include "models/launch/launch.hpp"

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

using models::BlockShape;

/// Numbers of all threads of a block, in the order of their warps. `Shape:` [thread].
using ThreadNumbers = std::vector<std::uint32_t>;

/// Identity of an unknown value, by the program point that computes it. Without divergence all
/// unknown values have origin 0; else values of one origin are equal whenever they are computed.
using Origin = std::size_t;

/// Partition of the lanes of each warp. `Shape:` [thread]: the thread's group in its warp, numbered
/// from 0 in the order of the first threads. Nothing: one group in each warp.
using Groups = std::shared_ptr<const ThreadNumbers>;

/// A 32-bit number of each thread. Its lowest `bits` bits equal those of `offsets`. Where it has a
/// base, number minus offset is the same for all lanes of a group that execute together. A number
/// all of whose bits are known has a base and one group. No number is larger than `most`.
class ThreadNumber {
public:
    ThreadNumber(std::shared_ptr<const ThreadNumbers> offsets, unsigned bits,
                 std::optional<Origin> base, Groups groups, std::uint32_t most);

    [[nodiscard]] const ThreadNumbers& offsets() const { return *offsets_; }
    [[nodiscard]] unsigned bits() const { return bits_; }
    /// The origin of the unknown base; nothing: the lanes have no base in common.
    [[nodiscard]] std::optional<Origin> base() const { return base_; }
    [[nodiscard]] const Groups& groups() const { return groups_; }
    /// As an unsigned number.
    [[nodiscard]] std::uint32_t most() const { return most_; }
    [[nodiscard]] bool is_exact() const { return bits_ == 32; }
    /// It may be any number in each thread.
    [[nodiscard]] bool is_unknown() const { return bits_ == 0 && !base_ && most_ == any; }
    /// The largest number of 32 bits.
    static constexpr std::uint32_t any = ~std::uint32_t{0};
    friend bool operator==(const ThreadNumber& a, const ThreadNumber& b) {
        const auto same = [](const auto& one, const auto& other) {
            return one == other || (one && other && *one == *other);
        };
        return a.bits_ == b.bits_ && a.base_ == b.base_ && a.most_ == b.most_ &&
               same(a.offsets_, b.offsets_) && same(a.groups_, b.groups_);
    }

private:
    std::shared_ptr<const ThreadNumbers> offsets_;
    unsigned bits_;
    std::optional<Origin> base_;
    Groups groups_;
    std::uint32_t most_;
};

/// A predicate of each thread. At least one member is set.
struct ThreadPredicate {
    std::optional<std::vector<bool>> truth; ///< By thread.
    /// Set: lanes of a warp that execute together agree. Its value is the origin.
    std::optional<Origin> uniform;
    friend bool operator==(const ThreadPredicate&, const ThreadPredicate&) = default;
};

/// The largest index of a block in the grid. `Shape:` [x, y, z]
using LastBlock = std::array<std::uint32_t, 3>;

/// Arithmetic on thread numbers. `origin`: the identity of the result's base.
class ThreadArithmetic {
public:
    /// `convergence`: where the warp may diverge, the join of two different numbers has no base,
    /// since lanes may come from different paths. Requires: at least one thread, `warp_size` >= 1.
    ThreadArithmetic(const BlockShape& shape, std::int64_t warp_size, Convergence convergence,
                     KernelParameters parameters = {},
                     const LastBlock& last_block = {ThreadNumber::any, ThreadNumber::any,
                                                    ThreadNumber::any});

    [[nodiscard]] std::size_t threads() const { return threads_; }
    [[nodiscard]] std::size_t warp_size() const { return warp_size_; }
    [[nodiscard]] Convergence convergence() const { return convergence_; }

    [[nodiscard]] const ThreadNumber& unknown() const { return unknown_; }
    /// A known number, the same in all threads.
    [[nodiscard]] ThreadNumber constant(std::uint32_t value) const;
    /// An unknown number, the same in all lanes of a warp.
    [[nodiscard]] ThreadNumber uniform(Origin origin) const;
    /// The word of a constant bank at an offset.
    [[nodiscard]] ThreadNumber constant_word(std::int64_t bank, std::int64_t offset,
                                             Origin origin) const;
    /// The thread or block index, extent or lane index; nothing where it is not modelled.
    [[nodiscard]] std::optional<ThreadNumber> geometry(Geometry number, Origin origin) const;

    [[nodiscard]] ThreadNumber sum(const ThreadNumber& a, const ThreadNumber& b,
                                   Origin origin) const;
    [[nodiscard]] ThreadNumber product(const ThreadNumber& a, const ThreadNumber& b,
                                       Origin origin) const;
    [[nodiscard]] ThreadNumber negation(const ThreadNumber& a, Origin origin) const;
    /// Bitwise Boolean function (LOP3): each bit is bit 4a + 2b + c of `table` for the bits a, b,
    /// c.
    [[nodiscard]] ThreadNumber lookup(const std::array<ThreadNumber, 3>& inputs, unsigned table,
                                      Origin origin) const;
    using Binary = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;
    /// `compute` applied thread by thread.
    [[nodiscard]] ThreadNumber map(const ThreadNumber& a, const ThreadNumber& b,
                                   const Binary& compute, Origin origin) const;
    /// The result of an unknown pure function of these numbers and truths: lanes with equal inputs
    /// have equal results.
    [[nodiscard]] ThreadNumber determined_by(const std::vector<ThreadNumber>& numbers,
                                             const std::vector<ThreadPredicate>& truths,
                                             Origin origin) const;
    /// Shift by a constant number of bits below 32; arithmetic shift where `is_signed`.
    [[nodiscard]] ThreadNumber shifted_right(const ThreadNumber& a, unsigned by, bool is_signed,
                                             Origin origin) const;

    /// No two lanes of a warp have the same number.
    [[nodiscard]] bool differs_in_lanes(const ThreadNumber& number) const;
    /// As masks of lanes: the lanes of the warp that a lane's number names have the same number.
    [[nodiscard]] bool is_mask_of_equals(const ThreadNumber& number) const;
    /// Lanes of a warp that execute together have equal numbers, equal truths.
    [[nodiscard]] bool is_uniform(const ThreadNumber& number) const;
    [[nodiscard]] bool is_uniform(const ThreadPredicate& predicate) const;

    /// Whether two values with equal descriptions are the same value: they are known, or have an
    /// origin that identifies them. Without divergence all origins are 0 and identify nothing.
    [[nodiscard]] bool is_one_value(std::optional<Origin> base, bool known) const {
        return known || (base && convergence_ == Convergence::MayDiverge);
    }

    /// What holds of a number that is one of the two. `uniform_choice`: all lanes of a warp have
    /// the same of the two; else each lane has either.
    [[nodiscard]] ThreadNumber join(const ThreadNumber& a, const ThreadNumber& b,
                                    bool uniform_choice, Origin origin) const;
    /// `a` where the predicate holds, else `b`. No predicate: its truth is not known.
    [[nodiscard]] ThreadNumber select(const std::optional<ThreadPredicate>& predicate,
                                      const ThreadNumber& a, const ThreadNumber& b,
                                      Origin origin) const;

private:
    [[nodiscard]] ThreadNumber make(ThreadNumbers offsets, unsigned bits,
                                    std::optional<Origin> base, Groups groups = {},
                                    std::uint32_t most = ThreadNumber::any) const;
    [[nodiscard]] bool is_uniform_in_warps(const ThreadNumbers& numbers) const;
    /// The coarsest partition of each warp in which every element of `keys` is constant on each
    /// group; null elements are skipped.
    [[nodiscard]] Groups common_refinement(const std::vector<const ThreadNumbers*>& keys) const;
    /// The partition into lanes that have equal values of each of the numbers.
    [[nodiscard]] Groups groups_of_equal(const std::vector<const ThreadNumber*>& numbers) const;

    std::size_t threads_;
    std::size_t warp_size_;
    Convergence convergence_;
    std::array<std::int64_t, 3> shape_;
    KernelParameters parameters_;
    LastBlock last_block_;
    ThreadNumber unknown_;
};

/// Abstract state of the registers of all threads of a block at a program point.
class ThreadRegisters {
public:
    explicit ThreadRegisters(const ThreadArithmetic& arithmetic) : arithmetic_{&arithmetic} {}

    /// While an instruction with a guard executes: of the threads for which it holds.
    [[nodiscard]] ThreadNumber number(assembly::Register reg) const {
        return number_under(under_, reg);
    }
    /// Nothing when the predicate is not known.
    [[nodiscard]] std::optional<ThreadPredicate> predicate(assembly::Register reg) const;
    /// Lanes of a warp that execute together read equal values from it.
    [[nodiscard]] bool is_uniform(assembly::Register reg) const;
    /// The truth of a predicate operand; nothing when it is not known.
    [[nodiscard]] std::optional<ThreadPredicate> truth(const assembly::RegisterOperand& reg) const;
    /// The predicate holds for at most one lane of each warp.
    [[nodiscard]] bool elects_one_lane(assembly::Register reg) const {
        return electing_.count(reg) != 0;
    }
    /// What registers hold as masks of lanes, where no lanes have diverged.
    [[nodiscard]] const MatchedMasks& masks() const { return masks_; }
    /// The low 32 bits of each thread's address, of those for which the guard holds; nothing for an
    /// operand form that is not modelled.
    [[nodiscard]] std::optional<ThreadNumber> address(const assembly::MemoryOperand& operand,
                                                      const std::optional<assembly::Guard>& guard,
                                                      Origin origin) const;

    /// States that it holds one value in each warp, at the entry of the kernel.
    void begin_uniform(assembly::Register reg, Origin origin) {
        numbers_.insert_or_assign(reg, arithmetic_->uniform(origin));
    }
    /// Applies the instruction. `origin`: of its results; each program point needs its own.
    void execute(const assembly::Instruction& instruction, Origin origin);
    /// Keeps what holds for both. `origin`: of the values that differ; each join needs its own.
    /// `differing`: registers of which lanes of one warp may hold either (null: none).
    void join(const ThreadRegisters& other, Origin origin,
              const std::set<assembly::Register>* differing = nullptr);
    /// Of these registers, lanes of a warp may hold values of different visits: what is not known
    /// of each lane by itself is forgotten.
    void forget_bases(const std::set<assembly::Register>& registers);
    /// Forgets those of `written` that are in `registers`.
    void forget(const std::vector<assembly::Register>& written,
                const std::set<assembly::Register>& registers);
    /// At the end of a basic block: what holds under a guard, and masks, are not carried on.
    void leave_block() {
        guarded_.clear();
        masks_.clear();
    }
    friend bool operator==(const ThreadRegisters& a, const ThreadRegisters& b) {
        return a.numbers_ == b.numbers_ && a.predicates_ == b.predicates_ &&
               a.electing_ == b.electing_;
    }

private:
    /// A number of the threads for which a predicate has this truth.
    struct GuardedNumber {
        assembly::Register predicate;
        bool negated = false;
        ThreadNumber number;
    };

    using Condition = std::optional<assembly::RegisterOperand>; ///< None: all threads.
    [[nodiscard]] ThreadNumber number_under(const Condition& condition,
                                            assembly::Register reg) const;
    /// Keeps what an instruction under the guard writes, for later ones under the same guard.
    void set_under(const assembly::RegisterOperand& guard, assembly::Register written,
                   const ThreadNumber& value);
    void set(assembly::Register reg, const ThreadNumber& value);
    void set(assembly::Register reg, std::optional<ThreadPredicate> value);
    /// Whether other threads of the warp cannot write it while this one is pending.
    [[nodiscard]] bool is_tracked(assembly::Register reg) const;

    const ThreadArithmetic* arithmetic_;
    boost::container::flat_map<assembly::Register, ThreadNumber> numbers_;       ///< Those known.
    boost::container::flat_map<assembly::Register, ThreadPredicate> predicates_; ///< Those known.
    boost::container::flat_set<assembly::Register> electing_; ///< See `elects_one_lane`.
    /// Since the begin of the basic block; neither register nor predicate was written since.
    boost::container::flat_map<assembly::Register, GuardedNumber> guarded_;
    MatchedMasks masks_; ///< Since the begin of the basic block.
    Condition under_;    ///< Of the instruction that executes.
};

} // namespace warpbound::analyzer
