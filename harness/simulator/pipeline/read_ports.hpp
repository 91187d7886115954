#pragma once
/// \file
/// The stages Control and Allocate of a scheduler, with the read ports and the reuse cache of its
/// register banks (C60 to C62).

#include "harness/simulator/decode/pipeline_shape.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// What the contract leaves open about the reads of one instruction.
struct ReadChoice {
    bool reads = true;         ///< False: it is predicated off and reads nothing.
    bool each_position = true; ///< A register named at several positions is read for each of them.
    bool widest = true;        ///< An operand of unknown width has its most registers.
};

/// State of one scheduler. `Unit:` core cycles.
class ReadPorts {
public:
    /// `units`: units with a port per scheduler.
    ReadPorts(const ReadPortsShape& shape, std::size_t units)
        : shape_{shape}, free_at_(shape.banks, 0), reads_(shape.banks, 0), unit_at_(units, 0),
          places_(shape.banks * shape.reuse_slots) {}

    struct Reader {
        int warp = 0; ///< Number in the run.
        const BankRead* first = nullptr;
        std::size_t count = 0;
        ReadChoice choice;
        std::optional<std::size_t> unit; ///< Whose latch it enters.
        std::int64_t occupancy = 0;      ///< Of the latch.
    };

    /// The first cycle in which Control takes a further instruction one cycle after its issue.
    [[nodiscard]] const std::int64_t& issue_from() const { return issue_from_; }
    /// An instruction of fixed latency issues. Returns the cycle of its grant. Requires: `now` >=
    /// `issue_from()`, and larger than at the last issue.
    std::int64_t issue(std::int64_t now, const Reader& reader);
    /// An instruction of variable latency issues: it leaves Control in the next cycle but one.
    void issue_to_queue() { issue_from_ = 0; }
    /// The first cycle in which the port of the bank is free.
    [[nodiscard]] std::int64_t free_at(std::size_t bank) const { return free_at_[bank]; }
    /// Reads of the last grant, by bank.
    [[nodiscard]] const std::vector<std::int64_t>& reads() const { return reads_; }

private:
    /// A register that the reuse cache keeps.
    struct Kept {
        int warp = -1;
        std::uint16_t reg = 0;
    };

    void count_reads(const Reader& reader);
    [[nodiscard]] bool hits(const Reader& reader, const BankRead& read) const;
    void fill_places(const Reader& reader);
    [[nodiscard]] std::size_t place_of(const BankRead& read) const {
        return read.bank * shape_.reuse_slots + static_cast<std::size_t>(read.position);
    }

    ReadPortsShape shape_;
    std::int64_t issue_from_ = 0;
    std::int64_t granted_at_ = 0;
    std::vector<std::int64_t>
        free_at_; ///< Of each bank: the first cycle in which its port is free.
    std::vector<std::int64_t> reads_;
    std::vector<std::int64_t> unit_at_; ///< The first grant that the latch of each unit allows.
    std::vector<Kept> places_;          ///< By bank and operand position.
    std::vector<std::uint16_t> counted_;
};

} // namespace warpbound::harness::simulator
