#include "analyzer/memory/row_activations.hpp"

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

class RowCounter {
public:
    RowCounter(const TimedKernel& kernel, const MemoryParameters& caches, bool writes)
        : kernel_{kernel}, caches_{caches}, writes_{writes} {
        const auto banks = static_cast<std::size_t>(caches_.banks.lo * caches_.channels.lo);
        rows_.resize(banks);
        outstanding_.assign(banks, 0);
        most_of_load_.assign(banks, 0);
    }

    RowActivations find(const AccessEnumeration& accesses) {
        accesses.for_each([&](const Access& access) {
            if (access.load || writes_) add(access);
        });
        finish_instruction();
        models::Cycles of_loads{0};
        accesses.for_each([&](const Access& access) {
            if (access.load) of_loads += models::Cycles{activations_of(access)};
        });
        return {of_bank(), of_loads.count()};
    }

private:
    [[nodiscard]] std::int64_t of_bank() const {
        std::int64_t most = 0;
        for (std::size_t bank = 0; bank < rows_.size(); ++bank) {
            auto rows = static_cast<std::int64_t>(rows_[bank].size());
            // One activation may still serve a completed load; writes may occur at any time.
            if (!stores_) rows = std::min(rows, outstanding_[bank] + 1);
            most = std::max(most, rows);
        }
        return std::min(most, caches_.dram_queue.hi);
    }

    struct BankRow {
        std::size_t bank; ///< Index over all channels.
        std::uint64_t row;
        friend auto operator<=>(const BankRow&, const BankRow&) = default;
    };
    [[nodiscard]] BankRow bank_row_of(std::uint64_t address) const {
        const auto channels = static_cast<std::uint64_t>(caches_.channels.lo);
        const auto banks = static_cast<std::uint64_t>(caches_.banks.lo);
        const std::uint64_t block = address / (caches_.row * channels);
        return {static_cast<std::size_t>(caches_.channel_of(address) * banks + block % banks),
                block / banks};
    }

    void add(const Access& access) {
        if (access.warp != warp_ || access.instruction != instruction_) finish_instruction();
        warp_ = access.warp;
        instruction_ = access.instruction;
        stores_ = stores_ || !access.load;
        locations_.clear();
        for (const models::TouchedLine& line : *access.lines)
            locations_.push_back(bank_row_of(line.address));
        std::sort(locations_.begin(), locations_.end());
        locations_.erase(std::unique(locations_.begin(), locations_.end()), locations_.end());
        const bool once = access.load && is_outstanding_once(kernel_, access.instruction);
        for (std::size_t i = 0; i < locations_.size();) {
            const std::size_t bank = locations_[i].bank;
            std::int64_t in_bank = 0;
            for (; i < locations_.size() && locations_[i].bank == bank; ++i, ++in_bank)
                rows_[bank].insert(locations_[i].row);
            std::int64_t& most = most_of_load_[bank];
            if (most == 0) banks_of_load_.push_back(bank);
            most = once ? std::max(most, in_bank) : most + in_bank;
        }
    }
    /// Adds the last load of one warp; its executions are outstanding one at a time.
    void finish_instruction() {
        for (const std::size_t bank : banks_of_load_) {
            outstanding_[bank] += most_of_load_[bank];
            most_of_load_[bank] = 0;
        }
        banks_of_load_.clear();
    }

    /// Row activations that a load waits for. Its lines in one bank wait for each other, the first
    /// one for the row that was open; a line in the row of the previous line needs no activation.
    std::int64_t activations_of(const Access& access) {
        struct InBank {
            std::uint64_t row = 0;
            std::int64_t lines = 0;
            std::int64_t activations = 0;
        };
        std::map<std::size_t, InBank> banks;
        std::int64_t most = 0;
        for (const models::TouchedLine& line : *access.lines) {
            const BankRow location = bank_row_of(line.address);
            InBank& bank = banks[location.bank];
            if (bank.lines == 0 || bank.row != location.row) ++bank.activations;
            bank.row = location.row;
            ++bank.lines;
            most = std::max(most, std::min(bank.lines, bank.activations + 1));
        }
        return most;
    }

    const TimedKernel& kernel_;
    const MemoryParameters& caches_;
    bool writes_;
    std::vector<std::unordered_set<std::uint64_t>> rows_; ///< Rows per bank, of the whole launch.
    std::vector<std::int64_t>
        outstanding_; ///< Per bank: rows of loads that are outstanding together.
    std::vector<std::int64_t> most_of_load_;
    std::vector<std::size_t> banks_of_load_; ///< Banks whose `most_of_load_` is not 0.
    std::vector<BankRow> locations_;
    bool stores_ = false;
    std::int64_t warp_ = -1;
    std::size_t instruction_ = 0;
};

} // namespace

std::optional<RowActivations> row_activations(const TimedKernel& kernel,
                                              const MemoryParameters& caches,
                                              const AccessEnumeration& accesses, bool writes) {
    if (!caches.knows_channels() || !caches.banks.is_exact() ||
        (models::Cycles{caches.banks.lo} * caches.channels.lo).count() > most_banks)
        return std::nullopt;
    return RowCounter{kernel, caches, writes}.find(accesses);
}

} // namespace warpbound::analyzer
