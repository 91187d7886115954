#include "tests/support/stand_in_driver/script.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace warpbound::tests {

namespace {

bool read_line(const std::string& line, Script& script) {
    std::istringstream words{line};
    std::string word;
    words >> word;
    if (word == "init") return static_cast<bool>(words >> script.init);
    if (word == "devices") return static_cast<bool>(words >> script.devices);
    if (word == "target") return static_cast<bool>(words >> script.target);
    if (word == "processor") return static_cast<bool>(words >> script.processor);
    if (word == "lanes") return static_cast<bool>(words >> script.lanes);
    if (word == "timer-rate") return static_cast<bool>(words >> script.timer_rate);
    if (word == "registers") return static_cast<bool>(words >> script.registers);
    if (word == "l2-bytes") return static_cast<bool>(words >> script.l2_bytes);
    if (word == "compile-error")
        return static_cast<bool>(std::getline(words >> std::ws, script.compile_error));
    if (word == "out-of-memory-at") return static_cast<bool>(words >> script.out_of_memory_at);
    if (word == "rate") return static_cast<bool>(words >> script.rate);
    if (word == "slow-from")
        return static_cast<bool>(words >> script.slow_from >> script.slow_rate);
    if (word == "time-out-at") return static_cast<bool>(words >> script.time_out_at);
    if (word == "illegal-address-at") return static_cast<bool>(words >> script.illegal_address_at);
    if (word == "lost-at") return static_cast<bool>(words >> script.lost_at);
    if (word == "clock-back-at") return static_cast<bool>(words >> script.clock_back_at);
    if (word == "clock-jump-at") return static_cast<bool>(words >> script.clock_jump_at);
    if (word == "no-record-at") return static_cast<bool>(words >> script.no_record_at);
    if (word == "no-rate-at") return static_cast<bool>(words >> script.no_rate_at);
    if (word == "refused-at") return static_cast<bool>(words >> script.refused_at);
    if (word == "late-block-at") return static_cast<bool>(words >> script.late_block_at);
    if (word == "user-time") return static_cast<bool>(words >> script.user_time);
    if (word == "user-jitter") return static_cast<bool>(words >> script.user_jitter);
    if (word == "user-from-dram") return static_cast<bool>(words >> script.user_from_dram);
    if (word == "user-code") return static_cast<bool>(words >> script.user_code);
    if (word == "idle") return static_cast<bool>(words >> script.idle_after >> script.idle_rate);
    if (word == "empty-time") return static_cast<bool>(words >> script.empty_time);
    if (word == "beside-time") return static_cast<bool>(words >> script.beside_time);
    if (word == "beside-slows") return static_cast<bool>(words >> script.beside_slows);
    if (word == "beside-ends-at") return static_cast<bool>(words >> script.beside_ends_at);
    if (word == "beside-refused-at") return static_cast<bool>(words >> script.beside_refused_at);
    if (word == "wrong-output-at") return static_cast<bool>(words >> script.wrong_output_at);
    if (word == "fail-call")
        return static_cast<bool>(words >> script.fail_call >> script.fail_status >>
                                 script.fail_after);
    if (word == "priorities") return static_cast<bool>(words >> script.priorities);
    if (word == "timer-step") return static_cast<bool>(words >> script.timer_step);
    if (word == "schedule-fault") return static_cast<bool>(words >> script.schedule_fault);
    if (word == "reasons-from")
        return static_cast<bool>(words >> script.reasons_from >> script.reasons);
    return false;
}

} // namespace

Script read_script() {
    Script script;
    const char* name = std::getenv("WARPBOUND_STAND_IN");
    if (name == nullptr) return script;
    std::ifstream file{name};
    for (std::string line; std::getline(file, line);) {
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t") == std::string::npos) continue;
        if (read_line(line, script)) continue;
        std::fprintf(stderr, "stand-in driver: '%s' in %s is no line of a script\n", line.c_str(),
                     name);
        std::exit(99);
    }
    return script;
}

} // namespace warpbound::tests
