#pragma once
/// \file
/// Random code whose branch conditions exclude each other.

#include "tests/support/random_source.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Writes random branches on few numbers, so that many conditions are correlated.
class CorrelatedBranches {
public:
    explicit CorrelatedBranches(RandomSource& random_source) : random_source_{random_source} {}

    std::string write() {
        text_ = "!Arch sm_75\n!Kernel k\n";
        for (int reg = 2; reg < 6; ++reg)
            load(reg);
        if (one_in(2)) { // Sums of thread and block index.
            add("S2R R2, SR_TID.X");
            add("S2R R3, SR_CTAID.X");
            add(fmt::format("IMAD R2, R2, {}, R4", one_in(2) ? "0x1" : "-0x1"));
            add(fmt::format("IMAD R3, R3, 0x60, {}", one_in(2) ? "R2" : "RZ"));
        }
        sequence(static_cast<int>(random_source_.whole(3, 7)), 2);
        add("EXIT");
        return text_ + "!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    void add(const std::string& line) { text_ += line + " ?trans6;\n"; }
    std::string number() {
        // Also near the ends of the sums of thread and block index.
        const std::int64_t value =
            (one_in(3) ? 96 * random_source_.whole(1, 3) : 0) + random_source_.whole(-3, 12);
        return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
    }
    std::string any() { return fmt::format("R{}", random_source_.whole(2, 5)); }
    std::string predicate() {
        return fmt::format("{}P{}", one_in(2) ? "!" : "", random_source_.whole(0, 3));
    }

    void load(int reg) {
        const std::string guard = one_in(10) ? "@" + predicate() + " " : "";
        switch (random_source_.whole(1, 6)) {
        case 1:
            return add(fmt::format("{}MOV R{}, {}", guard, reg, number()));
        case 2:
            return add(fmt::format("{}IADD3 R{}, {}, {}, RZ", guard, reg, any(), number()));
        case 3:
            return add(
                fmt::format("{}S2R R{}, {}", guard, reg, one_in(2) ? "SR_TID.X" : "SR_CTAID.X"));
        case 4:
            return add(fmt::format("{}LDS R{}, [R9]", guard, reg));
        case 5:
            return add(fmt::format("{}IMAD R{}, {}, {}, {}", guard, reg, any(),
                                   one_in(2) ? "-0x1" : "0x60", any()));
        default:
            return add(fmt::format("{}MOV R{}, c[0x0][0x16{}]", guard, reg, one_in(2) ? 0 : 4));
        }
    }

    void compare() {
        static const char* const names[] = {"LT", "LE", "EQ", "NE", "GE", "GT"};
        const auto into = random_source_.whole(0, 3);
        if (one_in(5))
            return add(fmt::format("PLOP3.LUT P{}, PT, {}, {}, {}, 0x{:x}, 0x0", into, predicate(),
                                   one_in(2) ? "PT" : predicate(), one_in(2) ? "PT" : predicate(),
                                   random_source_.whole(0, 255)));
        add(fmt::format(
            "{}ISETP.{}{}.{} P{}, PT, {}, {}, {}", one_in(10) ? "@" + predicate() + " " : "",
            names[random_source_.whole(0, 5)], one_in(4) ? ".U32" : "", one_in(4) ? "OR" : "AND",
            into, any(), one_in(4) ? any() : number(), one_in(3) ? predicate() : "PT"));
    }

    void sequence(int statements, int depth) {
        for (int i = 0; i < statements; ++i) {
            if (one_in(3)) load(static_cast<int>(random_source_.whole(2, 5)));
            if (!one_in(4)) compare();
            if (depth > 0 && one_in(8))
                loop(depth);
            else if (one_in(12))
                add(fmt::format("@{} EXIT", predicate()));
            else
                branch(depth);
        }
    }

    void branch(int depth) {
        const int label = labels_++;
        add(fmt::format("@{} BRA X{}", predicate(), label));
        if (depth > 0 && one_in(3))
            sequence(1, depth - 1);
        else
            add("IADD3 R7, R7, 0x1, RZ");
        if (one_in(2)) {
            add(fmt::format("BRA Y{}", label));
            text_ += fmt::format("X{}:\n", label);
            add("IADD3 R8, R8, R7, RZ");
            text_ += fmt::format("Y{}:\n", label);
        } else {
            text_ += fmt::format("X{}:\n", label);
        }
        add("NOP");
    }

    /// Two or three iterations, counted by a register that nothing else writes.
    void loop(int depth) {
        const int label = labels_++;
        const int counter = 10 + label % 20;
        add(fmt::format("MOV R{}, RZ", counter));
        text_ += fmt::format("L{}:\n", label);
        add(fmt::format("IADD3 R{0}, R{0}, 0x1, RZ", counter));
        sequence(1, depth - 1);
        add(fmt::format("ISETP.LT.AND P4, PT, R{}, 0x{}, PT", counter, random_source_.whole(2, 3)));
        add(fmt::format("@P4 BRA L{}", label));
    }

    RandomSource& random_source_;
    std::string text_;
    int labels_ = 0;
};

} // namespace warpbound::tests
