#include "analyzer/microarchitecture/register_reads.hpp"

#include "assembly/isa/operand_reads.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Operand position and bank: where the reuse cache keeps one register (C62).
using Place = std::pair<int, std::size_t>;
/// The registers that each place may hold.
using PlaceContents = std::map<Place, std::set<int>>;

/// A register that an instruction reads.
struct SingleRead {
    int reg = 0;
    std::size_t bank = 0;
    std::optional<Place> place;
    bool fills = false;     ///< `.reuse`: the place then holds it.
    bool is_certain = true; ///< False where the width of its operand is not known.
};

class ReadCounter {
public:
    ReadCounter(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                RegisterReads& reads, std::int64_t reuse_slots)
        : function_{function}, graph_{graph}, reads_{reads}, reuse_slots_{reuse_slots} {}

    void run() {
        const std::size_t count = function_.instructions.size();
        reads_.has_fixed_latency.resize(count);
        singles_.resize(count);
        reads_.most.assign(count, BankCounts(reads_.banks, 0));
        reads_.most_alone = reads_.most;
        reads_.least.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            reads_.has_fixed_latency[i] = assembly::has_fixed_latency(function_.instructions[i]);
            if (!reads_.has_fixed_latency[i]) continue;
            singles_[i] = single_reads(i);
            for (const SingleRead& read : singles_[i])
                ++reads_.most[i][read.bank];
        }
        const PlaceContents left = left_by_blocks();
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            count_block(block, left);
        for (BankCounts& counts : reads_.least)
            counts.resize(reads_.banks, 0);
    }

    /// What instructions of variable latency read, where something waits for them (C111).
    void count_queued() {
        reads_.queued.assign(function_.instructions.size(), BankCounts(reads_.banks, 0));
        for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
            const assembly::Instruction& instruction = function_.instructions[i];
            const bool announces = instruction.control && instruction.control->read_barrier;
            if (reads_.has_fixed_latency[i] || !(announces || assembly::has_result(instruction)))
                continue;
            for (const SingleRead& read : single_reads(i))
                ++reads_.queued[i][read.bank];
        }
    }

private:
    [[nodiscard]] std::vector<SingleRead> single_reads(std::size_t index) const {
        constexpr int pair = 2; // Of a wider operand nothing is kept.
        std::vector<SingleRead> singles;
        const auto operands =
            assembly::operand_reads(function_.instructions[index], function_.target);
        for (const assembly::OperandRead& operand : operands)
            for (int i = 0; i < operand.registers; ++i) {
                const int reg = operand.first + i;
                const std::size_t bank = static_cast<std::size_t>(reg) % reads_.banks;
                SingleRead read{.reg = reg,
                                .bank = bank,
                                .place = std::nullopt,
                                .fills = operand.is_reused && operand.has_width &&
                                         operand.registers <= pair,
                                .is_certain = i == 0 || operand.has_width};
                if (operand.position && *operand.position < reuse_slots_)
                    read.place = Place{*operand.position, bank};
                singles.push_back(read);
            }
        return singles;
    }

    [[nodiscard]] bool may_be_off(std::size_t index) const {
        const auto& guard = function_.instructions[index].guard;
        return guard && !guard->always();
    }

    /// What the places may hold after an instruction of the warp.
    void step(PlaceContents& may, std::size_t index) const {
        for (const SingleRead& read : singles_[index]) {
            if (!read.place) continue;
            auto& registers = may[*read.place];
            if (!may_be_off(index)) registers.clear();
            if (read.fills) registers.insert(read.reg);
        }
    }

    /// What the places hold in every run after an instruction of the warp: at most one register.
    void step_surely(PlaceContents& must, std::size_t index) const {
        for (const SingleRead& read : singles_[index]) {
            if (!read.place) continue;
            auto& registers = must[*read.place];
            const bool stays = read.fills && registers.contains(read.reg);
            if (may_be_off(index) ? stays : read.fills)
                registers = {read.reg};
            else
                registers.clear();
        }
    }

    /// What any block may leave: another path of the warp may have executed between two blocks.
    [[nodiscard]] PlaceContents left_by_blocks() const {
        PlaceContents left;
        for (const auto& block : graph_.blocks) {
            PlaceContents may;
            for (std::size_t i = block.first; i <= block.last; ++i)
                step(may, i);
            for (const auto& [place, registers] : may)
                left[place].insert(registers.begin(), registers.end());
        }
        return left;
    }

    static bool holds(const PlaceContents& places, const SingleRead& read) {
        if (!read.place) return false;
        const auto found = places.find(*read.place);
        return found != places.end() && found->second.contains(read.reg);
    }

    void count_block(std::size_t number, const PlaceContents& left) {
        const auto& block = graph_.blocks[number];
        // A warp begins with nothing of its own in the reuse cache.
        PlaceContents may = number == 0 && block.in.empty() ? PlaceContents{} : left;
        PlaceContents must;
        for (std::size_t i = block.first; i <= block.last; ++i) {
            count(i, may, must);
            step(may, i);
            step_surely(must, i);
        }
    }

    /// An instruction may be in several blocks: the outer ends count.
    void count(std::size_t index, const PlaceContents& may, const PlaceContents& must) {
        BankCounts most(reads_.banks, 0);
        std::vector<std::set<int>> least(reads_.banks);
        for (const SingleRead& read : singles_[index]) {
            if (!holds(must, read)) ++most[read.bank];
            if (read.is_certain && !may_be_off(index) && !holds(may, read))
                least[read.bank].insert(read.reg);
        }
        const bool is_first = reads_.least[index].empty();
        if (is_first) reads_.least[index].resize(reads_.banks);
        for (std::size_t bank = 0; bank < reads_.banks; ++bank) {
            reads_.most_alone[index][bank] = std::max(reads_.most_alone[index][bank], most[bank]);
            const auto fewest = static_cast<std::int64_t>(least[bank].size());
            auto& counted = reads_.least[index][bank];
            counted = is_first ? fewest : std::min(counted, fewest);
        }
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    RegisterReads& reads_;
    std::int64_t reuse_slots_;
    std::vector<std::vector<SingleRead>> singles_; ///< By instruction.
};

} // namespace

