#pragma once
/// \file
/// All of a campaign as text, to be read by other programs and taken back: CSV and JSON.
///
/// CSV: the first record is `warpbound-campaign,2`. A record `series,name,device,device detail,
/// protocol,kernel digest,facts digest,launch,quantity` begins a series; behind it stand its
/// records `conditions,first run,name,value,name,value..` and
/// `run,number,seed,trouble,remark,time,time..`, conditions before their first run. Fields with a
/// comma, a quote or an end of line are quoted (RFC 4180).
///
/// JSON: `{"format": "warpbound-campaign", "version": 2, "series": [..]}`, each with its key, then
/// `conditions`, then `runs`. Seeds are strings, because many programs read numbers as doubles.

#include "harness/campaign/campaign.hpp"
#include "harness/campaign/campaign_listener.hpp"
#include "harness/trace/trace_bytes.hpp"

#include <functional>
#include <string_view>

namespace warpbound::harness {

enum class CampaignFormat { Csv, Json };

/// Writes piece by piece; one series at a time is in memory, as it is when its turn comes. Refuses
/// what `read_campaign` would refuse: a text of more than 1 MiB, in CSV a run of more than 16 MiB,
/// in JSON a text that is not UTF-8. What was written before belongs to a campaign that is refused.
Result<void> write_campaign(Campaign& campaign, CampaignFormat format,
                            const std::function<void(std::string_view)>& write);

/// Reads either form; which one the first character tells. Refuses with line and column what is
/// neither, another version, two series of one key, runs that are not numbered from 0 on, a run
/// with a `contradiction_in` it, conditions behind the runs made under them, and a field or a word
/// of more than 1 MiB (a CSV record: 16 MiB). What was handed on before a refusal belongs to a text
/// that is refused.
Result<void> read_campaign(const trace::TraceBytes& text, const CampaignListener& listener);

/// Reads a text into a campaign without series: all of it or nothing. Refuses a campaign that has
/// some, and once `stop`, which is asked before each run, says true.
Result<void> import_campaign(const trace::TraceBytes& text, Campaign& campaign,
                             const std::function<bool()>& stop = {});

} // namespace warpbound::harness
