#include "harness/simulator/sm/warp.hpp"

#include <algorithm>

// What a warp fetches before it can issue: instructions, their lines, constant operands.

namespace warpbound::harness::simulator {

void Warp::find_constants() {
    const Operation& operation = *operation_;
    look_up_at_ = never;
    constant_lines_.clear();
    if (executes_) {
        const auto first = code_->constant_lines.begin() + operation.constants.first;
        constant_lines_.assign(first, first + operation.constants.count);
        if (operation.constant_bank) {
            const auto lanes = addresses_of(access(), execution(), active_lanes());
            for (std::size_t lane = 0; lane < models::most_lanes; ++lane)
                if (((lanes.active >> lane) & 1U) != 0)
                    constant_lines_.push_back(constant_line(*operation.constant_bank,
                                                            lanes.address[lane],
                                                            code_->machine.constants->line));
            std::sort(constant_lines_.begin(), constant_lines_.end());
            constant_lines_.erase(std::unique(constant_lines_.begin(), constant_lines_.end()),
                                  constant_lines_.end());
        }
    }
    looks_up_operands_ = code_->machine.operand_caches && !constant_lines_.empty();
    constants_at_ = constant_lines_.empty() || looks_up_operands_ ? 0 : never;
}

void Warp::receive_operands(std::optional<std::int64_t> at) {
    looks_up_operands_ = false;
    if (!at) return;
    constants_at_ = *at;
    find_ready();
}

std::optional<ConstantRequest> Warp::take_constants() {
    if (constants_at_ != never || look_up_at_ != never || other_conditions_at_ == never)
        return std::nullopt;
    look_up_at_ = other_conditions_at_;
    return ConstantRequest{.warp_slot = 0,
                           .warp = number_of_warp_,
                           .lines = constant_lines_,
                           .from = other_conditions_at_};
}

void Warp::receive_constants(std::int64_t at) {
    look_up_at_ = never;
    constants_at_ = at;
    find_ready();
}

std::optional<FetchRequest> Warp::take_fetch() {
    if (!wants_fetch_) return std::nullopt;
    wants_fetch_ = false;
    const std::size_t end = code_->operations.size();
    FetchRequest request;
    request.warp = number_of_warp_;
    request.instruction = buffer_first_;
    request.line = code_->lines[buffer_first_];
    // After the text there is one pseudo instruction that never issues.
    request.count = buffer_first_ < end ? std::min(delivered_, end - buffer_first_) : 1;
    return request;
}

std::optional<std::uint64_t> Warp::take_line() {
    if (!wants_line_) return std::nullopt;
    wants_line_ = false;
    return code_->lines[instruction_];
}

void Warp::receive_line(std::int64_t at) {
    fetched_at_ = at;
    find_ready();
}

void Warp::check_buffer() {
    wrong_path_ = buffered_ > 0 && buffer_first_ != instruction_;
    if (buffered_ == 0) fetched_at_ = never;
}

void Warp::fill_buffer(std::size_t count, std::int64_t at) {
    buffered_ = count;
    fetched_at_ = at;
    check_buffer();
    find_ready();
}

void Warp::flush_buffer() {
    buffered_ = 0;
    buffer_first_ = instruction_;
    wants_fetch_ = true;
    check_buffer();
    find_ready();
}

} // namespace warpbound::harness::simulator
