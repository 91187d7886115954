#include "harness/trace/sass_trace_reader.hpp"

#include "assembly/isa/operand_reader.hpp"
#include "harness/trace/issue_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace warpbound::harness::trace {

namespace {

using assembly::trimmed;

constexpr std::int64_t grid_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t block_limit = 1024;

constexpr std::string_view expected_header =
    "expected the lines -kernel name, -grid dim and -block dim before the first block";

} // namespace

class SassTraceReader::State {
public:
    [[nodiscard]] std::optional<std::string> missing() const {
        if (in_block_) return "the trace ends inside a block; expected #END_TB";
        if (!named_ || !sized_) return std::string{expected_header};
        return std::nullopt;
    }
    SassTrace& trace() { return trace_; }
    [[nodiscard]] bool in_block() const { return in_block_; }
    [[nodiscard]] bool has_block_number() const { return has_number_; }
    std::optional<ReadWarp> completed() {
        if (!completed_) return std::nullopt;
        return ReadWarp{&trace_.blocks.back().warps[*completed_], &completed_lines_};
    }

    Result<void> take(Line& line) {
        completed_.reset();
        const std::string_view text = trimmed(line.text());
        if (text.front() == '-') return take_header(line, text);
        if (text.substr(0, 14) == "#traces format") {
            if (begun_) return line.refuse("the format is stated after the first block");
            has_immediate_ = text.find("immediate") != std::string_view::npos;
            return boost::outcome_v2::success();
        }
        if (text == "#BEGIN_TB") return begin_block(line);
        if (text == "#END_TB") return end_block(line);
        if (!in_block_)
            return line.refuse(
                fmt::format("unexpected '{:.40}'; expected -key = value or #BEGIN_TB", text));
        if (text.substr(0, 12) == "thread block") return take_block_number(line, text);
        if (text.substr(0, 7) == "cluster") return take_cluster(line, text);
        if (text.substr(0, 4) == "warp") return take_warp(line, text);
        if (text.substr(0, 5) == "insts") return take_count(line, text);
        return take_issue(line);
    }

