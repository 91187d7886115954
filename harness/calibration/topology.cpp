#include "harness/calibration/topology.hpp"

#include "harness/calibration/relations.hpp"
#include "harness/json_fields.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace warpbound::harness {

namespace {

using models::Interval;
using models::SourcedValue;

constexpr double most = 9e15; ///< Of a number that is read: it is exact as a whole number.

/// What a field of the file is.
enum class Meaning {
    Count,    ///< A whole number.
    Quantity, ///< A value with its unit, or a size with unit and confidence.
    Latency,  ///< Statistics of samples.
};

struct FieldRule {
    std::string_view field; ///< Members, separated by '/'.
    std::string_view path;  ///< Of the description.
    Meaning meaning = Meaning::Quantity;
    std::string_view not_of_amd{}; ///< Why the number of an AMD card is left out.
};

constexpr std::string_view other_registers =
    "HIP's attribute is not the register file of a compute unit";

constexpr auto rules = std::to_array<FieldRule>({
    {"compute/multiProcessorCount", "geometry/multiprocessors", Meaning::Count},
    {"compute/warpSize", "geometry/warp-size", Meaning::Count},
    {"general/clockRate", "geometry/core-clock"},
    {"memory/main/memoryClockRate", "geometry/memory-clock"},
    {"compute/numberOfCoresPerMultiProcessor", "geometry/fp32-lanes", Meaning::Count},
    {"compute/maxThreadsPerMultiProcessor", "limits/max-threads", Meaning::Count},
    {"compute/maxThreadsPerBlock", "limits/max-threads-per-block", Meaning::Count},
    {"compute/maxBlocksPerMultiProcessor", "limits/max-blocks", Meaning::Count,
     "HIP's attribute is not the number of work-groups of a compute unit"},
    {"compute/regsPerMultiProcessor", "limits/registers", Meaning::Count, other_registers},
    {"compute/regsPerBlock", "limits/registers-per-block", Meaning::Count, other_registers},
    {"memory/shared/sharedMemPerBlock", "limits/shared-memory-per-block"},
    {"memory/shared/sharedMemPerMultiProcessor", "limits/shared-memory"},
    {"memory/shared/reservedSharedMemPerBlock", "limits/shared-reserved"},
    {"memory/shared/latency", "classes/load-shared/latency", Meaning::Latency},
    {"memory/constant/l1/latency", "classes/load-constant/latency", Meaning::Latency},
    {"memory/scalarL1/latency", "classes/load-constant/latency", Meaning::Latency},
    {"memory/l1/latency", "memories/l1/latency", Meaning::Latency},
    {"memory/l1/size", "memories/l1/size"},
    {"memory/l1/lineSize", "memories/l1/line"},
    {"memory/l1/fetchGranularity", "memories/l1/sector"},
    {"memory/l2/latency", "memories/l2/latency", Meaning::Latency},
    {"memory/l2/size", "memories/l2/size"},
    {"memory/l2/lineSize", "memories/l2/line"},
    {"memory/l2/fetchGranularity", "memories/l2/sector"},
    {"memory/l2/readBandwidth", "memories/l2/bandwidth"},
    {"memory/main/latency", "memories/dram/latency", Meaning::Latency},
    {"memory/main/totalGlobalMem", "memories/dram/size"},
    {"memory/main/readBandwidth", "memories/dram/bandwidth"},
});

/// Parts of the file for which descriptions have no values.
constexpr std::array<std::string_view, 4> unused{"memory/texture", "memory/readOnly",
                                                 "memory/constant/l1.5", "memory/l3"};

/// Steps of the unit of a description in one of the file; 0: the file has no such unit.
double factor_of(std::string_view unit) {
    constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;
    if (unit == "bytes" || unit == "cycles" || unit == "kHz") return 1;
    if (unit == "KiB") return 1024;
    if (unit == "MHz" || unit == "MB/s") return 1000;
    return unit == "GiB/s" ? bytes_of_gib / 1000 : 0; // kB/s.
}

class Importer {
public:
    /// Refers to `json`.
    Importer(const nlohmann::json& json, const assembly::SourceText& file)
        : file_{file.name}, root_{json, "", failure_} {}

    Result<ImportedTopology> import(const TopologyRequest& request);

private:
    struct Found {
        Interval interval;
        std::string reason;
    };

