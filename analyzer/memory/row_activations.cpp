#include "analyzer/memory/row_activations.hpp"

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/access_enumeration.hpp"
#include "analyzer/memory/outstanding_loads.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_banks = 1 << 16;

class Rows {
public:
    Rows(const AnalysisContext& context, bool writes)
        : context_{context}, caches_{*context.caches}, writes_{writes} {
        const auto banks = static_cast<std::size_t>(caches_.banks.lo * caches_.channels.lo);
        rows_.resize(banks);
        together_.assign(banks, 0);
        most_of_load_.assign(banks, 0);
    }

    RowActivations find(const AccessEnumeration& accesses) {
        accesses.for_each([&](const Access& access) {
            if (access.load || writes_) keep(access);
        });
        end_of_instruction();
        models::Cycles of_loads{0};
        accesses.for_each([&](const Access& access) {
            if (access.load) of_loads += models::Cycles{in_order(access)};
        });
        return {of_bank(), of_loads.count()};
    }

private:
    [[nodiscard]] std::int64_t of_bank() const {
        std::int64_t most = 0;
        for (std::size_t bank = 0; bank < rows_.size(); ++bank) {
            auto rows = static_cast<std::int64_t>(rows_[bank].size());
            // One may be being served for a load that is over; what is written comes at any time.
            if (!stores_) rows = std::min(rows, together_[bank] + 1);
            most = std::max(most, rows);
        }
        return std::min(most, caches_.dram_queue.hi);
    }

    struct Place {
        std::size_t bank; ///< Of all channels.
        std::uint64_t row;
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    [[nodiscard]] Place place_of(std::uint64_t address) const {
        const auto channels = static_cast<std::uint64_t>(caches_.channels.lo);
        const auto banks = static_cast<std::uint64_t>(caches_.banks.lo);
        const std::uint64_t block = address / (caches_.row * channels);
        return {static_cast<std::size_t>(caches_.channel_of(address) * banks + block % banks),
                block / banks};
    }

    void keep(const Access& access) {
        if (access.warp != warp_ || access.instruction != instruction_) end_of_instruction();
        warp_ = access.warp;
        instruction_ = access.instruction;
        stores_ = stores_ || !access.load;
        places_.clear();
        for (const models::TouchedLine& line : *access.lines)
            places_.push_back(place_of(line.address));
        std::sort(places_.begin(), places_.end());
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        const bool once = access.load && is_outstanding_once(context_, access.instruction);
        for (std::size_t i = 0; i < places_.size();) {
            const std::size_t bank = places_[i].bank;
            std::int64_t here = 0;
            for (; i < places_.size() && places_[i].bank == bank; ++i, ++here)
                rows_[bank].insert(places_[i].row);
            std::int64_t& most = most_of_load_[bank];
            if (most == 0) banks_of_load_.push_back(bank);
            most = once ? std::max(most, here) : most + here;
        }
    }
    /// Of the load of one warp that was looked at last, one execution at a time is under way.
    void end_of_instruction() {
        for (const std::size_t bank : banks_of_load_) {
            together_[bank] += most_of_load_[bank];
            most_of_load_[bank] = 0;
        }
        banks_of_load_.clear();
    }

    /// Lines of the load that lie in one bank wait for the one before them, the first of them for
    /// what was there; those of the row of the line before open none.
    std::int64_t in_order(const Access& access) {
        struct InBank {
            std::uint64_t row = 0;
            std::int64_t lines = 0;
            std::int64_t openings = 0;
        };
        std::map<std::size_t, InBank> banks;
        std::int64_t most = 0;
        for (const models::TouchedLine& line : *access.lines) {
            const Place place = place_of(line.address);
            InBank& bank = banks[place.bank];
            if (bank.lines == 0 || bank.row != place.row) ++bank.openings;
            bank.row = place.row;
            ++bank.lines;
            most = std::max(most, std::min(bank.lines, bank.openings + 1));
        }
        return most;
    }

    const AnalysisContext& context_;
    const MemoryParameters& caches_;
    bool writes_;
    std::vector<std::unordered_set<std::uint64_t>> rows_; ///< Per bank, of the whole launch.
    std::vector<std::int64_t> together_; ///< Per bank, of loads that are under way together.
    std::vector<std::int64_t> most_of_load_;
    std::vector<std::size_t> banks_of_load_; ///< Of which `most_of_load_` is not 0.
    std::vector<Place> places_;
    bool stores_ = false;
    std::int64_t warp_ = -1;
    std::size_t instruction_ = 0;
};

} // namespace

std::optional<RowActivations> row_activations(const AnalysisContext& context,
                                              const AccessEnumeration& accesses, bool writes) {
    const MemoryParameters& caches = *context.caches;
    if (!caches.knows_channels() || !caches.banks.is_exact() ||
        (models::Cycles{caches.banks.lo} * caches.channels.lo).count() > most_banks)
        return std::nullopt;
    return Rows{context, writes}.find(accesses);
}

} // namespace warpbound::analyzer
