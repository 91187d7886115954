/// \file
/// Reads `cuobjdump -sass` and `nvdisasm` text: the same instruction lines below different
/// directives.

#include "assembly/isa/function_builder.hpp"
#include "assembly/isa/kernel_resources.hpp"
#include "assembly/isa/line_reader.hpp"
#include "assembly/isa/operand_reader.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace warpbound::assembly {

namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

/// Takes `/*..*/` from the front of `text`; the inside, trimmed.
std::optional<std::string_view> take_comment(std::string_view& text) {
    if (text.substr(0, 2) != "/*") return std::nullopt;
    const std::size_t close = text.find("*/", 2);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inside = trimmed(text.substr(2, close - 2));
    text = trimmed(text.substr(close + 2));
    return inside;
}

/// The SM number after `EF_CUDA_SM` in a `.headerflags` line.
std::optional<Target> target_of_flags(std::string_view line) {
    constexpr std::string_view flag = "EF_CUDA_SM";
    const std::size_t at = line.find(flag);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t end = at + flag.size();
    while (end < line.size() && line[end] >= '0' && line[end] <= '9')
        ++end;
    return parse_target(
        fmt::format("sm_{}", line.substr(at + flag.size(), end - at - flag.size())));
}

class DisassemblyReader : LineReader {
public:
    DisassemblyReader(const SourceText& source, TextForm form) : LineReader{source, form} {}

    Result<Program> read() {
        if (auto read = each_line([this] { return one_line(); }); !read) return read.as_failure();
        ++number_;
        line_ = {};
        if (is_open() && program_.form == TextForm::Cuobjdump) {
            const std::string& name = function_ ? function_->name() : broken_->name;
            note_broken(refuse(
                fmt::format(
                    "the listing ends inside kernel '{}'; its closing line of dots was expected",
                    name),
                line_));
        }
        if (auto closed = close_function(); !closed) return closed.as_failure();
        add_resources();
        if (!program_.functions.empty() || program_.unread.size() > 1) return std::move(program_);
        if (!program_.unread.empty()) return refusal_of(program_.unread.front());
        return unknown_target_.value_or(
            refuse("no kernel found: a listing with code was expected", line_));
    }

private:
    /// Whether a kernel is open, readable so far or not.
    [[nodiscard]] bool is_open() const { return function_ || broken_; }

    /// From here on the open kernel counts as unread; its other instructions are only tried.
    void note_broken(Failure failure) {
        if (failure.where.empty()) failure.where = source_.name;
        if (!broken_) broken_ = UnreadFunction{function_->name(), target_, {}};
        function_.reset();
        broken_->failures.push_back(std::move(failure));
    }

    /// A refusal inside a kernel concerns that kernel only.
    Result<void> in_kernel(Result<void> read) {
        if (read || !is_open()) return read;
        note_broken(read.error());
        return boost::outcome_v2::success();
    }

    void add_resources() {
        std::vector<Function> readable;
        for (auto& function : program_.functions) {
            if (auto added = resources_.add_to(function); !added) {
                Failure failure = added.error();
                failure.where = source_.name;
                program_.unread.push_back({function.name, function.target, {std::move(failure)}});
            } else {
                readable.push_back(std::move(function));
            }
        }
        program_.functions = std::move(readable);
    }

    Result<void> one_line() {
        const std::string_view text = trimmed(line_);
        if (text.empty()) return boost::outcome_v2::success();
        if (text.substr(0, 2) == "/*") return in_kernel(code_line(text));
        if (function_ && is_source_marker(text))
            return in_kernel(function_->source_marker(text, number_));
        if (text.substr(0, 2) == "//") return boost::outcome_v2::success();
        if (auto noted = resource_line(text); !noted) return noted;
        return in_kernel(directive(text));
    }

    /// A target that is not known leaves the kernels that follow unread.
    Result<void> set_target(std::string_view name, std::string_view text) {
        target_ = parse_target(name);
        if (!target_ && !unknown_target_)
            unknown_target_ = refuse("no known target; sm_20 .. sm_121 was expected", text);
        return boost::outcome_v2::success();
    }

    /// A line that may state a kernel's resources. Sections end a function of nvdisasm.
    Result<void> resource_line(std::string_view text) {
        if (is_open() && text.substr(0, 8) != ".section") return boost::outcome_v2::success();
        if (auto noted = resources_.line(text, target_, number_); !noted)
            return refuse(noted.error().what, text);
        return boost::outcome_v2::success();
    }

