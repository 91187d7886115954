#include "harness/devices/cuda/board_state.hpp"

#include "assembly/support/source_text.hpp"
#include "harness/devices/cuda/system_file.hpp"
#include "harness/trace/trace_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace warpbound::harness::cuda {

namespace {

namespace fs = std::filesystem;

/// Names of the GPUs of Jetson boards among the devices of devfreq: TX2, Xavier, Orin, and since
/// JetPack 6.
constexpr std::array<std::string_view, 4> gpu_names{"gp10b", "gv11b", "ga10b", "gpu"};

/// The folders below one, in the order of their names.
std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed))
        found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

bool mentions_gpu(const std::optional<std::string>& text) {
    if (!text) return false;
    std::string lower = *text;
    for (char& letter : lower)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower.find("gpu") != std::string::npos;
}

std::optional<fs::path> gpu_in_devfreq(const fs::path& root) {
    for (const auto& device : folders_in(root / "sys/class/devfreq")) {
        const std::string name = device.filename().string();
        for (const auto gpu : gpu_names)
            if (name.find(gpu) != std::string::npos) return device;
    }
    return std::nullopt;
}

void add(Conditions& conditions, const char* name, std::optional<std::string> value) {
    if (value) conditions.emplace_back(name, std::move(*value));
}

/// The governors of all processors, each once: "schedutil".
void add_cpu_governors(Conditions& conditions, const fs::path& root) {
    std::set<std::string> governors;
    for (const auto& policy : folders_in(root / "sys/devices/system/cpu/cpufreq"))
        if (const auto governor = first_line(policy / "scaling_governor"))
            governors.insert(*governor);
    if (!governors.empty())
        conditions.emplace_back("cpu-governor", fmt::format("{}", fmt::join(governors, ", ")));
}

void add_clocks(Conditions& conditions, const fs::path& root) {
    if (const auto gpu = gpu_in_devfreq(root)) {
        add(conditions, "clock", frequency_text(number_in(*gpu / "cur_freq")));
        const auto lowest = frequency_text(number_in(*gpu / "min_freq"));
        const auto highest = frequency_text(number_in(*gpu / "max_freq"));
        if (lowest && highest) {
            conditions.emplace_back("clock-limits", fmt::format("{} to {}", *lowest, *highest));
            conditions.emplace_back("clock-locked", *lowest == *highest ? "yes" : "no");
        }
        add(conditions, "governor", first_line(*gpu / "governor"));
    }
    const fs::path memory = root / "sys/kernel/debug/bpmp/debug/clk/emc";
    add(conditions, "memory-clock", frequency_text(number_in(memory / "rate")));
    if (const auto locked = number_in(memory / "mrq_rate_locked"))
        conditions.emplace_back("memory-clock-locked", *locked == 1 ? "yes" : "no");
    add_cpu_governors(conditions, root);
}

/// The name of the mode that `status` ("pmode:0002") numbers, as the table of nvpmodel has it:
/// "< POWER_MODEL ID=2 NAME=MODE_30W >".
std::optional<std::string> name_of_mode(const fs::path& root, const std::string& status) {
    constexpr std::string_view key = "pmode:";
    constexpr std::size_t most = std::size_t{1} << 20U;
    if (status.rfind(key, 0) != 0) return std::nullopt;
    const std::string digits =
        status.substr(key.size(), status.find_first_not_of("0123456789", key.size()) - key.size());
    std::int64_t mode = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), mode).ec != std::errc{})
        return std::nullopt;
    const auto table = assembly::read_source(root / "etc/nvpmodel.conf", most);
    if (!table) return std::nullopt;
    constexpr std::string_view named = "NAME=";
    trace::Lines lines{table.value()};
    for (auto line = lines.next(); line; line = lines.next()) {
        if (line->next().text != "<" || line->next().text != "POWER_MODEL" ||
            line->next().text != fmt::format("ID={}", mode))
            continue;
        const std::string_view name = line->next().text;
        if (name.substr(0, named.size()) == named) return std::string{name.substr(named.size())};
    }
    return std::nullopt;
}

void add_power_mode(Conditions& conditions, const fs::path& root) {
    const auto status = first_line(root / "var/lib/nvpmodel/status");
    if (!status) return;
    conditions.emplace_back("power-mode", *status);
    add(conditions, "power-mode-name", name_of_mode(root, *status));
}

void add_heat(Conditions& conditions, const fs::path& root) {
    std::optional<std::string> temperature;
    std::optional<std::string> throttled;
    for (const auto& folder : folders_in(root / "sys/class/thermal")) {
        const std::string name = folder.filename().string();
        const auto type = first_line(folder / "type");
        if (!mentions_gpu(type)) continue;
        if (name.rfind("thermal_zone", 0) == 0 && !temperature) {
            if (const auto thousandths = number_in(folder / "temp"))
                temperature = fmt::format("{} C", static_cast<double>(*thousandths) / 1e3);
        } else if (name.rfind("cooling_device", 0) == 0) {
            const auto state = number_in(folder / "cur_state");
            if (!state) continue;
            const bool is_first = !throttled || *throttled == "no";
            if (*state > 0)
                throttled =
                    (is_first ? "" : *throttled + ", ") + fmt::format("{} at {}", *type, *state);
            else if (!throttled)
                throttled = "no";
        }
    }
    add(conditions, "temperature", std::move(temperature));
    add(conditions, "throttled", std::move(throttled));
}

} // namespace

fs::path board_root() {
    const char* stated = std::getenv("WARPBOUND_BOARD_ROOT");
    return stated != nullptr && *stated != '\0' ? stated : "/";
}

Conditions board_state(const fs::path& root) {
    const auto model = first_line(root / "proc/device-tree/model");
    if (!model || model->find("NVIDIA") == std::string::npos) return {};
    Conditions conditions{{"board", *model}};
    add_clocks(conditions, root);
    add_heat(conditions, root);
    add_power_mode(conditions, root);
    return conditions;
}

} // namespace warpbound::harness::cuda
