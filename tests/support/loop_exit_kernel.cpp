#include "tests/support/loop_exit_kernel.hpp"

#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <array>
#include <random>

namespace warpbound::tests {

namespace {

class LoopExitKernelMaker {
public:
    explicit LoopExitKernelMaker(std::uint64_t seed) : random_{seed} {}

    LoopExitKernel make() {
        const bool has_outer_point =
            pick(0, 2) > 0; // a point around it at which all lanes reconverge
        const bool iterates = pick(0, 1) == 0;
        const bool at_once = pick(0, 1) == 0;
        const bool shares_tail = at_once && pick(0, 2) == 0; // what follows both points is shared
        if (has_outer_point) put("BSSY B1, OUT ?trans1");
        put("BSSY B0, MEET ?trans1");
        arm();
        const std::int64_t header = address_;
        if (iterates) label("TURN");
        if (iterates) arm();
        if (at_once) put("@P0 BREAK B0 ?trans1");
        divergent_branch("@P0 BRA PAST ?trans5");
        arm();
        if (iterates) {
            put("@P1 BRA TURN ?trans5");
            const std::int64_t most = pick(1, 4);
            kernel_.facts.loops.push_back({header, pick(1, most), most, {}});
            if (pick(0, 1) == 0) arm();
        } else {
            maybe_branch();
        }
        label("MEET");
        put("BSYNC B0 ?trans5");
        arm();
        maybe_branch();
        if (!shares_tail) put("BRA OUT ?trans5");
        label("PAST");
        if (!at_once && pick(0, 3) == 0) maybe_branch();
        if (!at_once) put("BREAK B0 ?trans1");
        maybe_branch();
        arm();
        if (pick(0, 5) == 0) put("EXIT ?trans5");
        label("OUT");
        if (has_outer_point) put("BSYNC B1 ?trans5");
        arm();
        put("EXIT ?trans5");
        kernel_.text = "!Arch sm_75\n!Kernel k\n" + kernel_.text + "!EndKernel\n";
        return std::move(kernel_);
    }

    /// Loops one in the other; of the inner one lanes go out, to the next iteration around it, or
    /// out of both, past the points at which the others wait.
    LoopExitKernel make_nested() {
        const bool has_outer_point = pick(0, 3) > 0;
        if (has_outer_point) put("BSSY B0, OUT ?trans1");
        arm();
        loop_at("AROUND");
        arm();
        put("BSSY B1, NEXT ?trans1");
        if (pick(0, 1) == 0) divergent_branch("@P3 BRA TAIL ?trans5");
        put("BSSY B2, JOIN ?trans1");
        loop_at("INNER");
        arm();
        if (pick(0, 2) > 0) divergent_branch("@P4 BRA LEFT ?trans5");
        if (pick(0, 3) > 0) leave_both("P0");
        arm();
        divergent_branch("@P1 BRA INNER ?trans5");
        label("LEFT");
        arm();
        if (left_loops_ == 0 || pick(0, 1) == 0) leave_both("P5");
        put("BSYNC B2 ?trans5");
        label("JOIN");
        arm();
        label("TAIL");
        put("BSYNC B1 ?trans5");
        label("NEXT");
        arm();
        divergent_branch("@P2 BRA AROUND ?trans5");
        arm();
        label("OUT");
        if (has_outer_point) put("BSYNC B0 ?trans5");
        arm();
        put("EXIT ?trans5");
        kernel_.text = "!Arch sm_75\n!Kernel k\n" + kernel_.text + "!EndKernel\n";
        return std::move(kernel_);
    }

private:
    void loop_at(const std::string& name) {
        const std::int64_t most = pick(1, 3);
        kernel_.facts.loops.push_back({address_, pick(1, most), most, {}});
        label(name);
    }
    void leave_both(const std::string& guard) {
        put(fmt::format("@{} BREAK B2 ?trans1", guard));
        put(fmt::format("@{} BREAK B1 ?trans1", guard));
        divergent_branch(fmt::format("@{} BRA OUT ?trans5", guard));
        ++left_loops_;
    }
    std::int64_t pick(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    void put(const std::string& text) {
        kernel_.text += "  " + text + ";\n";
        address_ += 16;
    }
    void label(const std::string& name) { kernel_.text += name + ":\n"; }
    void divergent_branch(const std::string& branch) {
        kernel_.facts.divergents.push_back({address_, {}});
        put(branch);
    }

    /// A further divergent branch, of whose lanes some may end.
    void maybe_branch() {
        if (pick(0, 3) != 0) return;
        const int number = branches_++;
        const bool has_own_point = pick(0, 2) > 0; // at which its lanes reconverge
        if (has_own_point) put(fmt::format("BSSY B{}, IN{} ?trans1", 2 + number, number));
        divergent_branch(fmt::format("@P2 BRA ELSE{} ?trans5", number));
        arm();
        const std::int64_t form = pick(0, 3);
        if (form == 0) put("EXIT ?trans5");
        if (form == 1) put(fmt::format("BRA BEHIND{} ?trans5", number));
        label(fmt::format("ELSE{}", number));
        if (form == 1) {
            arm();
            label(fmt::format("BEHIND{}", number));
        }
        if (has_own_point) {
            label(fmt::format("IN{}", number));
            put(fmt::format("BSYNC B{} ?trans5", 2 + number));
        }
        arm();
    }
    /// Waits for operations that another arm may have begun, and begins one that others may wait
    /// for.
    void arm() {
        const std::array<const char*, 7> waits{"0", "1", "2", "0,1", "0,2", "1,2", "0,1,2"};
        const auto waited = static_cast<std::size_t>(pick(0, 8));
        if (waited < waits.size()) put(fmt::format("NOP &req={{{}}} ?trans1", waits[waited]));
        if (pick(0, 2) == 0) put(fmt::format("NOP ?trans{}", pick(1, 15)));
        const std::int64_t begun = pick(0, 3);
        if (begun < 3) put(fmt::format("MUFU.COS R5, R9 &wr=0x{} ?trans2", begun));
    }

    std::mt19937_64 random_;
    LoopExitKernel kernel_;
    std::int64_t address_ = 0;
    int branches_ = 0;
    std::int64_t left_loops_ = 0; ///< Branches out of both loops.
};

} // namespace

LoopExitKernel loop_exit_kernel(std::uint64_t seed) {
    return LoopExitKernelMaker{seed}.make();
}

LoopExitKernel nested_loop_exit_kernel(std::uint64_t seed) {
    return LoopExitKernelMaker{seed}.make_nested();
}

Result<models::Architecture> machine_of_loop_exit_kernels() {
    auto architecture = models::load_architecture("turing-t4");
    if (!architecture) return architecture;
    architecture.value().fetch = {};
    architecture.value().register_file = {};
    for (const auto& [path, cycles] :
         {std::pair{"control-flow/branch-taken", 5}, std::pair{"control-flow/branch-not-taken", 5},
          std::pair{"classes/reconvergence/latency", 1},
          std::pair{"classes/special-function/source-read", 1},
          std::pair{"classes/special-function/latency", 100}})
        if (auto set = models::override_value(architecture.value(), path, cycles); !set)
            return set.as_failure();
    return architecture;
}

} // namespace warpbound::tests
