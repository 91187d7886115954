#pragma once
/// \file
/// Random kernels that compute addresses from the numbers of threads and blocks.

#include "tests/support/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::tests {

/// Writes random kernels that compute addresses. `diverging`: with divergent branches.
class AddressWriter {
public:
    AddressWriter(RandomSource& random_source, bool diverging)
        : random_source_{random_source}, diverging_{diverging} {}

    std::string write() {
        text_ = "!Arch sm_75\n!Kernel k\n";
        add("S2R R10, SR_CTAID.X"); // R10 to R12 are uniform.
        add("MOV R11, c[0x0][0x160]");
        add("IMAD R12, R10, 0x80, R11");
        add("UMOV UR4, 0x10");
        for (int reg = 2; reg < 6; ++reg)
            load(fmt::format("R{}", reg));
        for (int number = 0; number < 3; ++number)
            compare(fmt::format("P{}", number), any(), "PT");
        sequence(static_cast<int>(random_source_.whole(4, 12)), 2);
        add("EXIT");
        return text_ + "!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    void add(const std::string& line) { text_ += line + " ?trans6;\n"; }
    std::string power() { return fmt::format("0x{:x}", 1 << random_source_.whole(0, 8)); }
    std::string number() { return fmt::format("0x{:x}", random_source_.whole(0, 255)); }
    std::string any() {
        return one_in(4) ? fmt::format("R{}", random_source_.whole(10, 12))
                         : fmt::format("R{}", random_source_.whole(2, 8));
    }
    std::string into() { return fmt::format("R{}", random_source_.whole(2, 8)); }
    std::string predicate() {
        return fmt::format("{}P{}", one_in(2) ? "!" : "", random_source_.whole(0, 2));
    }
    /// A branch condition: P3 is uniform, the others need not be.
    std::string branch_condition() {
        if (diverging_ && one_in(2)) return predicate();
        compare("P3", fmt::format("R{}", random_source_.whole(10, 12)), "PT");
        return one_in(2) ? "P3" : "!P3";
    }
    /// Sometimes the guard of the statement before.
    std::string guard() {
        if (!held_guard_.empty() && !one_in(6)) return held_guard_;
        held_guard_.clear();
        if (!one_in(8)) return "";
        const std::string text = "@" + predicate() + " ";
        if (one_in(2)) held_guard_ = text;
        return text;
    }

    void load(const std::string& reg) {
        static const char* const special[] = {"SR_TID.X", "SR_TID.X",  "SR_TID.X",  "SR_TID.Y",
                                              "SR_TID.Z", "SR_LANEID", "SR_CTAID.X"};
        switch (random_source_.whole(1, 6)) {
        case 1:
            return add(fmt::format("MOV {}, {}", reg, number()));
        case 2:
            return add(fmt::format("MOV {}, c[0x0][0x16{}]", reg, one_in(2) ? 0 : 4));
        case 3:
            return add(fmt::format("{}LDS {}, [{}]", guard(), reg, one_in(2) ? "R9" : any()));
        default:
            return add(
                fmt::format("{}S2R {}, {}", guard(), reg, special[random_source_.whole(0, 6)]));
        }
    }

    void compute() {
        const std::string start = guard();
        switch (random_source_.whole(1, 14)) {
        case 1:
            return add(fmt::format("{}IADD3 {}, {}, {}, {}", start, into(), any(),
                                   one_in(2) ? "-" + any() : number(), one_in(3) ? any() : "RZ"));
        case 2:
        case 3:
            return add(fmt::format("{}IMAD {}, {}, {}, {}", start, into(), any(),
                                   one_in(4) ? any() : power(), one_in(2) ? any() : "RZ"));
        case 4:
            return add(fmt::format("{}SHF.L.U32 {}, {}, 0x{:x}, RZ", start, into(), any(),
                                   random_source_.whole(0, 9)));
        case 5:
            return add(fmt::format("{}SHF.R.{}.HI {}, RZ, 0x{:x}, {}", start,
                                   one_in(2) ? "U32" : "S32", into(), random_source_.whole(0, 6),
                                   any()));
        case 6:
        case 7:
            return add(fmt::format(
                "{}LOP3.LUT {}{}, {}, {}, {}, 0x{:x}, !PT", start, one_in(4) ? "P2, " : "", into(),
                any(),
                one_in(3) ? any() : fmt::format("0x{:x}", (1 << random_source_.whole(0, 8)) - 1),
                one_in(3) ? any() : "RZ", one_in(2) ? 0xc0 : random_source_.whole(0, 255)));
        case 8:
            return add(fmt::format("{}LEA {}, {}, {}, 0x{:x}", start, into(), any(), any(),
                                   random_source_.whole(0, 7)));
        case 9:
            return add(fmt::format("{}LEA.HI {}, {}, {}, RZ, 0x{:x}", start, into(), any(), any(),
                                   random_source_.whole(1, 31)));
        case 10:
            return add(
                fmt::format("{}SEL {}, {}, {}, {}", start, into(), any(), any(), predicate()));
        case 11:
            return add(fmt::format("{}IMNMX{} {}, {}, {}, {}", start, one_in(2) ? ".U32" : "",
                                   into(), any(), any(), one_in(2) ? "PT" : "!PT"));
        case 12:
            return add(fmt::format("{}IMAD.WIDE R{}, {}, {}, {}", start,
                                   2 * random_source_.whole(1, 3), any(), power(),
                                   one_in(2) ? fmt::format("R{}", 2 * random_source_.whole(1, 3))
                                             : "c[0x0][0x168]"));
        case 13:
            return add("UIADD3 UR4, UR4, 0x4, URZ");
        default:
            return load(into());
        }
    }

    void compare(const std::string& result, const std::string& left, const std::string& and_also) {
        static const char* const names[] = {"LT", "LE", "EQ", "NE", "GE", "GT"};
        add(fmt::format("ISETP.{}{}.{} {}, PT, {}, {}, {}", names[random_source_.whole(0, 5)],
                        one_in(3) ? ".U32" : "", one_in(4) ? "OR" : "AND", result, left,
                        one_in(3) && and_also != "PT"
                            ? any()
                            : fmt::format("0x{:x}", random_source_.whole(0, 40)),
                        and_also));
    }

    void access() {
        static const char* const texts[] = {
            "LDS R9, [{}]",       "LDS R9, [{}+0x4]",        "LDS R9, [{}.X4]",
            "STS [{}], R9",       "STS.64 [{}], R6",         "LDS.U8 R9, [{}]",
            "STS.128 [{}], R4",   "ATOMS.ADD R9, [{}], R9",  "LDG.E.SYS R9, [{}]",
            "STG.E.SYS [{}], R9", "LDG.E.SYS R9, [{}+0x40]", "LDS R9, [{}+UR4]"};
        add(guard() + fmt::format(fmt::runtime(texts[random_source_.whole(0, 11)]), any()));
    }

    void sequence(int statements, int depth) {
        for (int i = 0; i < statements; ++i) {
            switch (random_source_.whole(1, 12)) {
            case 1:
                compare(fmt::format("P{}", random_source_.whole(0, 2)), any(),
                        one_in(2) ? "PT" : predicate());
                break;
            case 2:
                if (depth > 0) branch(depth);
                break;
            case 3:
                if (depth > 0) loop(depth);
                break;
            case 4:
                if (one_in(4))
                    add(fmt::format("@{} EXIT", diverging_ ? predicate() : branch_condition()));
                break;
            case 5:
            case 6:
            case 7:
                access();
                break;
            default:
                compute();
            }
        }
    }

    void branch(int depth) {
        const int label = labels_++;
        const std::string condition = branch_condition();
        add(fmt::format("@{} BRA X{}", condition, label));
        sequence(static_cast<int>(random_source_.whole(1, 3)), depth - 1);
        if (one_in(2)) {
            add(fmt::format("BRA Y{}", label));
            text_ += fmt::format("X{}:\n", label);
            sequence(static_cast<int>(random_source_.whole(1, 2)), depth - 1);
            text_ += fmt::format("Y{}:\n", label);
        } else {
            text_ += fmt::format("X{}:\n", label);
        }
        add("NOP");
    }

    /// At most four iterations, counted by a register that nothing else writes. Some have as many
    /// for all lanes, whether these go on early or not.
    void loop(int depth) {
        const int label = labels_++;
        const int counter = 13 + label % 10;
        const auto most = random_source_.whole(2, 4);
        const auto repeat = [&](const std::string& condition) {
            add(fmt::format("ISETP.LT.AND P4, PT, R{}, 0x{:x}, {}", counter, most, condition));
            add(fmt::format("@P4 BRA L{}", label));
        };
        add(fmt::format("MOV R{}, RZ", counter));
        text_ += fmt::format("L{}:\n", label);
        add(fmt::format("IADD3 R{0}, R{0}, 0x1, RZ", counter));
        sequence(static_cast<int>(random_source_.whole(1, 4)), depth - 1);
        if (diverging_ && one_in(4)) {
            repeat(predicate());
            sequence(static_cast<int>(random_source_.whole(1, 3)), depth - 1);
        }
        repeat(diverging_ && one_in(2) ? predicate() : "PT");
    }

    RandomSource& random_source_;
    bool diverging_;
    std::string text_;
    int labels_ = 0;
    std::string held_guard_;
};

} // namespace warpbound::tests
