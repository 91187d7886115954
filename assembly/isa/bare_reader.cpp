/// \file
/// Reads hand-written listings: statements end in `;` or at the end of the line, labels end in `:`,
/// directives start with
/// `!`. Addresses are assigned in order.

#include "assembly/isa/function_builder.hpp"
#include "assembly/isa/line_reader.hpp"
#include "assembly/isa/operand_reader.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>

namespace warpbound::assembly {

namespace {

/// Directives without effect on timing. `!Align` and `!RawInstruction` do: they add code.
constexpr std::array<std::string_view, 6> silent_directives{"Param",    "Local",    "MinStack",
                                                            "MinFrame", "BarCount", "Machine"};

/// Whether a comment is an address or an encoding of a disassembler: `/*0008*/`, `/* 0x4c98.. */`.
bool from_disassembler(std::string_view comment) {
    comment = trimmed(comment);
    const bool encoding = comment.substr(0, 2) == "0x" && comment.size() == 18;
    if (encoding) comment.remove_prefix(2);
    if (!encoding && comment.size() < 4) return false;
    return comment.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class BareReader : LineReader {
public:
    explicit BareReader(const SourceText& source) : LineReader{source, TextForm::Bare} {}

    Result<Program> read() {
        if (auto read = each_line([this] { return one_line(); }); !read) return read.as_failure();
        if (in_comment_) return refuse("a comment without end", line_);
        if (in_constant_) return refuse("!EndConstant was expected", line_);
        if (auto closed = close_function(); !closed) return closed.as_failure();
        if (program_.functions.empty()) return refuse("no instruction found", line_);
        return std::move(program_);
    }

private:
    /// The parts of the line outside of comments, in order.
    Result<std::vector<std::string_view>> code_parts() {
        std::vector<std::string_view> parts;
        std::string_view text = line_;
        while (!text.empty()) {
            if (in_comment_) {
                const std::size_t close = text.find("*/");
                if (close == std::string_view::npos) return parts;
                if (from_disassembler(text.substr(0, close)))
                    return refuse("a disassembler's address or encoding in a bare listing; its "
                                  "heading ('Function : ' or '.section .text.') was expected",
                                  text);
                text.remove_prefix(close + 2);
                in_comment_ = false;
                continue;
            }
            const std::size_t block = text.find("/*");
            const std::size_t line = text.find("//");
            if (line < block) {
                parts.push_back(text.substr(0, line));
                return parts;
            }
            parts.push_back(text.substr(0, block));
            if (block == std::string_view::npos) return parts;
            text.remove_prefix(block + 2);
            in_comment_ = true;
        }
        return parts;
    }

    Result<void> one_line() {
        const auto parts = code_parts();
        if (!parts) return parts.as_failure();
        for (std::string_view part : parts.value()) {
            while (!part.empty()) {
                const std::size_t semicolon = part.find(';');
                if (auto done = statement(trimmed(part.substr(0, semicolon))); !done) return done;
                part = semicolon == std::string_view::npos ? std::string_view{}
                                                           : part.substr(semicolon + 1);
            }
        }
        return boost::outcome_v2::success();
    }

    Result<void> statement(std::string_view text) {
        if (in_constant_ && text.substr(0, 12) != "!EndConstant")
            return boost::outcome_v2::success();
        if (!text.empty() && text.front() == '!') return directive(text.substr(1));
        if (text.substr(0, 7) == ".target") return target(trimmed(text.substr(7)), text);
        for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
            const std::string_view name = trimmed(text.substr(0, colon));
            if (name.empty() || name.find_first_of(" \t,[]") != std::string_view::npos)
                return refuse("a label before ':' was expected", text);
            if (auto labelled = builder().label(name, number_); !labelled) return labelled;
            text = trimmed(text.substr(colon + 1));
        }
        if (text.empty()) return boost::outcome_v2::success();
        auto read = read_instruction(text, target_, number_, text.data() - line_.data() + 1);
        if (!read) {
            Failure failure = read.error();
            failure.where = source_.name;
            return failure;
        }
        if (read.value().annotation && !read.value().annotation->has_stall)
            return refuse("the control annotation has no stall count; ?transN or "
                          "?WAITN_END_GROUP was expected",
                          text);
        if (++instructions_ > instruction_limit)
            return refuse(fmt::format("more than {} instructions", instruction_limit), text);
        if (auto targets = noted_targets(text); !targets.empty())
            builder().branch_targets(std::move(targets));
        return builder().add(std::move(read).value());
    }

    Result<void> target(std::string_view name, std::string_view at) {
        const auto target = parse_target(name);
        if (!target) return refuse("no known target; sm_20 .. sm_121 was expected", at);
        if (function_) return refuse("the target is expected before the kernel", at);
        target_ = *target;
        return boost::outcome_v2::success();
    }

    Result<void> directive(std::string_view text) {
        const std::size_t blank = text.find_first_of(" \t");
        const std::string_view name = text.substr(0, blank);
        const std::string_view value =
            blank == std::string_view::npos ? std::string_view{} : trimmed(text.substr(blank));
        if (name == "Arch") return target(value, text);
        if (name == "Kernel") {
            if (auto closed = close_function(); !closed) return closed;
            if (value.empty()) return refuse("the name of the kernel was expected", text);
            open_function(std::string{value});
            return boost::outcome_v2::success();
        }
        if (name == "EndKernel") return close_function();
        if (name == "Constant" || name == "Constant2" || name == "EndConstant") {
            in_constant_ = name != "EndConstant"; // the values between are no instructions
            return boost::outcome_v2::success();
        }
        if (name == "Label") return builder().label(value, number_);
        if (name == "RegCount" || name == "Shared") return resources(name == "RegCount", value);
        for (const std::string_view silent : silent_directives)
            if (name == silent) return boost::outcome_v2::success();
        return refuse(fmt::format("directive '!{}' is not known or adds code; !Arch, !Kernel, "
                                  "!EndKernel or !Label was expected",
                                  name),
                      text);
    }

    /// Registers of a thread, or bytes of shared memory of a block; hexadecimal with `0x`.
    Result<void> resources(bool registers, std::string_view value) {
        const bool hexadecimal = value.substr(0, 2) == "0x";
        const std::string_view digits = value.substr(hexadecimal ? 2 : 0);
        const std::int64_t most = registers ? 1024 : std::int64_t{1} << 30U;
        std::int64_t count = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                  count, hexadecimal ? 16 : 10);
        if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
            count < 0 || count > most)
            return refuse(fmt::format("a number from 0 to {} was expected", most), value);
        auto& known = registers ? registers_ : shared_memory_;
        if (known && *known != count)
            return refuse(fmt::format("{} was given before; the same was expected", *known), value);
        known = count;
        if (function_) set_resources();
        return boost::outcome_v2::success();
    }

