#include "harness/trace/chrome_trace.hpp"

#include "harness/trace/waiting.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace warpbound::harness::trace {

namespace {

int warps_process(int multiprocessor) {
    return 2 * multiprocessor + 1;
}
int units_process(int multiprocessor) {
    return 2 * multiprocessor + 2;
}

std::string json_string(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string name_event(std::string_view what, int process, int track, const std::string& name) {
    return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                       process, track, json_string(name));
}

} // namespace

ChromeTrace::ChromeTrace(const TracedKernel& kernel, Sink sink)
    : kernel_{&kernel}, sink_{std::move(sink)} {
    for (const TracedInstruction& instruction : kernel.instructions) {
        opcodes_.push_back(json_string(instruction.opcode));
        texts_.push_back(json_string(instruction.text));
    }
    sink_(fmt::format(R"({{"displayTimeUnit":"ms","otherData":{{"kernel":{},"machine":{},)"
                      R"("time":"one core cycle is one microsecond"}},"traceEvents":[)",
                      json_string(kernel.name), json_string(kernel.machine)));
}

void ChromeTrace::write(std::string_view event) {
    sink_(any_ ? ",\n" : "\n");
    any_ = true;
    sink_(event);
}

void ChromeTrace::receive(const simulator::Event& event) {
    std::visit([this](const auto& what) { receive_one(what); }, event);
}

void ChromeTrace::receive_one(const simulator::WarpStarted& started) {
    const auto warp = static_cast<std::size_t>(started.warp);
    if (warp >= slots_.size()) slots_.resize(warp + 1);
    slots_[warp] = WarpSlot{started.multiprocessor, started.scheduler, started.warp_slot};
    const int process = warps_process(started.multiprocessor);
    if (buffered_.emplace(started.multiprocessor, 0).second) {
        write(name_event("process_name", process, 0,
                         fmt::format("SM {}: warps of {} on {}", started.multiprocessor,
                                     kernel_->name, kernel_->machine)));
        write(name_event("process_name", units_process(started.multiprocessor), 0,
                         fmt::format("SM {}: functional units", started.multiprocessor)));
    }
    write(name_event("thread_name", process, started.warp,
                     fmt::format("block {} warp {}", started.warp / kernel_->warps_per_block,
                                 started.warp % kernel_->warps_per_block)));
    write(fmt::format(
        R"({{"name":"thread_sort_index","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        process, started.warp, started.warp));
}

void ChromeTrace::receive_one(const simulator::Issued& issued) {
    const WaitingCycles waiting = waiting_cycles(issued);
    const int process = warps_process(slot_of(issued.warp).multiprocessor);
    std::int64_t at = issued.since;
    for (std::size_t stall = 0; stall < waiting.size(); ++stall) {
        if (waiting[stall] == 0) continue;
        write(fmt::format(R"({{"name":"{}","cat":"stall","ph":"X","ts":{},"dur":{},"pid":{},)"
                          R"("tid":{}}})",
                          to_string(static_cast<simulator::Stall>(stall)), at, waiting[stall],
                          process, issued.warp));
        at += waiting[stall];
    }
    const TracedInstruction& instruction = kernel_->instructions[issued.instruction];
    write(fmt::format(R"({{"name":{},"cat":"issue","ph":"X","ts":{},"dur":1,"pid":{},"tid":{},)"
                      R"("args":{{"address":"0x{:04x}","instruction":{},"lanes":"0x{:08x}",)"
                      R"("executed":{}}}}})",
                      opcodes_[issued.instruction], issued.cycle, process, issued.warp,
                      instruction.address, texts_[issued.instruction], issued.lanes,
                      issued.executed));
    if (!issued.executed) return;
    if (instruction.unit) write_occupancy(issued, *instruction.unit);
    if (instruction.enters_write_buffer) write_buffer(issued.cycle, issued.warp, 1);
}

void ChromeTrace::write_occupancy(const simulator::Issued& issued, std::size_t unit) {
    if (issued.port_until <= issued.cycle) return;
    const WarpSlot& slot = slot_of(issued.warp);
    Port port{slot.multiprocessor, unit, -1, -1};
    if (kernel_->units[unit].scope != models::UnitScope::Core) std::get<2>(port) = slot.scheduler;
    if (kernel_->units[unit].scope == models::UnitScope::Warp) std::get<3>(port) = slot.slot;
    const int track = track_of(port);
    write(fmt::format(R"({{"name":{},"cat":"occupancy","ph":"X","ts":{},"dur":{},"pid":{},)"
                      R"("tid":{},"args":{{"warp":{},"passes":{}}}}})",
                      opcodes_[issued.instruction], issued.cycle, issued.port_until - issued.cycle,
                      units_process(slot.multiprocessor), track, issued.warp, issued.passes));
}

int ChromeTrace::track_of(const Port& port) {
    const auto [entry, added] = tracks_.emplace(port, static_cast<int>(tracks_.size()) + 1);
    if (!added) return entry->second;
    const auto& [multiprocessor, unit, scheduler, slot] = port;
    std::string name = kernel_->units[unit].name;
    if (scheduler >= 0) name += fmt::format(", scheduler {}", scheduler);
    if (slot >= 0) name += fmt::format(", warp slot {}", slot);
    write(name_event("thread_name", units_process(multiprocessor), entry->second, name));
    return entry->second;
}

void ChromeTrace::receive_one(const simulator::Drained& drained) {
    write_buffer(drained.cycle, drained.warp, -1);
}

void ChromeTrace::write_buffer(std::int64_t cycle, int warp, int entries) {
    const int multiprocessor = slot_of(warp).multiprocessor;
    std::int64_t& buffered = buffered_[multiprocessor];
    buffered += entries;
    write(fmt::format(R"({{"name":"write buffer","ph":"C","ts":{},"pid":{},"tid":0,)"
                      R"("args":{{"entries":{}}}}})",
                      cycle, units_process(multiprocessor), buffered));
}

void ChromeTrace::close(std::int64_t cycles) {
    write(fmt::format(R"({{"name":"launch complete","ph":"i","s":"g","ts":{},"pid":{},"tid":0}})",
                      cycles, warps_process(buffered_.empty() ? 0 : buffered_.begin()->first)));
    sink_("\n]}\n");
}

} // namespace warpbound::harness::trace
