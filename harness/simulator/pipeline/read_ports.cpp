#include "harness/simulator/pipeline/read_ports.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

bool ReadPorts::hits(const Reader& reader, const BankRead& read) const {
    if (read.position < 0) return false;
    const Kept& kept = places_[place_of(read)];
    return kept.warp == reader.warp && kept.reg == read.reg;
}

void ReadPorts::count_reads(const Reader& reader) {
    std::fill(reads_.begin(), reads_.end(), 0);
    counted_.clear();
    if (!reader.choice.reads) return;
    for (std::size_t i = 0; i < reader.count; ++i) {
        const BankRead& read = reader.first[i];
        if ((!read.is_certain && !reader.choice.widest) || hits(reader, read)) continue;
        if (!reader.choice.each_position) {
            if (std::find(counted_.begin(), counted_.end(), read.reg) != counted_.end()) continue;
            counted_.push_back(read.reg);
        }
        ++reads_[read.bank];
    }
}

void ReadPorts::fill_places(const Reader& reader) {
    if (!reader.choice.reads) return;
    for (std::size_t i = 0; i < reader.count; ++i) {
        const BankRead& read = reader.first[i];
        if (read.position < 0) continue;
        places_[place_of(read)] = read.is_kept ? Kept{reader.warp, read.reg} : Kept{};
    }
}

std::int64_t ReadPorts::issue(std::int64_t now, const Reader& reader) {
    count_reads(reader);
    const std::int64_t enters = std::max(now + 2, granted_at_ + 1);
    const auto beyond_window = [&](std::int64_t reads) {
        return std::max<std::int64_t>(0, reads - shape_.window);
    };
    const std::int64_t most = *std::max_element(reads_.begin(), reads_.end());
    std::int64_t granted = enters + beyond_window(most);
    if (reader.unit) granted = std::max(granted, unit_at_[*reader.unit]);
    for (std::size_t bank = 0; bank < reads_.size(); ++bank)
        if (reads_[bank] > 0)
            granted = std::max(granted, free_at_[bank] + reads_[bank] - shape_.window - 1);
    for (std::size_t bank = 0; bank < reads_.size(); ++bank)
        if (reads_[bank] > 0)
            free_at_[bank] =
                std::max(free_at_[bank], granted + 1 - beyond_window(reads_[bank])) + reads_[bank];
    if (reader.unit) unit_at_[*reader.unit] = granted + reader.occupancy;
    fill_places(reader);
    issue_from_ = enters - 1;
    granted_at_ = granted;
    return granted;
}

} // namespace warpbound::harness::simulator