std::int64_t RegisterReads::spacing(std::size_t instruction) const {
    if (!has_fixed_latency[instruction]) return 0;
    const BankCounts& counts = most[instruction];
    return std::max<std::int64_t>(1, *std::max_element(counts.begin(), counts.end()));
}

std::int64_t longest_lag_of_grants(std::int64_t most_reads, std::int64_t longest_use) {
    if (most_reads <= 1) return 0;
    return models::plus(std::max(most_reads, longest_use), most_reads - 2);
}

Result<void> check_queued_reads(const RegisterReads& reads, std::size_t instruction,
                                bool has_result, const models::InstructionTiming& timing) {
    if (reads.queued.empty() || std::ranges::all_of(reads.queued[instruction],
                                                    [](auto registers) { return registers == 0; }))
        return boost::outcome_v2::success();
    const bool is_cached_load = timing.through_caches && !timing.enters_write_buffer;
    if (is_cached_load || models::is_atomic_at_l2(timing))
        return Failure{"its result comes from the caches or from a slice of the L2, which "
                       "register-file/variable-latency-reads does not cover; expected a memory "
                       "fact with a level in place of its addresses, or --assume "
                       "register-file=none"};
    if (timing.source_read.lo < 1 || (has_result && timing.latency.lo < 1))
        return Failure{"it reads its sources or has its result in the cycle of its issue, which "
                       "register-file/variable-latency-reads does not cover; expected latency and "
                       "source-read of at least one cycle, or --assume register-file=none"};
    return boost::outcome_v2::success();
}

Result<std::optional<RegisterReads>> register_reads(const assembly::Function& function,
                                                    const assembly::ControlFlowGraph& graph,
                                                    const models::Architecture& architecture) {
    if (!architecture.has_read_ports()) return std::optional<RegisterReads>{};
    std::optional<Failure> failure;
    const auto number = [&](const char* name, std::int64_t least, std::int64_t most) {
        const auto value =
            models::require(architecture, architecture.register_file, "register-file", name);
        if (!value) {
            if (!failure) failure = value.error();
            return least;
        }
        const models::Interval& interval = value.value();
        if (!failure && (!interval.is_exact() || interval.lo < least || interval.lo > most))
            failure = Failure{fmt::format("register-file/{} of architecture {} is {}..{}; one "
                                          "number from {} to {} was expected",
                                          name, architecture.name, interval.lo, interval.hi, least,
                                          most)};
        return interval.lo;
    };
    constexpr std::int64_t limit = 64;
    number("read-ports", 1, 1);
    RegisterReads reads;
    reads.banks = static_cast<std::size_t>(number("banks", 1, limit));
    reads.window = number("read-window", 1, limit);
    const std::int64_t reuse_slots = number("reuse-slots", 0, limit);
    const bool has_queued = architecture.has_variable_latency_reads();
    if (has_queued) number("variable-latency-reads", 1, 1);
    if (failure) return *failure;
    if (has_queued && architecture.issue_control != models::IssueControl::Encoded)
        return Failure{fmt::format("register-file/variable-latency-reads of architecture {}: a "
                                   "machine with encoded control fields was expected",
                                   architecture.name)};
    if (has_queued && architecture.has_memory_queue())
        return Failure{fmt::format(
            "architecture {} has register-file/variable-latency-reads and memory-queue, which "
            "hands over in order; expected a description without one of them, or --assume "
            "memory-queue=none",
            architecture.name)};
    ReadCounter counter{function, graph, reads, reuse_slots};
    counter.run();
    if (has_queued) counter.count_queued();
    return std::optional{std::move(reads)};
}

} // namespace warpbound::analyzer
