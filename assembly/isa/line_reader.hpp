#pragma once
/// \file
/// Base of the readers of listings: lines with their numbers, and refusals with their location.

#include "assembly/isa/instruction_reader.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/source_text.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::assembly {

/// Base of a line-by-line reader.
class LineReader {
protected:
    LineReader(const SourceText& source, TextForm form) : source_{source} {
        program_.form = form;
        program_.name = source.name;
        program_.digest = digest_of(source.text);
    }

    /// Calls `one_line()` with `line_` and `number_` set. Refuses what it refuses, and long lines.
    template <class OneLine> Result<void> each_line(OneLine one_line) {
        std::string_view rest = source_.text;
        while (!rest.empty()) {
            check_stop("the reading of the listing");
            const std::size_t newline = rest.find('\n');
            line_ = rest.substr(0, newline);
            rest =
                newline == std::string_view::npos ? std::string_view{} : rest.substr(newline + 1);
            ++number_;
            if (line_.size() > line_length_limit)
                return refuse(fmt::format("a line of more than {} characters", line_length_limit),
                              line_);
            if (auto read = one_line(); !read) return read.as_failure();
        }
        return boost::outcome_v2::success();
    }

    /// `at`: a part of the current line.
    [[nodiscard]] Failure refuse(std::string what, std::string_view at) const {
        const auto column =
            at.data() != nullptr && line_.data() != nullptr ? at.data() - line_.data() + 1 : 1;
        return Failure{std::move(what), source_.name, number_, column};
    }

    const SourceText& source_;
    Program program_;
    std::string_view line_;
    std::int64_t number_ = 0;
};

} // namespace warpbound::assembly
