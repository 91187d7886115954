#pragma once
/// \file
/// Random kernels whose warps demand differently, by the indices of their threads, and machines.

#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/random_source.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound::tests {

/// Accesses to shared memory, guarded by comparisons with the index of the thread or behind
/// branches on them, between barriers, some in trees as reductions have them.
class GuardedKernel {
public:
    enum class Branches { Uniform, Divergent };
    explicit GuardedKernel(RandomSource& random_source, Branches branches = Branches::Divergent)
        : random_{random_source}, may_diverge_{branches == Branches::Divergent} {
        threads = 32 * random_.whole(2, 8);
        add("S2R R0, SR_TID.X", "&wr=0x0 ?trans2");
        add("SHF.L.U32 R1, R0, 0x2, RZ", "&req={0} ?trans6");
        for (std::int64_t left = random_.whole(1, 5); left > 0; --left)
            add_part();
        if (one_in(3)) {
            compare("P3", "R0");
            add("@P3 EXIT", "?trans6");
            accesses("");
        }
        add("EXIT", "?trans6");
        text = "!Arch sm_75\n!Kernel k\n" + text + "!EndKernel\n";
    }

    std::int64_t threads = 0;
    std::string text;

private:
    bool one_in(std::int64_t n) { return random_.whole(1, n) == 1; }
    void add(const std::string& code, const std::string& control = "&req={0} ?trans6") {
        text += code + " " + control + ";\n";
    }
    void compare(const char* predicate, const char* with) {
        const char* const comparison = one_in(2) ? "LT" : one_in(2) ? "GE" : "NE";
        add(fmt::format("ISETP.{}.AND {}, PT, {}, 0x{:x}, PT", comparison, predicate, with,
                        random_.whole(0, threads)));
    }

    void accesses(const std::string& guard) {
        for (std::int64_t left = random_.whole(1, 3); left > 0; --left) {
            if (one_in(3))
                add(guard + "STS [R1], R4");
            else
                add(guard + "LDS.U R4, [R1]", "&wr=0x0 ?trans1");
            if (one_in(2)) add(guard + "FADD R4, R4, R4");
        }
    }

    /// Accesses where the predicate does not hold, some in both cases, before lanes reconverge.
    void branch(const std::string& predicate) {
        const int at = labels_++;
        const bool shares = one_in(3);
        add(fmt::format("BSSY B0, J{}", at), "?trans6");
        add(fmt::format("@{} BRA {}{}", predicate, shares ? "S" : "J", at), "?trans8");
        accesses("");
        if (shares) {
            text += fmt::format("S{}: ", at);
            accesses("");
        }
        text += fmt::format("J{}: ", at);
        add("BSYNC B0", "?trans6");
    }

    void add_part() {
        switch (random_.whole(1, may_diverge_ ? 6 : 4)) {
        case 1:
            return add("BAR.SYNC 0x0", "?trans6");
        case 2:
            return accesses("");
        case 3:
            compare("P0", "R0");
            return accesses(one_in(2) ? "@P0 " : "@!P0 ");
        case 4:
            return add_tree();
        case 5:
            compare("P0", "R0");
            return branch(one_in(2) ? "P0" : "!P0");
        default:
            return add_strides();
        }
    }

    /// A loop that lanes leave in different iterations, some before others.
    void add_strides() {
        const int at = labels_++;
        add(fmt::format("SHF.L.U32 R3, R0, 0x{:x}, RZ", random_.whole(0, 2)), "?trans6");
        add("BSSY B1, D" + std::to_string(at), "?trans6");
        text += fmt::format("L{}: ", at);
        accesses("");
        if (one_in(2)) {
            compare("P0", "R0");
            branch("P0");
        }
        add(fmt::format("IADD3 R3, R3, 0x{:x}, RZ", random_.whole(16, threads)));
        compare("P2", "R3");
        text.replace(text.rfind("ISETP."), 8, "ISETP.LT");
        add(fmt::format("@P2 BRA L{}", at), "?trans8");
        text += fmt::format("D{}: ", at);
        add("BSYNC B1", "?trans6");
    }

    void add_tree() {
        add(fmt::format("MOV R3, 0x{:x}", std::int64_t{1} << random_.whole(2, 7)));
        const int at = labels_++;
        text += fmt::format("L{}: ", at);
        add("ISETP.GE.AND P1, PT, R0, R3, PT");
        if (!may_diverge_ || one_in(2))
            accesses("@!P1 ");
        else
            branch("P1");
        add("SHF.R.U32.HI R3, RZ, 0x1, R3");
        if (!one_in(3)) add("BAR.SYNC 0x0", "?trans6");
        add("ISETP.NE.AND P2, PT, R3, RZ, PT");
        add(fmt::format("@P2 BRA L{}", at), "?trans8");
    }

    RandomSource& random_;
    bool may_diverge_; ///< Lanes of a warp, at branches.
    int labels_ = 0;
};

/// A card of Turing with other values, without caches.
inline models::Architecture machine_of_guarded_kernel(RandomSource& random_source) {
    auto machine = models::load_architecture("turing-rtx2080ti").value();
    machine.fetch = {};
    machine.register_file = {};
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    const auto range = [&](std::int64_t most) {
        const std::int64_t lo = random_source.whole(1, most);
        return fmt::format("{}..{}", lo, random_source.whole(lo, most));
    };
    const std::string assumed =
        fmt::format("schedulers/count={} limits/max-blocks={} classes/load-shared/initiation={} "
                    "classes/store-shared/initiation={} classes/load-shared/latency={} "
                    "classes/barrier/latency={} blocks/replacement={} blocks/start={}",
                    std::int64_t{1} << random_source.whole(0, 2), random_source.whole(1, 4),
                    range(12), range(12), range(60), range(20), range(30), range(10));
    std::istringstream values{assumed};
    for (std::string value; values >> value;) {
        const auto done = models::assume_value(machine, value);
        if (!done) throw std::runtime_error{value + ": " + to_string(done.error())};
    }
    return machine;
}

} // namespace warpbound::tests
