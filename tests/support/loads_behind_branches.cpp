#include "tests/support/loads_behind_branches.hpp"

#include <fmt/format.h>

namespace warpbound::tests {

/// What indices are compared with: ends of the shapes and near them, masks and small numbers.
std::string LoadsBehindBranches::limit() {
    const std::int64_t near = draw(-1, 1);
    switch (draw(1, 6)) {
    case 1:
        return fmt::format("0x{:x}", draw(0, 8));
    case 2:
        return fmt::format("0x{:x}", (std::int64_t{1} << draw(1, 8)) + near);
    case 3:
        return percent(30) ? fmt::format("-0x{:x}", draw(1, 9))
                           : fmt::format("0x{:x}", draw(0, 400));
    case 4:
        return word();
    default:
        return fmt::format("0x{:x}", 32 * draw(1, 10) + near);
    }
}

std::string LoadsBehindBranches::word() {
    return fmt::format("c[0x0][0x{:x}]", first_argument + 4 * draw(0, 3));
}

/// An index, a sum of indices, or computed before.
std::string LoadsBehindBranches::number() {
    return percent(45) ? fmt::format("R{}", draw(0, 5)) : temporary();
}

std::string LoadsBehindBranches::temporary() {
    return fmt::format("R{}", draw(6, 11));
}

std::string LoadsBehindBranches::predicate() {
    return one_of({"P0", "P1", "P2", "P3"});
}

std::string LoadsBehindBranches::signed_predicate() {
    return (percent(40) ? "!" : "") + predicate();
}

void LoadsBehindBranches::begin() {
    add("S2R R0, SR_TID.X");
    add("S2R R1, SR_TID.Y");
    add("S2R R2, SR_CTAID.X");
    add("S2R R3, SR_CTAID.Y");
    add("IMAD R4, R2, c[0x0][0x0], R0");
    add(percent(50) ? "IMAD R5, R3, c[0x0][0x4], R1" : "IMAD R5, R1, c[0x0][0x0], R0");
    addresses();
    for (int reg = 6; reg <= 11; ++reg)
        add(percent(20) ? fmt::format("MOV R{}, {}", reg, limit())
                        : fmt::format("IADD3 R{}, R{}, {}, RZ", reg, draw(0, 5), limit()));
    if (percent(40)) {
        add(fmt::format("LOP3.LUT R24, R4, 0x{:x}, RZ, 0xc0, !PT", flags - 1));
        add("MOV R25, 0x4");
        add(fmt::format("IMAD.WIDE R26, R24, R25, c[0x0][0x{:x}]", flags_argument));
        add("LDG.E.SYS R11, [R26]");
    }
    for (const std::string into : {"P0", "P1", "P2", "P3"})
        condition(into);
}

/// In R12 and R14: of one element each thread.
void LoadsBehindBranches::addresses() {
    add("MOV R25, 0x4");
    for (std::int64_t which = 0; which < 2; ++which) {
        add(fmt::format("MOV R24, 0x{:x}", draw(0, 9)));
        if (percent(50))
            add("IADD3 R24, R24, R4, RZ");
        else
            for (int index = 0; index < 4; ++index)
                add(fmt::format("IMAD R24, R{}, 0x{:x}, R24", index, draw(0, last_factor)));
        add(fmt::format("IMAD.WIDE R{}, R24, R25, c[0x0][0x{:x}]", 12 + 2 * which,
                        data_argument + 8 * which));
    }
}

void LoadsBehindBranches::compute() {
    const std::string into = temporary();
    const std::string guard = percent(12) ? "@" + signed_predicate() + " " : "";
    switch (draw(1, 12)) {
    case 1:
        return add(fmt::format("{}SHF.R.{}.HI {}, RZ, 0x{:x}, {}", guard, one_of({"U32", "S32"}),
                               into, draw(1, 6), number()));
    case 2:
        return add(
            fmt::format("{}SHF.L.U32 {}, {}, 0x{:x}, RZ", guard, into, number(), draw(1, 5)));
    case 3:
        return add(fmt::format("{}LOP3.LUT {}, {}, 0x{:x}, RZ, 0xc0, !PT", guard, into, number(),
                               percent(70) ? (std::int64_t{1} << draw(1, 8)) - 1 : draw(0, 255)));
    case 4:
        return add(fmt::format("{}LOP3.LUT {}, {}, {}, RZ, {}, !PT", guard, into, number(),
                               percent(50) ? number() : fmt::format("0x{:x}", draw(0, 63)),
                               one_of({"0xfc", "0x3c", "0xc0", "0x30", "0x0c", "0xcf"})));
    case 5:
    case 6:
        return add(fmt::format("{}IMNMX{} {}, {}, {}, {}", guard, one_of({"", "", ".U32"}), into,
                               number(), percent(60) ? limit() : number(), one_of({"PT", "!PT"})));
    case 7:
        return add(fmt::format("SEL {}, {}, {}, {}", into, number(),
                               percent(50) ? limit() : number(), signed_predicate()));
    case 8:
        return add(fmt::format("IABS {}, {}", into, number()));
    case 9:
        return add(
            fmt::format("{}IMAD {}, {}, 0x{:x}, {}", guard, into, number(), draw(0, 12), number()));
    case 10:
        return add(fmt::format("LEA {}, {}, {}, 0x{:x}", into, number(), number(), draw(1, 5)));
    default:
        return add(fmt::format("{}IADD3 {}, {}, {}{}, RZ", guard, into, number(),
                               percent(40) ? "-" : "", percent(50) ? temporary() : word()));
    }
}

void LoadsBehindBranches::condition(const std::string& into) {
    switch (draw(1, 12)) {
    case 1:
        return add(fmt::format("PLOP3.LUT {}, PT, {}, {}, PT, {}, 0x0", into, signed_predicate(),
                               signed_predicate(), one_of({"0x80", "0xa8", "0xf8", "0x28"})));
    case 2:
        return add(
            fmt::format("LOP3.LUT {}, RZ, {}, 0x{:x}, RZ, 0xc0, !PT", into, number(), draw(1, 63)));
    default:
        return add(fmt::format(
            "ISETP.{}{}.{} {}, PT, {}, {}, {}", one_of({"LT", "LE", "GT", "GE", "EQ", "NE"}),
            one_of({"", "", ".U32"}), one_of({"AND", "AND", "OR"}), into, number(),
            percent(70) ? limit() : number(), percent(70) ? "PT" : signed_predicate()));
    }
}

void LoadsBehindBranches::load(std::int64_t which) {
    add(fmt::format("{}LDG{} R{}, [R{}]", percent(25) ? "@" + signed_predicate() + " " : "",
                    which == 0 ? modifiers_ : ".E.SYS",
                    percent(80) ? std::int64_t{20} : draw(6, 11), 12 + 2 * which));
}

void LoadsBehindBranches::store() {
    add(fmt::format("{}STG.E.SYS [R14], R20", percent(25) ? "@" + signed_predicate() + " " : ""));
}

void LoadsBehindBranches::branch(int depth) {
    const std::string end = label();
    const std::string other = label();
    const bool has_other = percent(60);
    const bool loads_on_both = has_other && percent(50);
    const std::string by = signed_predicate();
    add(fmt::format("@{} BRA {}", by, has_other ? other : end));
    const std::int64_t which = draw(0, 1);
    statements(depth - 1, draw(0, 3));
    if (loads_on_both) load(which);
    if (has_other) {
        add("BRA " + end);
        put(other);
        statements(depth - 1, draw(0, 3));
        if (loads_on_both) load(which);
    }
    put(end);
}

void LoadsBehindBranches::loop(int depth) {
    const std::string header = label();
    const std::string end = label();
    const std::string counter = fmt::format("R{}", 16 + depth);
    add(percent(70) ? fmt::format("MOV {}, RZ", counter)
                    : fmt::format("LOP3.LUT {}, {}, 0xf, RZ, 0xc0, !PT", counter, number()));
    if (percent(30)) {
        add(fmt::format("ISETP.GE.AND P3, PT, {}, {}, PT", counter, limit()));
        add("@P3 BRA " + end);
    }
    put(header);
    statements(depth - 1, draw(0, 2));
    if (percent(30)) add(fmt::format("@{} BRA {}", signed_predicate(), end));
    add(fmt::format("IADD3 {}, {}, 0x{:x}, RZ", counter, counter, draw(1, 3)));
    add(fmt::format("ISETP.{}.AND P3, PT, {}, {}, PT", one_of({"LT", "LT", "NE", "LE"}), counter,
                    percent(60) ? fmt::format("0x{:x}", draw(1, 20)) : number()));
    add("@P3 BRA " + header);
    put(end);
    if (percent(40)) add(fmt::format("IADD3 {}, {}, {}, RZ", temporary(), counter, number()));
}

void LoadsBehindBranches::statements(int depth, std::int64_t count) {
    for (; count > 0; --count) {
        const std::int64_t kind = draw(1, 100);
        if (kind <= 30)
            compute();
        else if (kind <= 55)
            condition(predicate());
        else if (stores_ && kind <= 58)
            store();
        else if (kind <= 67 || depth == 0)
            load(draw(0, 1));
        else if (kind <= 77)
            add(fmt::format("@{} EXIT", signed_predicate()));
        else if (kind <= 92)
            branch(depth);
        else
            loop(depth);
    }
}

std::string LoadsBehindBranches::write() {
    text_ = "!Arch sm_75\n!Kernel k\n";
    stores_ = percent(20);
    if (percent(30)) modifiers_ = ".E.CONSTANT.SYS";
    begin();
    statements(2, draw(3, 9));
    if (percent(70)) load(draw(0, 1));
    add("EXIT");
    return text_ + "!EndKernel\n";
}

} // namespace warpbound::tests