    FunctionBuilder& builder() {
        if (!function_) open_function("kernel");
        return *function_;
    }

    void open_function(std::string name) {
        function_.emplace(std::move(name), target_, source_.name, false);
        set_resources();
    }

    void set_resources() {
        if (registers_) function_->set_register_count(static_cast<int>(*registers_));
        if (shared_memory_) function_->set_shared_memory(*shared_memory_);
    }

    Result<void> close_function() {
        if (!function_) return boost::outcome_v2::success();
        auto function = function_->finish(number_);
        function_.reset();
        registers_.reset();
        shared_memory_.reset();
        if (!function) return function.as_failure();
        if (!seen_.insert(function.value().name).second)
            return refuse(fmt::format("kernel '{}' is defined twice", function.value().name),
                          line_);
        if (program_.functions.size() == function_limit)
            return refuse(fmt::format("more than {} kernels", function_limit), line_);
        program_.functions.push_back(std::move(function).value());
        return boost::outcome_v2::success();
    }

    std::size_t instructions_ = 0; ///< Of all functions.
    bool in_comment_ = false;
    bool in_constant_ = false;
    Target target_{20};
    std::optional<FunctionBuilder> function_;
    std::optional<std::int64_t> registers_; ///< Of this kernel, or of the next one.
    std::optional<std::int64_t> shared_memory_;
    std::set<std::string> seen_;
};

} // namespace

Result<Program> read_bare(const SourceText& source) {
    return BareReader{source}.read();
}

Result<Program> read_program(const SourceText& source) {
    const std::string_view text = source.text;
    if (text.find('\0') != std::string_view::npos)
        return Failure{
            "binary data; the text of cuobjdump -sass, nvdisasm or a bare listing was expected",
            source.name};
    if (text.find("Function : ") != std::string_view::npos) return read_cuobjdump(source);
    if (text.find(".section") != std::string_view::npos &&
        text.find(".text.") != std::string_view::npos)
        return read_nvdisasm(source);
    auto bare = read_bare(source);
    // Without a `;` it may be any text: the refusal then lists the known forms, too.
    if (bare || text.find(';') != std::string_view::npos) return bare;
    Failure failure = bare.error();
    failure.what = "no listing; the text of cuobjdump -sass, nvdisasm or a bare listing was "
                   "expected; as a bare listing: " +
                   failure.what;
    return failure;
}

} // namespace warpbound::assembly