    static Result<std::string_view> value_of(const Line& line, std::string_view text) {
        const auto equals = text.find('=');
        if (equals == std::string_view::npos)
            return line.refuse(fmt::format("'{:.40}' has no '='", text));
        return trimmed(text.substr(equals + 1));
    }
    Result<std::int64_t> number_of(const Line& line, std::string_view text, std::string_view what,
                                   std::int64_t hi) const {
        const auto value = value_of(line, text);
        if (!value) return value.as_failure();
        return line.decimal(line.word(value.value()), what, 0, hi);
    }
    /// `(1,2,3)` or `1,2,3`.
    Result<Dimensions> dimensions_of(const Line& line, std::string_view text, std::string_view what,
                                     std::int64_t lo, std::int64_t hi) const {
        const auto value = value_of(line, text);
        if (!value) return value.as_failure();
        std::string_view rest = value.value();
        if (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')')
            rest = rest.substr(1, rest.size() - 2);
        Dimensions dimensions{};
        for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
            const bool last = axis + 1 == dimensions.size();
            const auto comma = rest.find(',');
            if ((comma == std::string_view::npos) != last)
                return line.refuse(
                    fmt::format("'{}' is no {}; expected three numbers", value.value(), what));
            const std::string_view digits = trimmed(rest.substr(0, comma));
            const auto number = line.decimal(line.word(digits), what, lo, hi);
            if (!number) return number.as_failure();
            dimensions[axis] = number.value();
            if (!last) rest.remove_prefix(comma + 1);
        }
        return dimensions;
    }

    Result<void> take_header(const Line& line, std::string_view text) {
        if (begun_) return line.refuse("a header line after the first block");
        const auto key = trimmed(text.substr(1, text.find('=') - 1));
        if (key == "kernel name") {
            const auto name = value_of(line, text);
            if (!name) return name.as_failure();
            if (name.value().empty()) return line.refuse("the kernel has no name");
            trace_.kernel = std::string{name.value()};
            named_ = true;
            return boost::outcome_v2::success();
        }
        if (key == "grid dim" || key == "block dim") {
            const bool grid = key == "grid dim";
            const auto size = dimensions_of(line, text, grid ? "grid" : "block", 1,
                                            grid ? grid_limit : block_limit);
            if (!size) return size.as_failure();
            if (!grid && size.value()[0] * size.value()[1] * size.value()[2] > block_limit)
                return line.refuse(fmt::format("more than {} threads in a block", block_limit));
            // The product of three sides of 2^31 does not fit 64 bits.
            if (grid && (size.value()[1] > 65535 || size.value()[2] > 65535 ||
                         size.value()[0] > grid_limit / (size.value()[1])))
                return line.refuse(fmt::format("a grid of more than {} blocks", grid_limit));
            (grid ? trace_.grid : trace_.block) = size.value();
            (grid ? has_grid_ : has_block_) = true;
            sized_ = has_grid_ && has_block_;
            return boost::outcome_v2::success();
        }
        return take_number(line, text, key);
    }

    Result<void> take_number(const Line& line, std::string_view text, std::string_view key) {
        std::int64_t shared_memory = 0;
        std::int64_t registers = 0;
        const std::pair<std::string_view, std::int64_t*> numbers[] = {
            {"kernel id", &trace_.id},
            {"shmem", &shared_memory},
            {"nregs", &registers},
            {"binary version", &trace_.binary_version},
            {"cuda stream id", &trace_.stream},
            {"accelsim tracer version", &trace_.tracer_version},
            {"enable lineinfo", &line_info_}};
        for (const auto& [name, target] : numbers) {
            if (key != name) continue;
            const auto number =
                number_of(line, text, name, std::numeric_limits<std::int32_t>::max());
            if (!number) return number.as_failure();
            *target = number.value();
            if (target == &shared_memory) trace_.shared_memory = shared_memory;
            // The tracer writes 0 if the driver did not report it.
            if (target == &registers && registers > 0) trace_.registers = registers;
            if (name == "accelsim tracer version" &&
                (number.value() < 1 || number.value() > newest_tracer_version))
                return line.refuse(fmt::format("tracer version {} is not read; expected 1..{}",
                                               number.value(), newest_tracer_version));
            break;
        }
        return boost::outcome_v2::success();
    }

    Result<void> begin_block(const Line& line) {
        if (in_block_) return line.refuse("a block begins inside another one");
        if (!named_ || !sized_) return line.refuse(std::string{expected_header});
        in_block_ = true;
        begun_ = true;
        has_number_ = false;
        announced_ = -1;
        trace_.blocks.emplace_back();
        return boost::outcome_v2::success();
    }
    Result<void> end_block(const Line& line) {
        if (!in_block_) return line.refuse("a block ends that did not begin");
        if (!has_number_) return line.refuse("a block without 'thread block = x,y,z'");
        in_block_ = false;
        return finish_warp(line);
    }
    Result<void> take_block_number(const Line& line, std::string_view text) {
        if (has_number_) return line.refuse("a block has two numbers");
        const auto number = dimensions_of(line, text, "block of the grid", 0, grid_limit);
        if (!number) return number.as_failure();
        for (std::size_t axis = 0; axis < trace_.grid.size(); ++axis)
            if (number.value()[axis] >= trace_.grid[axis])
                return line.refuse(fmt::format("the block is outside the grid of {}x{}x{}",
                                               trace_.grid[0], trace_.grid[1], trace_.grid[2]));
        if (!blocks_.insert(number.value()).second) return line.refuse("the block appears twice");
        trace_.blocks.back().number = number.value();
        has_number_ = true;
        return boost::outcome_v2::success();
    }
    /// "cluster id = x,y,z" (any), "cluster cta = 0,0,0", "cluster rank = 0".
    Result<void> take_cluster(const Line& line, std::string_view text) const {
        if (!has_number_) return line.refuse("a cluster before 'thread block = x,y,z'");
        const auto key = trimmed(text.substr(0, text.find('=')));
        Dimensions number{};
        if (key == "cluster rank") {
            const auto rank = number_of(line, text, "rank in the cluster", block_limit);
            if (!rank) return rank.as_failure();
            number[0] = rank.value();
        } else if (key == "cluster id" || key == "cluster cta") {
            const auto read = dimensions_of(line, text, "block or cluster", 0, grid_limit);
            if (!read) return read.as_failure();
            if (key == "cluster cta") number = read.value();
        } else {
            return line.refuse(fmt::format("unexpected '{:.40}'", text));
        }
        if (number != Dimensions{})
            return line.refuse("clusters of several thread blocks are not read");
        return boost::outcome_v2::success();
    }
    Result<void> take_warp(const Line& line, std::string_view text) {
        if (!has_number_) return line.refuse("a warp before 'thread block = x,y,z'");
        const auto finished = finish_warp(line);
        if (!finished) return finished.as_failure();
        const auto number =
            number_of(line, text, "warp of the block", trace_.warps_per_block() - 1);
        if (!number) return number.as_failure();
        auto& warps = trace_.blocks.back().warps;
        const auto is_it = [&](const TracedWarp& warp) { return warp.number == number.value(); };
        if (std::any_of(warps.begin(), warps.end(), is_it))
            return line.refuse("the warp appears twice");
        warps.push_back(TracedWarp{static_cast<int>(number.value()), {}});
        issue_lines_.clear();
        announced_ = -1;
        return boost::outcome_v2::success();
    }
    Result<void> take_count(const Line& line, std::string_view text) {
        if (!has_number_ || trace_.blocks.back().warps.empty() || announced_ >= 0)
            return line.refuse("expected 'insts = n' once, after 'warp = w'");
        const auto count = number_of(line, text, "number of instructions",
                                     std::numeric_limits<std::int32_t>::max());
        if (!count) return count.as_failure();
        announced_ = count.value();
        return boost::outcome_v2::success();
    }
    Result<void> finish_warp(const Line& line) {
        const auto& warps = trace_.blocks.back().warps;
        if (warps.empty()) return boost::outcome_v2::success();
        const auto found = static_cast<std::int64_t>(warps.back().issues.size());
        if (announced_ < 0) return line.refuse("a warp without 'insts = n'");
        if (found != announced_)
            return line.refuse(fmt::format("the warp has {} instructions, not the {} announced",
                                           found, announced_));
        completed_ = warps.size() - 1;
        completed_lines_.swap(issue_lines_);
        return boost::outcome_v2::success();
    }

    /// Versions 1 and 2 repeat block and warp in front of each instruction.
    Result<void> check_prefix(Line& line) const {
        const TracedBlock& block = trace_.blocks.back();
        for (const std::int64_t expected : {block.number[0], block.number[1], block.number[2],
                                            static_cast<std::int64_t>(block.warps.back().number)}) {
            const auto number = line.decimal("block or warp of its own", expected, expected);
            if (!number) return number.as_failure();
        }
        return boost::outcome_v2::success();
    }

    Result<void> take_issue(Line& line) {
        if (announced_ < 0) return line.refuse("an instruction before 'insts = n'");
        auto& issues = trace_.blocks.back().warps.back().issues;
        if (static_cast<std::int64_t>(issues.size()) == announced_)
            return line.refuse(fmt::format("more instructions than the {} announced", announced_));
        if (trace_.tracer_version < 3) {
            const auto checked = check_prefix(line);
            if (!checked) return checked.as_failure();
        }
        auto issue = read_issue(line, {trace_.tracer_version, line_info_ != 0, has_immediate_});
        if (!issue) return issue.as_failure();
        issues.push_back(std::move(issue).value());
        issue_lines_.push_back(line.number());
        return boost::outcome_v2::success();
    }

    SassTrace trace_;
    std::optional<std::size_t>
        completed_; ///< The warp of the last block that the last line completed.
    std::vector<std::int64_t> completed_lines_;
    std::vector<std::int64_t> issue_lines_; ///< Line numbers of the issues of the current warp.
    bool begun_ = false;
    std::set<Dimensions> blocks_;
    bool named_ = false;
    bool has_grid_ = false;
    bool has_block_ = false;
    bool sized_ = false;
    bool has_immediate_ = false;
    std::int64_t line_info_ = 0;
    bool in_block_ = false;
    bool has_number_ = false;
    std::int64_t announced_ = -1; ///< Announced instructions of the warp; -1: not stated yet.
};

SassTraceReader::SassTraceReader() : state_{std::make_unique<State>()} {}
SassTraceReader::~SassTraceReader() = default;
SassTraceReader::SassTraceReader(const SassTraceReader& other)
    : state_{std::make_unique<State>(*other.state_)} {}

Result<void> SassTraceReader::take(Line& line) {
    return state_->take(line);
}
std::optional<std::string> SassTraceReader::missing() const {
    return state_->missing();
}
SassTrace& SassTraceReader::trace() {
    return state_->trace();
}
bool SassTraceReader::in_block() const {
    return state_->in_block();
}
bool SassTraceReader::has_block_number() const {
    return state_->has_block_number();
}
std::optional<ReadWarp> SassTraceReader::completed() {
    return state_->completed();
}

Result<SassTrace> read_sass_trace(const assembly::SourceText& source) {
    Lines lines{source};
    SassTraceReader reader;
    for (auto line = lines.next(); line; line = lines.next()) {
        const auto taken = reader.take(*line);
        if (!taken) return taken.as_failure();
    }
    if (auto missing = reader.missing()) return lines.refuse_end(std::move(*missing));
    return std::move(reader.trace());
}

} // namespace warpbound::harness::trace