    [[nodiscard]] std::optional<JsonField> find(std::string_view field) const;
    [[nodiscard]] std::string text(std::string_view field) const;
    [[nodiscard]] std::int64_t whole(const JsonField& number, double factor) const;
    [[nodiscard]] Found latency(const JsonField& field) const;
    [[nodiscard]] Found quantity(const JsonField& field) const;
    [[nodiscard]] std::string objection(const FieldRule& rule, const JsonField& field) const;
    [[nodiscard]] Found found_by(const FieldRule& rule, const JsonField& field) const;
    void correct(std::string_view path, Found& found) const;
    [[nodiscard]] Result<assembly::Target> target(const TopologyRequest& request) const;
    Result<void> take(const FieldRule& rule);
    Result<void> put(const std::string& path, const Found& found);

    std::string file_;
    std::optional<Failure> failure_;
    JsonField root_;
    ImportedTopology result_;
    bool is_amd_ = false;
};

std::optional<JsonField> Importer::find(std::string_view field) const {
    JsonField at = root_;
    while (true) {
        const std::size_t slash = field.find('/');
        const std::string_view member = field.substr(0, slash);
        if (!at.is_object() || !at.has(member)) return std::nullopt;
        at = at.member(member);
        if (slash == std::string_view::npos) return at;
        field.remove_prefix(slash + 1);
    }
}

std::string Importer::text(std::string_view field) const {
    const auto found = find(field);
    return found ? found->text() : std::string{};
}

std::int64_t Importer::whole(const JsonField& number, double factor) const {
    const double value = number.number() * factor;
    if (!(value >= 0) || value > most) {
        number.fail(fmt::format("is {}; expected 0 to {}", value, most));
        return 0;
    }
    return static_cast<std::int64_t>(std::llround(value));
}

Importer::Found Importer::latency(const JsonField& field) const {
    const std::string unit = field.member("unit").text();
    if (unit != "cycles")
        field.member("unit").fail(fmt::format("is \"{}\"; expected cycles", unit));
    const double mean = field.member("mean").number();
    const double median = field.member("p50").number();
    const double high = field.member("p95").number();
    const std::int64_t samples = field.member("sampleSize").integer(1, std::int64_t{1} << 40U);
    if (!(mean > 0) || !(median > 0) || high < median || std::max(mean, high) > 1e9)
        field.fail(fmt::format("has mean {}, p50 {} and p95 {}; expected positive cycles in order",
                               mean, median, high));
    if (field.failed()) return {};
    constexpr double room = 0.1;
    Found found;
    found.interval.lo = static_cast<std::int64_t>(std::floor((1 - room) * std::min(mean, median)));
    found.interval.hi = static_cast<std::int64_t>(std::ceil((1 + room) * std::max(mean, high)));
    found.interval.typical = std::llround(median);
    found.reason =
        fmt::format("{} samples: mean {:.0f}, p50 {:.0f}, p95 {:.0f}; a tenth of room on "
                    "both sides, no bound",
                    samples, mean, median, high);
    return found;
}

Importer::Found Importer::quantity(const JsonField& field) const {
    const std::string unit = field.member("unit").text();
    const double factor = factor_of(unit);
    if (factor == 0) field.member("unit").fail(fmt::format("is \"{}\", which is not known", unit));
    const std::int64_t value = whole(field.member(field.has("size") ? "size" : "value"), factor);
    Found found{{value, value, value}, {}};
    if (field.has("confidence"))
        found.reason = fmt::format("confidence {:.2f}", field.member("confidence").number());
    return found;
}

Importer::Found Importer::found_by(const FieldRule& rule, const JsonField& field) const {
    if (rule.meaning == Meaning::Latency) return latency(field);
    if (rule.meaning == Meaning::Quantity) return quantity(field);
    const std::int64_t value = whole(field, 1);
    return {{value, value, value}, {}};
}

/// Why a field is not taken; empty: it is.
std::string Importer::objection(const FieldRule& rule, const JsonField& field) const {
    constexpr double enough = 0.9;
    if (is_amd_ && !rule.not_of_amd.empty()) return std::string{rule.not_of_amd};
    if (rule.meaning != Meaning::Quantity || !field.has("confidence")) return {};
    const double confidence = field.member("confidence").number();
    return confidence >= enough ? std::string{}
                                : fmt::format("mt4g's confidence is {:.2f}", confidence);
}

/// What the file says otherwise than a description.
void Importer::correct(std::string_view path, Found& found) const {
    const auto cores = find("compute/multiProcessorCount");
    const std::int64_t count = cores ? cores->integer(1, 1 << 20) : 1;
    if (path == "limits/shared-memory" && is_amd_ && found.interval.lo % count == 0) {
        const std::int64_t own = found.interval.lo / count;
        found = {{own, own, own}, "HIP's attribute is the sum of all compute units"};
    }
    if (path.ends_with("/bandwidth")) found.reason = "what reads achieved; the peak is higher";
    const auto width = find("memory/main/memoryBusWidth/value");
    const auto clock = find("memory/main/memoryClockRate");
    if (path != "memories/dram/bandwidth" || !width || !clock) return;
    const std::int64_t peak =
        whole(*width, static_cast<double>(quantity(*clock).interval.lo) * 2 / 8);
    found.interval = {found.interval.lo, std::nullopt, std::max(peak, found.interval.hi)};
    found.reason = "from what reads achieved to two transfers of the bus a memory cycle";
}

Result<void> Importer::put(const std::string& path, const Found& found) {
    SourcedValue value;
    value.interval = found.interval;
    value.source =
        fmt::format("mt4g ({}, {}): {}", text("general/name"), text("meta/timestamp"), file_);
    value.grade = models::Grade::Repository;
    value.measured = models::MeasuredOn::Card;
    value.reason = found.reason;
    if (auto done = models::set_value(result_.machine, path, std::move(value)); !done)
        return done.as_failure();
    result_.taken.push_back(path);
    return boost::outcome_v2::success();
}

Result<void> Importer::take(const FieldRule& rule) {
    const auto field = find(rule.field);
    if (!field) return boost::outcome_v2::success();
    if (const std::string why = objection(rule, *field); !why.empty()) {
        result_.left_out.push_back({std::string{rule.field}, why});
        return boost::outcome_v2::success();
    }
    Found found = found_by(rule, *field);
    correct(rule.path, found);
    if (failure_) return *failure_;
    return put(std::string{rule.path}, found);
}

Result<assembly::Target> Importer::target(const TopologyRequest& request) const {
    const JsonField capability = root_.member("general").member("computeCapability");
    const std::int64_t major = capability.member("major").integer(0, 99);
    const std::int64_t minor = capability.member("minor").integer(0, 9);
    if (failure_) return *failure_;
    const auto& stated = request.base ? std::optional{request.base->target} : request.target;
    if (is_amd_) {
        if (stated && is_amd(*stated)) return *stated;
        return Failure{fmt::format("{} is a card of AMD, whose processor the file does not name; "
                                   "state it: --target gfx90a",
                                   text("general/name")),
                       file_};
    }
    const std::string name = fmt::format("sm_{}{}", major, minor);
    const auto of_file = assembly::parse_target(name);
    if (!of_file) return Failure{fmt::format("{} is no target that is known", name), file_};
    if (stated && *stated != *of_file)
        return Failure{
            fmt::format("{} is {}; {} was stated", text("general/name"), name, to_string(*stated)),
            file_};
    return *of_file;
}

Result<ImportedTopology> Importer::import(const TopologyRequest& request) {
    for (const char* part : {"general", "compute", "memory", "meta"})
        if (!find(part))
            return Failure{fmt::format("has no '{}'; expected the JSON that mt4g writes", part),
                           file_};
    const std::string vendor = text("general/vendor");
    if (vendor != "AMD" && vendor != "NVIDIA")
        return Failure{fmt::format("general/vendor is \"{}\"; expected AMD or NVIDIA", vendor),
                       file_};
    is_amd_ = vendor == "AMD";
    const auto of = target(request);
    if (!of) return of.as_failure();
    result_.machine = request.base ? *request.base : blank_machine(of.value());
    result_.machine.name = request.name;
    result_.machine.title = text("general/name") + ", as mt4g measured it";
    for (const FieldRule& rule : rules)
        if (auto done = take(rule); !done) return done.as_failure();
    for (const std::string_view part : unused)
        if (find(part))
            result_.left_out.push_back({std::string{part}, "a description has no values for it"});
    if (failure_) return *failure_;
    if (result_.taken.empty()) return Failure{"has no value of a description", file_};
    return std::move(result_);
}

} // namespace

Result<ImportedTopology> import_topology(const assembly::SourceText& file,
                                         const TopologyRequest& request) {
    const auto json = parse_json(file);
    if (!json) return json.as_failure();
    return Importer{json.value(), file}.import(request);
}

} // namespace warpbound::harness
