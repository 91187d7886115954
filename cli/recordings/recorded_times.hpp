#pragma once
/// \file
/// Times of series of a campaign in run order.

#include "assembly/support/result.hpp"
#include "certification/pwcet/pwcet.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// Whether the file is a database rather than text.
bool is_campaign(const std::string& file);

/// The largest time of each run that counts. `wanted`: names, or numbers from 1 in the order of
/// `campaign list`; empty: the only series. Refuses an unknown or ambiguous name, listing the
/// series, and a series that holds no times.
Result<std::vector<certification::TimesInRunOrder>>
recorded_times(const std::string& file, const std::vector<std::string>& wanted);

} // namespace warpbound::cli