    Result<void> directive(std::string_view text) {
        constexpr std::string_view code_for = "code for ";
        constexpr std::string_view function = "Function : ";
        constexpr std::string_view section = ".section";
        if (text.substr(0, code_for.size()) == code_for)
            return set_target(trimmed(text.substr(code_for.size())), text);
        if (text.substr(0, 7) == ".target") {
            const std::string_view name = trimmed(text.substr(7));
            return set_target(name.substr(0, name.find_first_of(" ,\t")), text);
        }
        if (text.substr(0, 12) == ".headerflags") {
            const auto target = target_of_flags(text);
            if (target && !is_open()) target_ = target;
            if (target && target_ && *target != *target_)
                return refuse(fmt::format("the flags give {}, the lines before {}",
                                          to_string(*target), to_string(*target_)),
                              text);
            return boost::outcome_v2::success();
        }
        if (text.substr(0, function.size()) == function)
            return open_function(trimmed(text.substr(function.size())));
        if (text.size() > section.size() && text.substr(0, section.size()) == section &&
            (text[section.size()] == '\t' || text[section.size()] == ' ')) {
            if (auto closed = close_function(); !closed) return closed;
            std::string_view name = trimmed(text.substr(section.size()));
            name = name.substr(0, name.find(','));
            constexpr std::string_view code = ".text.";
            if (name.substr(0, code.size()) == code)
                return open_function(trimmed(name.substr(code.size())));
            return boost::outcome_v2::success();
        }
        if (is_open() && text.size() >= 10 && text.find_first_not_of('.') == std::string_view::npos)
            return close_function();
        if (function_ && text.back() == ':')
            return function_->label(trimmed(text.substr(0, text.size() - 1)), number_);
        // `.size kernel,(.L_x_6 - kernel)`: the label comes after the last instruction.
        if (const std::size_t open = text.find(",(");
            function_ && text.substr(0, 5) == ".size" && open != std::string_view::npos) {
            const std::string_view length = text.substr(open + 2);
            if (const std::size_t minus = length.find(" - "); minus != std::string_view::npos)
                function_->expect_end_label(trimmed(length.substr(0, minus)));
            return boost::outcome_v2::success();
        }
        constexpr std::string_view registers = "SHI_REGISTERS=";
        if (const std::size_t at = text.find(registers);
            function_ && at != std::string_view::npos) {
            int count = 0;
            const std::string_view digits = text.substr(at + registers.size());
            std::from_chars(digits.data(), digits.data() + digits.size(), count);
            function_->set_register_count(count);
        }
        return boost::outcome_v2::success();
    }

    Result<void> open_function(std::string_view name) {
        if (auto closed = close_function(); !closed) return closed;
        if (program_.functions.size() + program_.unread.size() >= function_limit)
            return refuse(fmt::format("more than {} kernels", function_limit), name);
        if (name.empty()) return refuse("the name of a kernel was expected", name);
        if (!target_) {
            const Failure unknown = refuse(
                "the target is not known here; a line 'code for sm_..' or '.target' was expected",
                name);
            broken_ = UnreadFunction{std::string{name}, {}, {unknown_target_.value_or(unknown)}};
            return boost::outcome_v2::success();
        }
        function_.emplace(std::string{name}, *target_, source_.name, true);
        return boost::outcome_v2::success();
    }

    Result<void> close_function() {
        if (function_) {
            auto function = function_->finish(number_);
            if (function) return add_function(std::move(function).value());
            note_broken(function.error());
        }
        if (broken_) program_.unread.push_back(std::move(*broken_));
        broken_.reset();
        return boost::outcome_v2::success();
    }

    Result<void> add_function(Function function) {
        function_.reset();
        if (!seen_.insert({function.name, function.target.sm}).second)
            return refuse(fmt::format("kernel '{}' for {} is listed twice", function.name,
                                      to_string(function.target)),
                          line_);
        instructions_ += function.instructions.size();
        if (instructions_ > instruction_limit)
            return refuse(fmt::format("more than {} instructions", instruction_limit), line_);
        program_.functions.push_back(std::move(function));
        return boost::outcome_v2::success();
    }

