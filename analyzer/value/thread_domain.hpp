#pragma once
/// \file
/// What is known of the numbers that the lanes of a warp hold together (docs/soundness.md, S32).

#include "analyzer/value/kernel_parameters.hpp"
#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/isa/program.hpp"

#include <boost/container/flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Threads of a block in each dimension.
struct BlockShape {
    std::array<std::int64_t, 3> threads{1, 1, 1}; ///< x, y, z.

    [[nodiscard]] std::int64_t count() const { return threads[0] * threads[1] * threads[2]; }
};

/// Numbers of all threads of a block, in the order of their warps. `Shape:` [thread].
using ThreadNumbers = std::vector<std::uint32_t>;

/// Where a number that the lanes have in common was computed. Numbers of one origin are equal
/// whenever they are computed.
using Origin = std::size_t;

/// Lanes of a warp in groups: of each thread the number of its group in its warp, from 0 in the
/// order of their first threads; nothing: one group in each warp.
using Groups = std::shared_ptr<const ThreadNumbers>;

/// A 32-bit number of each lane: it agrees with `offsets` in its lowest `bits` bits, and where it
/// has an origin, what it differs by from its offset is the same for all lanes of a group that
/// execute together. A number all of whose bits are known has one, and one group.
class ThreadNumber {
public:
    ThreadNumber(std::shared_ptr<const ThreadNumbers> offsets, unsigned bits,
                 std::optional<Origin> common, Groups groups);

    [[nodiscard]] const ThreadNumbers& offsets() const { return *offsets_; }
    [[nodiscard]] unsigned bits() const { return bits_; }
    [[nodiscard]] std::optional<Origin> common() const { return common_; }
    [[nodiscard]] const Groups& groups() const { return groups_; }
    [[nodiscard]] bool is_exact() const { return bits_ == 32; }
    /// Nothing at all is known of it.
    [[nodiscard]] bool is_unknown() const { return bits_ == 0 && !common_; }
    friend bool operator==(const ThreadNumber& a, const ThreadNumber& b) {
        const auto same = [](const auto& one, const auto& other) {
            return one == other || (one && other && *one == *other);
        };
        return a.bits_ == b.bits_ && a.common_ == b.common_ && same(a.offsets_, b.offsets_) &&
               same(a.groups_, b.groups_);
    }

private:
    std::shared_ptr<const ThreadNumbers> offsets_;
    unsigned bits_;
    std::optional<Origin> common_;
    Groups groups_;
};

/// A predicate of each lane: its truth by thread, or that lanes of a warp that execute together
/// agree; at least one of them.
struct ThreadPredicate {
    std::optional<std::vector<bool>> truth;
    std::optional<Origin> common;
    friend bool operator==(const ThreadPredicate&, const ThreadPredicate&) = default;
};

/// How numbers of lanes are computed with.
class ThreadArithmetic {
public:
    /// `lanes`: where they may part, a number that two ways give differently is none that lanes
    /// have in common. Requires: at least one thread, `warp_size` >= 1.
    ThreadArithmetic(const BlockShape& shape, std::int64_t warp_size, Lanes lanes,
                     KernelParameters words = {});

    [[nodiscard]] std::size_t threads() const { return threads_; }
    [[nodiscard]] std::size_t warp_size() const { return warp_size_; }
    [[nodiscard]] Lanes lanes() const { return lanes_; }

    [[nodiscard]] const ThreadNumber& unknown() const { return unknown_; }
    /// The same for all lanes.
    [[nodiscard]] ThreadNumber constant(std::uint32_t value) const;
    /// The same for all lanes, but which is not known.
    [[nodiscard]] ThreadNumber uniform(Origin origin) const;
    /// The word of a constant bank at an offset.
    [[nodiscard]] ThreadNumber word(std::int64_t bank, std::int64_t offset, Origin origin) const;
    /// What the launch gives each thread; nothing for what this version does not know.
    [[nodiscard]] std::optional<ThreadNumber> geometry(Geometry number, Origin origin) const;

