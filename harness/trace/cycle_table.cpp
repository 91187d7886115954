#include "harness/trace/cycle_table.hpp"

#include "harness/trace/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::trace {

namespace {

constexpr std::size_t width = 12;

std::string cut(const std::string& text) {
    return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

} // namespace

void CycleTable::Column::extend(std::int64_t last, Cell cell) {
    if (last <= known) return;
    stretches.push_back(Stretch{last, std::move(cell)});
    known = last;
}

CycleTable::CycleTable(const TracedKernel& kernel, Sink sink)
    : kernel_{&kernel}, sink_{std::move(sink)} {
    sink_(fmt::format("{} on {}: what each warp issues, or waits for\n", kernel.name,
                      kernel.machine));
}

void CycleTable::receive(const simulator::Event& event) {
    const auto cycle = std::visit([](const auto& what) { return what.cycle; }, event);
    write_until(cycle - 1);
    std::visit([this](const auto& what) { receive_one(what); }, event);
}

void CycleTable::receive_one(const simulator::WarpStarted& started) {
    const auto warp = static_cast<std::size_t>(started.warp);
    const auto [entry, added] = column_of_slot_.emplace(
        std::tuple{started.multiprocessor, started.scheduler, started.warp_slot}, columns_.size());
    if (added) columns_.emplace_back();
    if (warp >= column_of_warp_.size()) column_of_warp_.resize(warp + 1);
    column_of_warp_[warp] = entry->second;
    Column& column = columns_[entry->second];
    column.live = true;
    column.extend(started.cycle - 1, Cell{});
}

void CycleTable::receive_one(const simulator::Issued& issued) {
    Column& column = column_of(issued.warp);
    const std::string& opcode = kernel_->instructions[issued.instruction].opcode;
    if (issued.cycle == column.known) {
        // The second instruction of a pair; the row is not written before the next cycle.
        column.stretches.back().cell.text += "+" + opcode;
        return;
    }
    const WaitingCycles waiting = waiting_cycles(issued);
    for (std::size_t stall = 0; stall < waiting.size(); ++stall)
        column.extend(column.known + waiting[stall],
                      Cell{.warp = issued.warp,
                           .text = std::string{to_string(static_cast<simulator::Stall>(stall))},
                           .issue = false});
    column.extend(issued.cycle, Cell{.warp = issued.warp, .text = opcode, .issue = true});
}

void CycleTable::receive_one(const simulator::WarpEnded& ended) {
    column_of(ended.warp).live = false;
}

CycleTable::Row CycleTable::next_row(std::int64_t cycle) {
    Row row{.first = next_, .last = cycle, .cells = {}};
    for (Column& column : columns_) {
        while (!column.stretches.empty() && column.stretches.front().last < next_)
            column.stretches.pop_front();
        if (column.stretches.empty()) {
            row.cells.emplace_back();
            continue;
        }
        row.cells.push_back(column.stretches.front().cell);
        row.last = std::min(row.last, column.stretches.front().last);
    }
    return row;
}

void CycleTable::write_until(std::int64_t cycle) {
    for (const Column& column : columns_)
        if (column.live) cycle = std::min(cycle, column.known);
    while (next_ <= cycle) {
        Row row = next_row(cycle);
        next_ = row.last + 1;
        const bool issue = std::any_of(row.cells.begin(), row.cells.end(),
                                       [](const Cell& cell) { return cell.issue; });
        if (!issue && row.cells == row_.cells) {
            row_.last = row.last;
            continue;
        }
        write_row();
        row_ = std::move(row);
    }
}

void CycleTable::write_heading() {
    std::string line = fmt::format("\n{:>17}", "cycle");
    for (const Column& column : columns_)
        line += fmt::format("  {:<{}}", column.headed < 0 ? "" : fmt::format("w{}", column.headed),
                            width);
    line.erase(line.find_last_not_of(' ') + 1);
    sink_(line + "\n");
}

void CycleTable::write_row() {
    if (row_.last < row_.first) return;
    bool changed = false;
    for (std::size_t column = 0; column < row_.cells.size(); ++column) {
        const int warp = row_.cells[column].warp;
        if (warp < 0 || columns_[column].headed == warp) continue;
        columns_[column].headed = warp;
        changed = true;
    }
    if (changed) write_heading();
    const std::string cycles = row_.first == row_.last
                                   ? fmt::format("{}", row_.first)
                                   : fmt::format("{}..{}", row_.first, row_.last);
    std::string line = fmt::format("{:>17}", cycles);
    for (const Cell& cell : row_.cells)
        line += fmt::format("  {:<{}}", cut(cell.text), width);
    line.erase(line.find_last_not_of(' ') + 1);
    sink_(line + "\n");
}

void CycleTable::close(std::int64_t cycles) {
    for (Column& column : columns_) {
        // If the run was stopped, the last stall of live warps is unknown.
        if (column.live) column.extend(cycles - 1, Cell{.warp = -1, .text = "?", .issue = false});
        column.live = false;
    }
    write_until(cycles - 1);
    write_row();
    row_ = Row{};
}

} // namespace warpbound::harness::trace
