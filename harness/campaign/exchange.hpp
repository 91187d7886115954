#pragma once
/// \file
/// Export and import of a campaign as text, for other programs: CSV and JSON.
///
/// CSV: the first record is `warpbound-campaign,4`. A record `series,name,device,device detail,
/// protocol,kernel digest,facts digest,launch,quantity` begins a series; it is followed by the
/// records `conditions,first run,name,value,name,value..` and
/// `run,number,seed,anomaly,remark,time,time..`, with conditions before their first run, and ends
/// with `digests,of the runs,of the conditions`. Fields with a comma, a quote or an end of line are
/// quoted (RFC 4180). A text that begins with `= + - @ '`, a tab or a carriage return has an
/// apostrophe in front, so that no spreadsheet takes it for a formula; numbers have none.
///
/// JSON: `{"format": "warpbound-campaign", "version": 4, "series": [..]}`, each with its key, then
/// `conditions`, `runs`, `runs-digest` and `conditions-digest`. Versions 2 and 3 are read too: both
/// have another name for `anomaly` (`anomaly_field`), and 2 has neither digests nor apostrophes.
/// Seeds are strings, because many programs read numbers as doubles.

#include "harness/campaign/campaign.hpp"
#include "harness/campaign/campaign_listener.hpp"
#include "harness/trace/trace_bytes.hpp"

#include <functional>
#include <string_view>

namespace warpbound::harness {

enum class CampaignFormat { Csv, Json };

/// Writes piece by piece; one series at a time is held in memory, read when it is written. Refuses
/// content that `read_campaign` would refuse: a text of more than 1 MiB, in CSV a run of more than
/// 16 MiB, in JSON a text that is not UTF-8. Output written before a refusal is incomplete and must
/// be discarded.
Result<void> write_campaign(Campaign& campaign, CampaignFormat format,
                            const std::function<void(std::string_view)>& write);

/// Reads either form, which the first character identifies. Refuses, with line and column: another
/// form or version, two series of one key, runs that are not numbered from 0 on, a run with a
/// `contradiction_in` it, a series that disagrees with its digests or lacks them,
/// conditions after the runs made under them, and a field or a word of more
/// than 1 MiB (a CSV record: 16 MiB). Callbacks made before a refusal must be discarded.
Result<void> read_campaign(const trace::TraceBytes& text, const CampaignListener& listener);

/// Imports a text into a campaign without series: all of it or nothing. Refuses a campaign that has
/// series, and aborts once `stop`, which is called before each run, returns true. Calls
/// `without_digests` if the text has none.
Result<void> import_campaign(const trace::TraceBytes& text, Campaign& campaign,
                             const std::function<bool()>& stop = {},
                             const std::function<void()>& without_digests = {});

} // namespace warpbound::harness
