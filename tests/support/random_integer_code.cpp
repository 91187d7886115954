#include "tests/support/random_integer_code.hpp"

#include <fmt/format.h>

namespace warpbound::tests {

std::string IntegerCodeWriter::literal() {
    const std::int64_t power = std::int64_t{1} << draw(0, 31);
    switch (draw(1, 10)) {
    case 1:
        return fmt::format("-0x{:x}", draw(1, 5));
    case 2:
        return fmt::format("0x{:x}", power);
    case 3:
        return fmt::format("0x{:x}", power - 1);
    case 4:
        return one_of({"0xffffffff", "0x80000000", "0x7fffffff", "0xfffffffe"});
    case 5:
        return fmt::format("0x{:x}", draw(0, 0xffffffff));
    case 6:
        return fmt::format("0x{:x}", draw(0, 64));
    default:
        return fmt::format("0x{:x}", draw(0, 12));
    }
}

std::string IntegerCodeWriter::reg() {
    return fmt::format("R{}", draw(2, 11));
}

std::string IntegerCodeWriter::pair() {
    return one_of({"R12", "R14", "R16"});
}

std::string IntegerCodeWriter::warp_reg() {
    return fmt::format("UR{}", draw(4, 7));
}

std::string IntegerCodeWriter::constant() {
    if (percent(20)) return one_of({"c[0x0][0x0]", "c[0x0][0xc]"}); // Extents of block and grid.
    const std::int64_t words = (last_argument - first_argument) / word_size;
    return fmt::format("c[0x0][0x{:x}]", first_argument + word_size * draw(0, words));
}

std::string IntegerCodeWriter::source(bool may_be_negated) {
    const std::string sign = may_be_negated && percent(25) ? "-" : "";
    if (percent(62)) return sign + reg();
    switch (draw(1, 6)) {
    case 1:
        return "RZ";
    case 2:
    case 3:
        return sign + constant();
    case 4:
        return sign + warp_reg();
    default:
        return literal();
    }
}

std::string IntegerCodeWriter::three_sources() {
    return fmt::format("{}{}, {}, {}", percent(30) ? "-" : "", reg(), source(),
                       percent(50) ? "RZ" : (percent(30) ? "-" : "") + reg());
}

std::string IntegerCodeWriter::plain_predicate() {
    return one_of({"P0", "P1", "P2", "P3"});
}

std::string IntegerCodeWriter::other_predicate(const std::string& than) {
    std::string found = "PT";
    if (percent(40)) found = plain_predicate();
    return found == than ? "PT" : found;
}

std::string IntegerCodeWriter::predicate() {
    return (percent(33) ? "!" : "") + plain_predicate();
}

std::string IntegerCodeWriter::combined() {
    return percent(60) ? "PT" : percent(25) ? "!PT" : predicate();
}

std::string IntegerCodeWriter::guard() {
    return percent(15) ? "@" + predicate() + " " : "";
}

void IntegerCodeWriter::sum() {
    const std::string carry = plain_predicate();
    switch (draw(1, 10)) {
    case 1:
        return add(fmt::format("IADD3 {}, {}, {}, {}", reg(), percent(15) ? "PT" : carry,
                               other_predicate(carry), three_sources()));
    case 2:
    case 3:
    case 4:
        add(fmt::format("IADD3 {}, {}, {}", reg(), carry, three_sources()));
        return add(fmt::format(
            "IADD3.X {}, {}{}, {}, {}, {}, {}", reg(), percent(20) ? plain_predicate() + ", " : "",
            one_of({reg(), "~" + reg(), "RZ"}), one_of({reg(), literal(), "RZ", "~" + reg()}),
            one_of({"RZ", reg()}), carry, percent(20) ? predicate() : "!PT"));
    default:
        return add(fmt::format("{}IADD3 {}, {}", guard(), reg(), three_sources()));
    }
}

void IntegerCodeWriter::product() {
    switch (draw(1, 6)) {
    case 1:
        return add(fmt::format("IMAD.WIDE{} {}, {}, {}, {}", one_of({"", ".U32"}), pair(), reg(),
                               source(false), one_of({"RZ", pair()})));
    case 2:
        return add(fmt::format("IMAD.HI{} {}, {}, {}, {}", one_of({"", ".U32"}), reg(), reg(),
                               source(false), one_of({"RZ", pair()})));
    default:
        return add(fmt::format("{}IMAD{} {}, {}, {}, {}", guard(),
                               one_of({"", "", ".U32", ".IADD", ".SHL.U32"}), reg(), reg(),
                               source(false), one_of({"RZ", reg(), "-" + reg()})));
    }
}

void IntegerCodeWriter::shift() {
    const std::string by =
        percent(70) ? fmt::format("0x{:x}", draw(0, percent(50) ? 9 : 35)) : reg();
    const std::string kind =
        one_of({"R.U32.HI", "R.S32.HI", "R.U64", "R.S64", "L.U64.HI", "L.U32"});
    const bool is_upper = kind.starts_with("R.") && kind.ends_with("HI");
    if (is_upper)
        return add(fmt::format("{}SHF.{} {}, {}, {}, {}", guard(), kind, reg(),
                               percent(70) ? "RZ" : reg(), by, reg()));
    add(fmt::format("{}SHF.{} {}, {}, {}, {}", guard(), kind, reg(), reg(), by,
                    kind == "L.U32" || percent(50) ? "RZ" : reg()));
}

void IntegerCodeWriter::scaled_sum() {
    const std::string by = fmt::format("0x{:x}", draw(0, 31));
    const std::string carry = plain_predicate();
    switch (draw(1, 6)) {
    case 1:
        return add(fmt::format("LEA.HI {}, {}{}, {}, {}, {}", reg(), percent(15) ? "-" : "", reg(),
                               reg(), one_of({"RZ", reg()}), by));
    case 2:
        return add(fmt::format("LEA.HI.SX32 {}, {}{}, {}, 0x{:x}", reg(), percent(15) ? "-" : "",
                               reg(), source(false), draw(1, 31)));
    case 3:
        add(fmt::format("LEA {}, {}, {}, {}, {}", reg(), carry, reg(), reg(), by));
        return add(
            fmt::format("LEA.HI.X {}, {}, {}, {}, {}, {}", reg(), reg(), reg(), reg(), by, carry));
    default:
        return add(fmt::format("LEA {}, {}{}, {}, {}", reg(), percent(30) ? "-" : "", reg(),
                               source(), by));
    }
}

void IntegerCodeWriter::logic() {
    const std::string table =
        percent(70) ? one_of({"0xc0", "0xfc", "0x3c", "0x0c", "0x30", "0xf8", "0x80", "0xfe"})
                    : fmt::format("0x{:x}", draw(0, 255));
    const std::string operands =
        fmt::format("{}, {}, {}, {}", reg(), source(false), percent(60) ? "RZ" : reg(), table);
    if (percent(60)) return add(fmt::format("{}LOP3.LUT {}, {}, !PT", guard(), reg(), operands));
    add(fmt::format("LOP3.LUT {}, {}, {}, !PT", plain_predicate(), one_of({"RZ", reg()}),
                    operands));
}

void IntegerCodeWriter::choice() {
    if (percent(50))
        return add(fmt::format("SEL {}, {}, {}, {}", reg(), reg(), source(false), predicate()));
    add(fmt::format("{}IMNMX{} {}, {}, {}, {}", guard(), one_of({"", ".U32"}), reg(), reg(),
                    source(), one_of({"PT", "!PT", "!PT", predicate()})));
}

void IntegerCodeWriter::bits() {
    const std::string into = reg();
    const std::string from = reg();
    const std::string not_from = (percent(30) ? "~" : "") + from;
    switch (draw(1, 8)) {
    case 1:
        return add(fmt::format("IABS {}, {}", into, from));
    case 2:
        return add(fmt::format("POPC {}, {}", into, not_from));
    case 3:
        return add(fmt::format("FLO.U32{} {}, {}", one_of({"", ".SH"}), into, not_from));
    case 4:
        return add(fmt::format("FLO {}, {}", into, from));
    case 5:
        return add(fmt::format("BREV {}, {}", into, from));
    case 6:
        return add(
            fmt::format("SGXT{} {}, {}, 0x{:x}", one_of({"", ".U32"}), into, from, draw(1, 31)));
    case 7:
        return add(fmt::format("BMSK {}, {}, {}", into, from, reg()));
    default:
        return add(fmt::format("PRMT {}, {}, {}, {}", into, from,
                               one_of({"0x5410", "0x7632", "0x3210", "0x4321", "0x8880", "0x9910",
                                       "0x7770", "0x0123", "0xc4c0", "0x44f3", reg(), literal()}),
                               one_of({"RZ", reg()})));
    }
}

void IntegerCodeWriter::compare() {
    const std::string order = one_of({"LT", "LE", "GT", "GE", "EQ", "NE"});
    const std::string kind = percent(35) ? ".U32" : "";
    const std::string into = plain_predicate();
    if (percent(15)) // Of 64 bits.
        add(fmt::format("ISETP.{}.U32.AND {}, PT, {}, {}, PT", order, plain_predicate(), reg(),
                        source(false)));
    switch (draw(1, 6)) {
    case 1:
        return add(fmt::format("ISETP.{}{}.{}.EX {}, PT, {}, {}, {}, {}", order, kind,
                               one_of({"AND", "AND", "OR"}), into, reg(), source(false),
                               one_of({"PT", combined()}), plain_predicate()));
    case 2:
        return add(fmt::format("LOP3.LUT {}, RZ, {}, {}, RZ, 0xc0, !PT", into, reg(), literal()));
    default:
        return add(fmt::format("{}ISETP.{}{}.{} {}, {}, {}, {}, {}", guard(), order, kind,
                               one_of({"AND", "AND", "AND", "OR", "XOR"}), into,
                               other_predicate(into), reg(), source(), combined()));
    }
}

void IntegerCodeWriter::of_predicates() {
    const std::string into = plain_predicate();
    add(fmt::format("{}PLOP3.LUT {}, {}, {}, {}, {}, 0x{:x}, 0x{:x}", guard(), into,
                    other_predicate(into), combined(), combined(), combined(), draw(0, 255),
                    draw(0, 255)));
}

void IntegerCodeWriter::of_lanes() {
    const std::string into = reg();
    switch (draw(1, 10)) {
    case 1:
        return add(fmt::format("VOTE.ANY {}, PT, {}", into, combined()));
    case 2:
        return add(
            fmt::format("VOTE.{} {}, {}", one_of({"ALL", "ANY"}), plain_predicate(), predicate()));
    case 3:
        return add(fmt::format("VOTE.ANY {}, {}, {}", into, plain_predicate(), predicate()));
    case 4:
        return add(fmt::format("P2R {}, PR, RZ, 0x{:x}", into, draw(0, 127)));
    case 5:
        return add(fmt::format("R2P PR, {}, 0x{:x}", into, draw(0, 15)));
    case 6:
        return add(fmt::format("SHFL.IDX PT, {}, {}, 0x{:x}, 0x1f", into, reg(), draw(0, 31)));
    case 7:
        return add(fmt::format("SHFL.BFLY {}, {}, {}, 0x{:x}, 0x1f",
                               one_of({"PT", plain_predicate()}), into, reg(), draw(0, 31)));
    case 8:
        return add(fmt::format("R2UR {}, {}", warp_reg(), reg()));
    case 9:
        return add(fmt::format("MOVM.16.MT88 {}, {}", into, reg()));
    default:
        return add(
            fmt::format("S2R {}, {}", into,
                        one_of({"SR_TID.X", "SR_TID.Y", "SR_LANEID", "SR_CTAID.X", "SR_CTAID.Y"})));
    }
}

void IntegerCodeWriter::of_warp() {
    const std::string into = warp_reg();
    switch (draw(1, 9)) {
    case 1:
        return add(fmt::format("UMOV {}, {}", into, literal()));
    case 2:
        return add(
            fmt::format("ULOP3.LUT {}, {}, {}, URZ, 0xc0, !UPT", into, warp_reg(), literal()));
    case 3:
        return add(fmt::format("UIMAD {}, {}, {}, URZ", into, warp_reg(), literal()));
    case 4:
        return add(fmt::format("USHF.R.U32.HI {}, URZ, 0x{:x}, {}", into, draw(0, 9), warp_reg()));
    case 5:
        return add(fmt::format("ULDC {}, {}", into, constant()));
    case 6:
        return add(fmt::format("S2UR {}, {}", into,
                               one_of({"SR_CTAID.X", "SR_CTAID.X", "SR_TID.X", "SR_LANEID"})));
    case 7:
        return add(fmt::format("UISETP.{}{}.AND {}, UPT, {}, {}, UPT", one_of({"GE", "NE", "LT"}),
                               one_of({"", ".U32"}), one_of({"UP0", "UP1"}), warp_reg(),
                               literal()));
    case 8:
        return add(fmt::format("USEL {}, {}, {}, UP0", into, warp_reg(), literal()));
    default:
        return add(fmt::format("UIADD3 {}, {}, {}, {}", into, warp_reg(),
                               one_of({warp_reg(), literal()}), one_of({"URZ", warp_reg()})));
    }
}

/// Of a word, at an index below 256 and an offset below 768 words.
void IntegerCodeWriter::access() {
    add(fmt::format("LOP3.LUT R24, {}, {}, RZ, 0xc0, !PT", reg(),
                    one_of({"0xff", "0x1f", "0xf0"})));
    const std::string offset = fmt::format("0x{:x}", word_size * draw(0, percent(50) ? 0 : 767));
    if (percent(50)) {
        add("IMAD.SHL.U32 R24, R24, 0x4, RZ");
        if (percent(50)) return add(fmt::format("{}LDS {}, [R24+{}]", guard(), reg(), offset));
        return add(fmt::format("{}STS [R24+{}], {}", guard(), offset, reg()));
    }
    add("IMAD.WIDE R22, R24, 0x4, R20");
    if (percent(50)) return add(fmt::format("{}LDG.E.SYS {}, [R22+{}]", guard(), reg(), offset));
    add(fmt::format("{}STG.E.SYS [R22+{}], {}", guard(), offset, reg()));
}

void IntegerCodeWriter::operation() {
    if (percent(6)) return access();
    if (percent(3)) return further_access();
    if (percent(2)) return related_numbers();
    if (open_barriers_ == 0 && percent(2)) return add("BAR.SYNC 0x0");
    const std::size_t begin = text_.size();
    arithmetic();
    if (percent(12)) put_under_guard(begin);
}

void IntegerCodeWriter::arithmetic() {
    const std::int64_t kind = draw(1, 100);
    if (percent(4)) return carried_product();
    if (percent(4)) return sum_and_extreme();
    if (percent(3)) return masks_of_votes();
    if (percent(3)) return further_of_warp();
    if (kind <= 20) return sum();
    if (kind <= 36) return product();
    if (kind <= 40) return add(fmt::format("MOV {}, R{}", reg(), draw(12, 17)));
    if (kind <= 46) return scaled_sum();
    if (kind <= 55) return shift();
    if (kind <= 64) return logic();
    if (kind <= 71) return choice();
    if (kind <= 77) return bits();
    if (kind <= 89) return compare();
    if (kind <= 92) return of_predicates();
    if (kind <= 95) return of_lanes();
    if (kind <= 98) return of_warp();
    add(percent(50) ? fmt::format("CS2R {}, SRZ", pair())
                    : fmt::format("MOV {}, {}", reg(), literal()));
}

void IntegerCodeWriter::begin() {
    add("S2R R2, SR_TID.X");
    add("S2R R3, SR_CTAID.X");
    add("MOV R4, c[0x0][0x168]");
    add("IMAD R5, R3, c[0x0][0x0], R2");
    add("MOV R6, " + literal());
    add("LDC R7, c[0x0][0x16c]");
    add("SHF.R.U32.HI R8, RZ, 0x5, R2");
    add("S2R R9, SR_TID.Y");
    add("MOV R10, RZ");
    add("LOP3.LUT R11, R2, 0xff, RZ, 0xc0, !PT");
    add(fmt::format("MOV R20, c[0x0][0x{:x}]", data_argument));
    add(fmt::format("MOV R21, c[0x0][0x{:x}]", data_argument + word_size));
    if (percent(50)) add("LDG.E.SYS R11, [R20]");
    add("CS2R R12, SRZ");
    add("IMAD.WIDE R14, R2, 0x4, RZ");
    add("IMAD.WIDE.U32 R16, R5, 0x9, RZ");
    add("UMOV UR4, 0x5");
    add("ULDC UR5, c[0x0][0x170]");
    add("S2UR UR6, SR_CTAID.X");
    add("UMOV UR7, 0x40");
    add("UISETP.GE.AND UP0, UPT, UR6, 0x1, UPT");
    add("UISETP.GE.AND UP1, UPT, UR5, 0x1, UPT");
    for (int number = 0; number < 4; ++number)
        add(fmt::format("ISETP.{}.AND P{}, PT, {}, {}, PT", one_of({"LT", "GE", "NE", "EQ"}),
                        number, reg(), literal()));
}

std::string IntegerCodeWriter::write(const std::string& arch) {
    text_ = fmt::format("!Arch {}\n!Kernel k\n", arch);
    has_masks_ = arch != "sm_75";
    begin();
    block(3, draw(4, 9), {});
    add("EXIT");
    return text_ + "!EndKernel\n";
}

} // namespace warpbound::tests
