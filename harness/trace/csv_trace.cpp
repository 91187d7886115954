#include "harness/trace/csv_trace.hpp"

#include "assembly/support/printable.hpp"
#include "harness/trace/waiting.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::harness::trace {

namespace {

/// A quoted value in the form of RFC 4180, no formula ("@P0 BRA" would be one).
std::string in_quotes(std::string_view text) {
    std::string out{'"'};
    for (const char character : without_formula(text)) {
        if (character == '"') out += '"';
        out += character;
    }
    return out + '"';
}

} // namespace

CsvTrace::CsvTrace(const TracedKernel& kernel, Sink sink)
    : kernel_{&kernel}, sink_{std::move(sink)} {
    sink_("cycle,multiprocessor,warp,block,address,instruction,lanes,executed,waited-for\n");
}

void CsvTrace::receive(const simulator::Event& event) {
    if (const auto* started = std::get_if<simulator::WarpStarted>(&event)) {
        const auto warp = static_cast<std::size_t>(started->warp);
        if (warp >= multiprocessors_.size()) multiprocessors_.resize(warp + 1);
        multiprocessors_[warp] = started->multiprocessor;
        return;
    }
    const auto* issued = std::get_if<simulator::Issued>(&event);
    if (issued == nullptr) return;
    const TracedInstruction& instruction = kernel_->instructions[issued->instruction];
    const auto stall = last_stall(*issued);
    sink_(fmt::format("{},{},{},0x{:04x},0x{:04x},{},0x{:08x},{},{}\n", issued->cycle,
                      multiprocessors_.at(static_cast<std::size_t>(issued->warp)), issued->warp,
                      kernel_->block_addresses[issued->block], instruction.address,
                      in_quotes(instruction.text), issued->lanes, issued->executed ? "yes" : "no",
                      stall ? to_string(*stall) : "none"));
}

} // namespace warpbound::harness::trace
