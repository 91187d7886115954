#pragma once
/// \file
/// Changes of bundles whose bounds are the times of schedules.

#include "assembly/support/digest.hpp"
#include "tests/attacks/bundles.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace warpbound::tests {

using BundleEdit = std::function<void(EvidenceFiles&)>;

/// The first term of a claim, and the claim, so much larger.
inline BundleEdit first_term_moved(std::size_t claim, std::int64_t cycles) {
    return json("claims.json", [claim, cycles](Json& bundle) {
        Json& moved = bundle.at("claims").at(claim);
        Json& term = moved.at("proof").at("terms").at(0);
        term.at("cycles") = term.at("cycles").get<std::int64_t>() + cycles;
        moved.at("value") = moved.at("value").get<std::int64_t>() + cycles;
    });
}

/// Another text in the first file of a folder that has this one, with its digests. The bundle names
/// another version, so that no re-analysis decides. Throws where no file has it.
inline BundleEdit file_changed(const std::string& folder, const std::string& from,
                               const std::string& to) {
    return [folder, from, to](EvidenceFiles& files) {
        for (auto& [listing_path, listing] : files) {
            const std::size_t at = listing.bytes.find(from);
            if (!listing_path.starts_with(folder) || at == std::string::npos) continue;
            const std::string before = assembly::digest_of(listing.bytes);
            listing.bytes.replace(at, from.size(), to);
            const std::string after = assembly::digest_of(listing.bytes);
            for (auto& [path, file] : files)
                for (std::size_t place = file.bytes.find(before); place != std::string::npos;
                     place = file.bytes.find(before, place + after.size()))
                    file.bytes.replace(place, before.size(), after);
            json("inputs/run.json", [](Json& run) { run["tool"]["version"] = "9"; })(files);
            return;
        }
        throw std::runtime_error{"no such file"};
    };
}
inline BundleEdit listing_changed(const std::string& from, const std::string& to) {
    return file_changed("inputs/", from, to);
}

} // namespace warpbound::tests
