/// \file
/// Times that nvbench writes beside its JSON.
#include "harness/json_fields.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

namespace warpbound::harness::profiles {

namespace {

constexpr std::string_view times_tag = "nv/json/bin:nv/cold/sample_times";

/// The names of the devices by their number.
std::map<std::int64_t, std::string> devices_of(const JsonField& root) {
    std::map<std::int64_t, std::string> names;
    if (!root.has("devices")) return names;
    const JsonField devices = root.member("devices");
    for (std::size_t i = 0; i < devices.size() && !devices.failed(); ++i)
        names[devices.item(i).member("id").integer(0, 1 << 20)] =
            devices.item(i).member("name").text();
    return names;
}

/// The file of times of a state and their number.
struct TimesFile {
    std::string name;
    std::uint64_t count = 0;
};

std::optional<TimesFile> times_file(const JsonField& state) {
    if (!state.has("summaries") || state.member("summaries").is_null()) return std::nullopt;
    const JsonField summaries = state.member("summaries");
    for (std::size_t i = 0; i < summaries.size() && !state.failed(); ++i) {
        if (summaries.item(i).member("tag").text() != times_tag) continue;
        TimesFile file;
        const JsonField data = summaries.item(i).member("data");
        for (std::size_t k = 0; k < data.size() && !state.failed(); ++k) {
            const JsonField value = data.item(k).member("value");
            const std::string name = data.item(k).member("name").text();
            if (name == "filename") file.name = value.text();
            if (name != "size") continue;
            const std::string digits = value.text();
            const char* const end = digits.data() + digits.size();
            const auto [stopped, failed] = std::from_chars(digits.data(), end, file.count);
            if (failed != std::errc{} || stopped != end) value.fail("expected a number of times");
        }
        if (file.name.empty()) data.fail("names no file");
        return file;
    }
    return std::nullopt;
}

/// The file inside the folder of `beside`, or of the folder above it, as earlier versions of
/// nvbench name it. Empty: the name leads elsewhere.
std::filesystem::path inside(const std::string& beside, const std::string& name) {
    const std::filesystem::path relative = std::filesystem::path{name}.lexically_normal();
    if (relative.is_absolute() || relative.empty() || *relative.begin() == "..") return {};
    const auto folder = std::filesystem::path{beside}.parent_path();
    std::error_code unknown;
    for (const auto& candidate : {folder / relative, folder.parent_path() / relative})
        if (std::filesystem::exists(candidate, unknown)) return candidate;
    return folder / relative;
}

Result<std::vector<std::int64_t>> read_times(const std::string& path, const TimesFile& file) {
    const auto place = inside(path, file.name);
    if (place.empty())
        return Failure{"names a file of times outside its folder: " + file.name, path};
    const auto bytes = assembly::read_source(place);
    if (!bytes) return bytes.as_failure();
    const std::string& text = bytes.value().text;
    if (text.size() % sizeof(float) != 0 || text.size() / sizeof(float) != file.count)
        return Failure{fmt::format("has {} bytes; expected {} times of {} bytes", text.size(),
                                   file.count, sizeof(float)),
                       place.string()};
    std::vector<std::int64_t> times;
    for (std::size_t at = 0; at < text.size(); at += sizeof(float)) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < sizeof(float); ++i)
            bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])) << (8 * i);
        const double time = static_cast<double>(std::bit_cast<float>(bits)) * 1e9;
        if (!(time >= 0) || time > static_cast<double>(longest_run))
            return Failure{fmt::format("time {} is not from 0 to 2^50 ns", times.size() + 1),
                           place.string()};
        times.push_back(std::llround(time));
    }
    return times;
}

class NvBenchReader {
public:
    explicit NvBenchReader(const std::string& path) : path_{path} {}

    Result<Profile> read() {
        const auto source = assembly::read_source(path_);
        if (!source) return source.as_failure();
        const auto document = parse_json(source.value());
        if (!document) return document.as_failure();
        const JsonField root{document.value(), {}, failure_};
        devices_ = devices_of(root);
        const JsonField benchmarks = root.member("benchmarks");
        for (std::size_t i = 0; i < benchmarks.size() && !failure_; ++i) {
            const JsonField states = benchmarks.item(i).member("states");
            for (std::size_t k = 0; k < states.size() && !failure_; ++k)
                if (auto read = state(benchmarks.item(i), states.item(k)); !read)
                    return read.as_failure();
        }
        if (failure_) return Failure{failure_->what, path_};
        profile_.profiler = "nvbench";
        profile_.series = collected_.take();
        return std::move(profile_);
    }

private:
    Result<void> state(const JsonField& benchmark, const JsonField& state) {
        ProfiledSeries series;
        series.name = benchmark.member("name").text();
        if (state.has("name")) series.name += ", " + state.member("name").text();
        if (state.has("device")) {
            const auto number = state.member("device").integer(0, 1 << 20);
            const auto known = devices_.find(number);
            series.device = known == devices_.end() ? fmt::format("GPU {}", number) : known->second;
        }
        const auto file = times_file(state);
        if (failure_) return boost::outcome_v2::success();
        if (!file) {
            profile_.left_out.push_back(series.name + ": no times of single runs; run nvbench with "
                                                      "--jsonbin");
            return boost::outcome_v2::success();
        }
        const auto times = read_times(path_, *file);
        if (!times) return times.as_failure();
        for (const std::int64_t time : times.value())
            collected_.add(series, time);
        return boost::outcome_v2::success();
    }

    std::string path_;
    std::optional<Failure> failure_;
    std::map<std::int64_t, std::string> devices_;
    SeriesByLaunch collected_;
    Profile profile_;
};

} // namespace

Result<Profile> read_nvbench(const std::string& path) {
    return NvBenchReader{path}.read();
}

} // namespace warpbound::harness::profiles
