#pragma once
/// \file
/// Files of observed times: one a line, in run order.

#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// A line of the file, without blanks around it.
struct TimeLine {
    std::string_view text;
    std::int64_t line = 0;
};

/// The lines in order, but for those that are empty or begin with #, and a first one without a
/// digit, which is a heading. `source` must outlive them. Refuses a file without lines.
Result<std::vector<TimeLine>> read_time_column(const assembly::SourceText& source);

} // namespace warpbound::models
