/// \file
/// Statements of random integer code, and instructions that belong together.

#include "tests/support/random_integer_code.hpp"

#include <fmt/format.h>

namespace warpbound::tests {

/// Parts of words, atomics, and words of the constant bank at an index.
void IntegerCodeWriter::further_access() {
    const std::string mask = one_of({"0xff", "0x1f", "0xf0"});
    if (percent(20)) {
        add(fmt::format("LOP3.LUT R24, {}, 0x14, RZ, 0xc0, !PT", reg()));
        return add(fmt::format("LDC {}, c[0x0][R24+0x160]", reg()));
    }
    add(fmt::format("LOP3.LUT R24, {}, {}, RZ, 0xc0, !PT", reg(), mask));
    if (percent(25)) return wide_access();
    const std::string offset = fmt::format("0x{:x}", word_size * draw(0, percent(50) ? 0 : 700));
    const bool is_byte = percent(50);
    const std::string part = is_byte ? one_of({"U8", "S8"}) : one_of({"U16", "S16"});
    const bool is_shared = percent(50);
    const bool is_part = percent(60);
    const char* bytes = !is_part ? "0x4" : is_byte ? "0x1" : "0x2";
    if (is_shared)
        add(fmt::format("IMAD R24, R24, {}, RZ", bytes));
    else
        add(fmt::format("IMAD.WIDE R22, R24, {}, R20", bytes));
    const std::string place = (is_shared ? "[R24+" : "[R22+") + offset + "]";
    if (!is_part && is_shared)
        return add(fmt::format("{}ATOMS.ADD {}, {}, {}", guard(), reg(), place, reg()));
    if (!is_part)
        return add(percent(50) ? fmt::format("{}RED.E.ADD.STRONG.GPU {}, {}", guard(), place, reg())
                               : fmt::format("{}ATOMG.E.ADD.STRONG.GPU PT, {}, {}, {}", guard(),
                                             reg(), place, reg()));
    if (percent(60))
        return add(fmt::format("{}{}.{} {}, {}", guard(), is_shared ? "LDS" : "LDG.E", part, reg(),
                               place));
    add(fmt::format("{}{}.{} {}, {}", guard(), is_shared ? "STS" : "STG.E", is_byte ? "U8" : "U16",
                    place, reg()));
}

/// Of two or four words, at the index in R24.
void IntegerCodeWriter::wide_access() {
    const bool is_quad = percent(40);
    const bool is_shared = percent(50);
    const char* const bytes = is_quad ? "0x10" : "0x8";
    const std::string words = is_quad ? "128" : "64";
    const std::string into = is_quad ? "R12" : pair();
    add(is_shared ? fmt::format("IMAD R24, R24, {}, RZ", bytes)
                  : fmt::format("IMAD.WIDE R22, R24, {}, R20", bytes));
    const char* const place = is_shared ? "[R24]" : "[R22]";
    if (percent(50))
        return add(fmt::format("{}{}.{} {}, {}", guard(), is_shared ? "LDS" : "LDG.E", words, into,
                               place));
    add(fmt::format("{}{}.{} {}, {}", guard(), is_shared ? "STS" : "STG.E", words, place, into));
}

void IntegerCodeWriter::carried_product() {
    const std::string carry = plain_predicate();
    const std::string sign = percent(20) ? "-" : "";
    switch (draw(1, 6)) {
    case 1:
        return add(fmt::format("IMAD.X {}, {}, {}, {}, {}", reg(), one_of({"RZ", reg()}),
                               one_of({"RZ", "0x1", reg()}), one_of({"RZ", reg()}), predicate()));
    case 2:
        add(fmt::format("IMAD.WIDE.U32 {}, {}, {}, {}, {}", pair(), carry, reg(), source(false),
                        pair()));
        return add(fmt::format("IMAD.WIDE.U32.X {}, {}, {}, {}, {}", pair(), reg(), source(false),
                               pair(), carry));
    case 3:
        return add(fmt::format("IMAD.WIDE{} {}, {}{}, {}, {}", one_of({"", ".U32"}), pair(), sign,
                               reg(), source(), one_of({"RZ", pair()})));
    case 4: {
        // x + high(x * c), the upper word of the pair being x.
        const std::string of = one_of({"R13", "R15", "R17"});
        const std::string pair_of = of == "R13" ? "R12" : of == "R15" ? "R14" : "R16";
        return add(fmt::format("IMAD.HI{} {}, {}{}, {}, {}", one_of({"", "", ".U32"}), reg(), sign,
                               of, one_of({"-0x6db6db6d", "0x55555556", literal(), reg()}),
                               pair_of));
    }
    case 5:
        return add(fmt::format("IADD.64 {}, {}, {}", pair(), pair(), pair()));
    default:
        return add(percent(50) ? fmt::format("MOV.64 {}, {}", pair(), pair())
                               : fmt::format("LDC.64 {}, c[0x0][0x{:x}]", pair(),
                                             first_argument + 2 * word_size * draw(0, 2)));
    }
}

void IntegerCodeWriter::sum_and_extreme() {
    const std::string kind = one_of({"", "", ".U32"});
    const std::string order = one_of({"PT", "!PT", predicate()});
    switch (draw(1, 4)) {
    case 1:
        return add(fmt::format("VIADDMNMX{}{} {}, {}, {}, {}, {}", kind, one_of({"", "", ".RELU"}),
                               reg(), reg(), source(), source(), order));
    case 2:
        return add(fmt::format("VIMNMX3{} {}, {}, {}, {}, {}", kind, reg(), reg(), source(),
                               source(), order));
    case 3:
        return add(fmt::format("VIMNMX{} {}, {}, {}, {}", kind, reg(), reg(), source(), order));
    default:
        return add(fmt::format("VIADD {}, {}, {}", reg(), reg(), source()));
    }
}

/// Masks of the active lanes, of which one is compared before it is combined with the other.
void IntegerCodeWriter::masks_of_votes() {
    const std::string one = reg();
    const std::string other = reg();
    const std::string by = plain_predicate();
    add(fmt::format("VOTE.ANY {}, PT, PT", one));
    add(fmt::format("VOTE.ANY {}, PT, {}", other, one_of({"PT", "PT", predicate()})));
    if (percent(70))
        add(fmt::format("ISETP.{}{}.AND {}, PT, {}, {}, PT", one_of({"LT", "GE", "EQ", "NE"}),
                        one_of({"", ".U32"}), by, one_of({one, other}), literal()));
    add(fmt::format("{}LOP3.LUT {}, {}, {}, RZ, {}, !PT",
                    percent(70) ? fmt::format("@{}{} ", one_of({"", "!"}), by) : "", reg(),
                    one_of({one, other}), one_of({one, other, reg()}),
                    one_of({"0x3c", "0xc0", "0xfc", "0x30"})));
}

void IntegerCodeWriter::further_of_warp() {
    const std::string into = warp_reg();
    const std::string from = one_of({warp_reg(), "UR8"}); // UR8 is never written.
    switch (draw(1, 8)) {
    case 1:
        return add(fmt::format("VOTEU.{} {}, UPT, {}", one_of({"ANY", "ALL"}), into, combined()));
    case 2:
        return add(fmt::format("UPOPC {}, {}", into, from));
    case 3:
        return add(fmt::format("UFLO.U32{} {}, {}", one_of({"", ".SH"}), into, from));
    case 4:
        return add(fmt::format("UPRMT {}, {}, {}, {}", into, from, one_of({"0x5410", "0x9910"}),
                               one_of({"URZ", warp_reg()})));
    case 5:
        return add(fmt::format("ULEA {}, {}, {}, 0x{:x}", into, from, warp_reg(), draw(0, 9)));
    case 6:
        return add(fmt::format("USHF.L.U32 {}, {}, 0x{:x}, URZ", into, from, draw(0, 9)));
    case 7:
        return add(fmt::format("REDUX.{} {}, {}", one_of({"SUM", "OR"}), into, reg()));
    default:
        return add(fmt::format("IADD3 {}, {}, {}, RZ", reg(), reg(), from));
    }
}

void IntegerCodeWriter::put_under_guard(std::size_t begin) {
    const std::size_t last = text_.rfind('\n', text_.size() - 2);
    const std::size_t line = last == std::string::npos || last < begin ? begin : last + 1;
    if (text_[line] == '@') return;
    const bool is_of_warp = text_[line] == 'U' || text_.compare(line, 5, "VOTEU") == 0;
    text_.insert(line, fmt::format("@{}{} ", one_of({"", "!"}),
                                   is_of_warp ? one_of({"UP0", "UP1"}) : plain_predicate()));
}

/// A number that is computed from another, and that an instruction which decides may replace.
void IntegerCodeWriter::related_numbers() {
    const std::string of = one_of({"R2", "R5", "R9", reg()});
    const std::string computed = reg();
    const std::string by = plain_predicate();
    const std::string small = fmt::format("{}0x{:x}", one_of({"", "-"}), draw(0, 9));
    add(percent(60) ? fmt::format("IADD3 {}, {}, {}, RZ", computed, of, small)
                    : fmt::format("LOP3.LUT {}, {}, 0x{:x}, RZ, 0xc0, !PT", computed, of,
                                  (1 << draw(1, 6)) - 1));
    const std::string end = label();
    if (percent(60))
        add(fmt::format("LOP3.LUT {}, {}, {}, 0x{:x}, RZ, {}, !PT", by, one_of({computed, "RZ"}),
                        one_of({computed, of, reg()}), draw(1, 7), one_of({"0xc0", "0x3c"})));
    else
        add(fmt::format("ISETP.{}.AND {}, PT, {}, {}, PT", one_of({"LT", "GE", "EQ", "NE"}), by,
                        computed, small));
    add(fmt::format("@{}{} BRA {}", one_of({"", "!"}), by, end));
    add(fmt::format("ISETP.{}.AND P0, PT, {}, 0x{:x}, PT", one_of({"LT", "GE", "EQ", "NE"}),
                    one_of({of, computed}), draw(0, 17)));
    const std::string other = label();
    add(fmt::format("@{}P0 BRA {}", one_of({"", "!"}), other));
    operation();
    put(other);
    put(end);
}

/// One lane after the other is the one whose number a word of shared memory is. The word counts
/// its reads.
void IntegerCodeWriter::turns_of_lanes() {
    const std::string header = label();
    const std::string end = label();
    const std::string by = one_of({"P0", "P1"});
    const bool is_alone = percent(50); // Else the lanes come together behind the loop.
    add("S2R R24, SR_LANEID");
    add(fmt::format("IMAD R22, R24, 0x{:x}, RZ", word_size * draw(0, 20)));
    put(header);
    add("LDS R18, [0xff0]");
    add("IADD3 R19, R18, 0x1, RZ");
    add("STS [0xff0], R19");
    add("LOP3.LUT R18, R18, 0x1f, RZ, 0xc0, !PT");
    add(fmt::format("ISETP.EQ.AND {}, PT, R24, R18, PT", by));
    if (is_alone) add(fmt::format("@{} STS [R22], R18", by));
    add(fmt::format("@{} BRA {}", by, end));
    add("BRA " + header);
    put(end);
    if (!is_alone) add(fmt::format("@{} STS [R22], R18", by));
}

void IntegerCodeWriter::block(int depth, std::int64_t statements, const std::string& exit) {
    for (; statements > 0; --statements) {
        const std::int64_t kind = draw(1, 100);
        if (depth == 0 || kind <= 70) {
            operation();
        } else if (kind <= 72) {
            branch_on_active_lanes();
        } else if (kind <= 83) {
            branch(depth, exit);
        } else if (kind <= 94) {
            loop(depth);
        } else if (kind <= 95) {
            turns_of_lanes();
        } else if (kind <= 97) {
            window();
        } else {
            compare();
            const bool leaves_loop = !exit.empty() && percent(60);
            add(fmt::format("@{} {}", predicate(), leaves_loop ? "BRA " + exit : "EXIT"));
        }
    }
}

std::string IntegerCodeWriter::open_barrier(const std::string& target) {
    if (percent(50)) return {};
    const std::string barrier = fmt::format("B{}", open_barriers_++);
    add(fmt::format("BSSY {}, {}", barrier, target));
    return barrier;
}

void IntegerCodeWriter::branch_on_active_lanes() {
    const std::string other = label();
    const std::string end = label();
    add(fmt::format("BRA.DIV {}{}", has_masks_ ? "~URZ, " : "", other));
    operation();
    add("BRA " + end);
    put(other);
    operation();
    put(end);
}

void IntegerCodeWriter::close_barrier(const std::string& barrier) {
    if (barrier.empty()) return;
    add("BSYNC " + barrier);
    --open_barriers_;
}

void IntegerCodeWriter::branch(int depth, const std::string& loop_exit) {
    if (percent(70)) compare();
    const std::string end = label();
    const std::string other = label();
    const std::string barrier = open_barrier(end);
    // Nobody leaves the barrier but over an EXIT.
    const std::string exit = barrier.empty() ? loop_exit : std::string{};
    const bool has_other = percent(35);
    const std::string target = has_other ? other : end;
    if (percent(80))
        add(fmt::format("@{} BRA {}", predicate(), target));
    else if (percent(50))
        add(fmt::format("@{} BRA {}, {}", predicate(), predicate(), target));
    else
        add(fmt::format("@{}{} BRA {}", one_of({"", "!"}), one_of({"UP0", "UP1"}), target));
    block(depth - 1, draw(2, 5), exit);
    if (has_other) {
        add("BRA " + end);
        put(other);
        block(depth - 1, draw(2, 5), exit);
    }
    put(end);
    close_barrier(barrier);
}

void IntegerCodeWriter::step(const std::string& counter) {
    const std::int64_t kind = draw(1, 100);
    if (kind <= 70)
        return add(fmt::format("{}IADD3 {}, {}, {}, RZ", percent(30) ? guard() : "", counter,
                               counter,
                               one_of({"0x1", "0x1", "0x2", "0x3", "0x4", "0x7", "-0x1", "-0x1",
                                       "-0x4", literal(), reg(), constant()})));
    if (kind <= 80)
        return add(fmt::format("SHF.{} {}, RZ, 0x{:x}, {}", one_of({"R.U32.HI", "R.S32.HI"}),
                               counter, draw(1, 3), counter));
    if (kind <= 85) return add(fmt::format("SHF.L.U32 {}, {}, 0x1, RZ", counter, counter));
    if (kind <= 90)
        return add(fmt::format("IMAD {}, {}, 0x{:x}, {}", counter, counter, draw(2, 5),
                               one_of({"RZ", reg()})));
    if (kind <= 95) {
        add(fmt::format("IADD3 R2, {}, -0x1, RZ", counter));
        return add(fmt::format("LOP3.LUT {}, {}, R2, RZ, 0xc0, !PT", counter, counter));
    }
    add(fmt::format("LOP3.LUT {}, {}, {}, RZ, {}, !PT", counter, counter, literal(),
                    one_of({"0x3c", "0xfc", "0xc0"})));
}

void IntegerCodeWriter::window() {
    const std::string around = one_of({"R2", "R3", "R5", "R9", reg()});
    const std::string kind = percent(20) ? ".U32" : "";
    const std::string first = one_of({"RZ", "RZ", literal(), constant()});
    const std::string last = one_of({constant(), constant(), literal()});
    const std::string by = one_of({"P0", "P1"});
    const std::string end = label();
    const std::string header = label();
    const std::int64_t left = draw(0, 6);
    add(fmt::format("IADD3 R18, {}, {}0x{:x}, RZ", around, left > 0 ? "-" : "", left));
    add(percent(80) ? fmt::format("IADD3 R19, {}, 0x{:x}, RZ", around, draw(0, 6))
                    : fmt::format("IMAD.IADD R19, {}, 0x1, {}", one_of({"R18", around}),
                                  one_of({"R10", reg()})));
    if (percent(85)) add(fmt::format("IMNMX{} R18, R18, {}, !PT", kind, first));
    if (percent(85)) add(fmt::format("{}IMNMX{} R19, R19, {}, PT", guard(), kind, last));
    if (percent(30)) { // Counted down, by the complement or the difference.
        add("LOP3.LUT R18, RZ, R18, RZ, 0x33, !PT");
        add("IADD3 R19, R18, R19, RZ");
        add("MOV R18, " + one_of({"RZ", "0x1", "-0x1"}));
    }
    if (percent(80)) {
        add(fmt::format("ISETP.GT{}.AND {}, PT, R18, R19, PT", kind, by));
        add(fmt::format("@{} BRA {}", by, end));
    }
    put(header);
    block(0, draw(0, 2), {});
    add("IADD3 R18, R18, 0x1, RZ");
    add(fmt::format("ISETP.{}{}.AND {}, PT, R18, R19, PT", one_of({"GT", "GT", "GE", "EQ"}), kind,
                    by));
    add(fmt::format("@!{} BRA {}", by, header));
    put(end);
}

void IntegerCodeWriter::loop(int depth) {
    const std::string header = label();
    const std::string end = label();
    const std::string counter = reg();
    const std::string limit = source();
    const std::string by = one_of({"P0", "P1"});
    const std::string barrier = open_barrier(end);
    if (percent(60))
        add(fmt::format("MOV {}, {}", counter, one_of({literal(), "RZ", "RZ", constant()})));
    if (percent(30)) {
        add(fmt::format("ISETP.GE.AND P0, PT, {}, {}, PT", counter, limit));
        add("@P0 BRA " + end);
    }
    put(header);
    block(depth - 1, draw(1, 4), end);
    step(counter);
    add(fmt::format("ISETP.{}{}.{} {}, PT, {}, {}, {}",
                    one_of({"LT", "NE", "GE", "GT", "LT", "NE", "EQ"}), one_of({"", "", ".U32"}),
                    one_of({"AND", "AND", "OR"}), by, counter, limit,
                    one_of({"PT", "PT", predicate()})));
    if (percent(20))
        add(fmt::format("PLOP3.LUT {}, PT, {}, {}, PT, {}, 0x0", by, by, predicate(),
                        one_of({"0x80", "0xf8", "0x20"})));
    add(fmt::format("@{}{} BRA {}", percent(25) ? "!" : "", by, header));
    put(end);
    close_barrier(barrier);
}

} // namespace warpbound::tests