    Result<void> code_line(std::string_view text) {
        const std::string_view at = text;
        const auto comment = take_comment(text);
        if (!comment) return refuse("a comment without end", at);
        if (!is_open()) { // a header comment, or a data section of nvdisasm
            if (program_.form == TextForm::Cuobjdump && hexadecimal(*comment) &&
                text.find(';') != std::string_view::npos)
                return refuse("an instruction outside of a kernel; a line 'Function : ' was "
                              "expected before",
                              at);
            return resource_line(text);
        }
        if (comment->substr(0, 2) == "0x") {
            const auto word = hexadecimal(comment->substr(2));
            if (!word || comment->size() > 18)
                return refuse("16 hexadecimal digits were expected", at);
            if (!text.empty() && text.substr(0, 2) != "//")
                return refuse("nothing was expected after an encoding", text);
            return function_ ? function_->word(*word, number_) : boost::outcome_v2::success();
        }
        const auto address = hexadecimal(*comment);
        if (!address || *address > (std::uint64_t{1} << 40U))
            return refuse("an address was expected in /*..*/", at);
        return instruction_line(static_cast<std::int64_t>(*address), text);
    }

    /// `[{] text ; [/* 0x.. */]` or `text }` for the second of a pair.
    Result<void> instruction_line(std::int64_t address, std::string_view text) {
        if (!text.empty() && text.front() == '{') text = trimmed(text.substr(1));
        std::string_view statement = text;
        std::string_view rest;
        const std::size_t semicolon = text.find(';');
        if (semicolon != std::string_view::npos) {
            statement = text.substr(0, semicolon);
            rest = trimmed(text.substr(semicolon + 1));
        } else if (const std::size_t brace = closing_brace(text); brace != std::string_view::npos) {
            statement = text.substr(0, brace);
            rest = trimmed(text.substr(brace + 1));
        } else {
            return refuse("the instruction does not end; ';' was expected (truncated listing?)",
                          text.empty() ? line_ : text.substr(text.size()));
        }
        if (!rest.empty() && rest.front() == '}') rest = trimmed(rest.substr(1));
        if (!target_) return boost::outcome_v2::success(); // The target is refused already.
        auto instruction =
            read_instruction(statement, *target_, number_, statement.data() - line_.data() + 1);
        if (!instruction) {
            Failure failure = instruction.error();
            failure.where = source_.name;
            return failure;
        }
        if (!function_) return boost::outcome_v2::success();
        instruction.value().instruction.address = address;
        if (auto targets = noted_targets(statement); !targets.empty())
            function_->branch_targets(std::move(targets));
        if (auto added = function_->add(std::move(instruction).value()); !added) return added;
        if (rest.empty() || rest.substr(0, 2) == "//") return boost::outcome_v2::success();
        const std::string_view at = rest;
        const auto comment = take_comment(rest);
        if (!comment || comment->substr(0, 2) != "0x" || comment->size() > 18 ||
            !(rest.empty() || rest.substr(0, 2) == "//"))
            return refuse("an encoding /* 0x.. */ or the end of the line was expected", at);
        const auto word = hexadecimal(comment->substr(2));
        if (!word) return refuse("16 hexadecimal digits were expected", at);
        return function_->word(*word, number_);
    }

    /// A `}` that ends a pair follows a blank at the end of the line, unlike the one of `&req={0}`.
    static std::size_t closing_brace(std::string_view text) {
        const std::size_t comment = text.find("/*");
        const std::string_view code = trimmed(text.substr(0, comment));
        if (code.empty() || code.back() != '}') return std::string_view::npos;
        return code.size() - 1;
    }

    std::size_t instructions_ = 0; ///< Of the functions that are complete.
    std::optional<Target> target_;
    std::optional<FunctionBuilder> function_;
    std::optional<UnreadFunction> broken_;  ///< In place of `function_`.
    std::optional<Failure> unknown_target_; ///< Of the first unknown target.
    KernelResources resources_;
    std::set<std::pair<std::string, int>> seen_;
};

} // namespace

Result<Program> read_cuobjdump(const SourceText& source) {
    return DisassemblyReader{source, TextForm::Cuobjdump}.read();
}

Result<Program> read_nvdisasm(const SourceText& source) {
    return DisassemblyReader{source, TextForm::Nvdisasm}.read();
}

} // namespace warpbound::assembly