    [[nodiscard]] ThreadNumber sum(const ThreadNumber& a, const ThreadNumber& b,
                                   Origin origin) const;
    [[nodiscard]] ThreadNumber product(const ThreadNumber& a, const ThreadNumber& b,
                                       Origin origin) const;
    [[nodiscard]] ThreadNumber negative(const ThreadNumber& a, Origin origin) const;
    /// Bit by bit: bit 4a + 2b + c of `table` for the bits a, b, c.
    [[nodiscard]] ThreadNumber looked_up(const std::array<ThreadNumber, 3>& inputs, unsigned table,
                                         Origin origin) const;
    using Binary = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;
    [[nodiscard]] ThreadNumber applied(const ThreadNumber& a, const ThreadNumber& b,
                                       const Binary& compute, Origin origin) const;
    /// A number that follows from these numbers and truths alone: lanes that hold the same of all
    /// of them hold the same.
    [[nodiscard]] ThreadNumber following(const std::vector<ThreadNumber>& numbers,
                                         const std::vector<ThreadPredicate>& truths,
                                         Origin origin) const;
    /// By a constant number of bits, which is below 32; zeros come in.
    [[nodiscard]] ThreadNumber shifted_right(const ThreadNumber& a, unsigned by, bool is_signed,
                                             Origin origin) const;

    /// Lanes that execute together hold the same number, the same truth.
    [[nodiscard]] bool is_uniform(const ThreadNumber& number) const;
    [[nodiscard]] bool is_uniform(const ThreadPredicate& predicate) const;

    /// Whether what is described alike, with this origin or known altogether, is one and the same:
    /// where lanes stay together all that they have in common has one origin.
    [[nodiscard]] bool are_one(std::optional<Origin> common, bool known) const {
        return known || (common && lanes_ == Lanes::MayPart);
    }

    /// What holds of a number that is one or the other: all lanes of a warp choose alike (`alike`),
    /// or each for itself.
    [[nodiscard]] ThreadNumber either(const ThreadNumber& a, const ThreadNumber& b, bool alike,
                                      Origin origin) const;
    /// `a` where the predicate holds, else `b`; nothing is known of a predicate that is none.
    [[nodiscard]] ThreadNumber selected(const std::optional<ThreadPredicate>& predicate,
                                        const ThreadNumber& a, const ThreadNumber& b,
                                        Origin origin) const;

private:
    [[nodiscard]] ThreadNumber made(ThreadNumbers offsets, unsigned bits,
                                    std::optional<Origin> common, Groups groups = {}) const;
    [[nodiscard]] bool same_in_warps(const ThreadNumbers& numbers) const;
    /// Lanes of a warp are in one group if they are in each of these, which may be none, and the
    /// same number stands for them in it.
    [[nodiscard]] Groups refined(const std::vector<const ThreadNumbers*>& parts) const;
    /// Lanes that hold the same number.
    [[nodiscard]] Groups holding_the_same(const std::vector<const ThreadNumber*>& numbers) const;

    std::size_t threads_;
    std::size_t warp_size_;
    Lanes lanes_;
    std::array<std::int64_t, 3> shape_;
    KernelParameters words_;
    ThreadNumber unknown_;
};

/// What is known of the registers of all lanes at a place in the code.
class ThreadRegisters {
public:
    explicit ThreadRegisters(const ThreadArithmetic& arithmetic) : arithmetic_{&arithmetic} {}

    [[nodiscard]] ThreadNumber number(assembly::Register reg) const;
    /// Nothing when nothing is known of it.
    [[nodiscard]] std::optional<ThreadPredicate> predicate(assembly::Register reg) const;
    /// Lanes that execute together find the same in it.
    [[nodiscard]] bool is_uniform(assembly::Register reg) const;
    /// The truth of an operand; nothing when it is none that is known.
    [[nodiscard]] std::optional<ThreadPredicate> truth(const assembly::RegisterOperand& reg) const;
    /// The low 32 bits of the address of each lane; nothing when it is not understood.
    [[nodiscard]] std::optional<ThreadNumber> address(const assembly::MemoryOperand& operand,
                                                      Origin origin) const;

    /// What the instruction does to them. `origin`: of what it computes; used for nothing else.
    void execute(const assembly::Instruction& instruction, Origin origin);
    /// Keeps what holds for both. `origin`: differs with every place at which ways meet.
    void join(const ThreadRegisters& other, Origin origin);
    friend bool operator==(const ThreadRegisters& a, const ThreadRegisters& b) {
        return a.numbers_ == b.numbers_ && a.predicates_ == b.predicates_;
    }

private:
    void set(assembly::Register reg, const ThreadNumber& value);
    void set(assembly::Register reg, std::optional<ThreadPredicate> value);
    [[nodiscard]] bool is_kept(assembly::Register reg) const;

    const ThreadArithmetic* arithmetic_;
    boost::container::flat_map<assembly::Register, ThreadNumber> numbers_;       ///< Those known.
    boost::container::flat_map<assembly::Register, ThreadPredicate> predicates_; ///< Those known.
};

} // namespace warpbound::analyzer
