/// \file
/// Reports of Nsight Compute in their own binary form, `.ncu-rep`.
#include "assembly/support/printable.hpp"
#include "assembly/support/source_text.hpp"
#include "harness/profiles/profiler_table.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"
#include "harness/profiles/wire_format.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace warpbound::harness::profiles {

namespace {

constexpr std::string_view device_metric = "device__attribute_display_name";
constexpr std::uint64_t known_version = 7;

/// What precedes the payload of a block.
struct BlockHeader {
    std::uint64_t sources = 0;
    std::uint64_t results = 0;
    std::uint64_t payload = 0; ///< `Unit:` bytes.
    std::vector<std::string_view> strings;
};

Result<BlockHeader> read_block_header(const Piece& message) {
    BlockHeader header;
    const auto read = for_each_field(message, [&](const WireField& field) -> Result<void> {
        if (field.number == 4) {
            if (auto typed = expect_type(field, WireType::Bytes); !typed) return typed;
            return for_each_field(field.content, [&](const WireField& entry) -> Result<void> {
                if (entry.number != 1) return boost::outcome_v2::success();
                header.strings.push_back(entry.content.bytes);
                return expect_type(entry, WireType::Bytes);
            });
        }
        std::uint64_t* const number = field.number == 1   ? &header.sources
                                      : field.number == 2 ? &header.results
                                      : field.number == 5 ? &header.payload
                                                          : nullptr;
        if (number == nullptr) return boost::outcome_v2::success();
        *number = field.value;
        return expect_type(field, WireType::Varint);
    });
    if (!read) return read.as_failure();
    return header;
}

/// A number of ns to the nearest, from 0 to `longest_run`.
Result<std::int64_t> rounded_time(double time, std::size_t at) {
    if (!(time >= 0) || time > static_cast<double>(longest_run))
        return refuse_at(at, "a duration that is not from 0 to 2^50 ns");
    return std::llround(time);
}

/// The value of a metric: a text, or a time.
struct MetricValue {
    std::optional<WireField> field; ///< The last one that is known.
};

Result<MetricValue> read_value(const Piece& message) {
    MetricValue value;
    const auto read = for_each_field(message, [&](const WireField& field) -> Result<void> {
        if (field.number < 1 || field.number > 5) return boost::outcome_v2::success();
        value.field = field;
        return expect_type(field, field.number == 1   ? WireType::Bytes
                                  : field.number == 2 ? WireType::Fixed32
                                  : field.number == 3 ? WireType::Fixed64
                                                      : WireType::Varint);
    });
    if (!read) return read.as_failure();
    return value;
}

Result<std::int64_t> time_of(const WireField& value) {
    switch (value.number) {
    case 2:
        return rounded_time(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.value))),
            value.at);
    case 3:
        return rounded_time(std::bit_cast<double>(value.value), value.at);
    case 1:
        return refuse_at(value.at, "a duration that is a text");
    default:
        return rounded_time(static_cast<double>(value.value), value.at);
    }
}

Result<Extents> read_extents(const WireField& of) {
    if (auto typed = expect_type(of, WireType::Bytes); !typed) return typed.as_failure();
    Extents extents{};
    const auto read = for_each_field(of.content, [&](const WireField& field) -> Result<void> {
        if (field.number > extents.size()) return boost::outcome_v2::success();
        constexpr std::uint64_t most = std::uint64_t{1} << 32U;
        if (field.value > most) return refuse_at(field.at, "a grid or block of more than 2^32");
        extents[static_cast<std::size_t>(field.number) - 1] =
            static_cast<std::int64_t>(field.value);
        return expect_type(field, WireType::Varint);
    });
    if (!read) return read.as_failure();
    return extents;
}

/// The result of one kernel.
struct KernelResult {
    std::string mangled;
    std::string function;
    std::string demangled;
    Extents grid{};
    Extents block{};
    std::string device;
    std::optional<std::int64_t> joined_time;   ///< With the strings of all blocks so far.
    std::optional<std::int64_t> separate_time; ///< With those of the last block that has any.
};

class ReportReader {
public:
    Result<Profile> read(const std::string& bytes) {
        constexpr std::size_t magic = 4;
        Piece rest{bytes};
        if (auto begun = take_bytes(rest, magic, "a magic number"); !begun)
            return begun.as_failure();
        if (auto known = check_version(rest); !known) return known.as_failure();
        while (!rest.bytes.empty())
            if (auto block = read_block(rest); !block) return block.as_failure();
        if (separate_ && times_differ_)
            return Failure{"has tables of strings in several blocks that name its metrics in two "
                           "ways"};
        Profile profile;
        profile.profiler = "Nsight Compute";
        profile.conditions = nsight_compute_conditions;
        profile.series = collected_.take();
        for (const auto& name : without_time_)
            profile.left_out.push_back(
                fmt::format("{}: no {}; `ncu --metrics {} --export app ./app` records it", name,
                            duration_metric, duration_metric));
        return profile;
    }

private:
    static Result<void> check_version(Piece& rest) {
        const auto header = take_sized(rest, "a file header");
        if (!header) return header.as_failure();
        std::optional<std::uint64_t> version;
        if (auto read = for_each_field(header.value(),
                                       [&](const WireField& field) -> Result<void> {
                                           if (field.number == 1) version = field.value;
                                           return boost::outcome_v2::success();
                                       });
            !read)
            return read;
        if (version == known_version) return boost::outcome_v2::success();
        return refuse_at(
            header.value().at,
            version ? fmt::format("report version {}; expected {}", *version, known_version)
                    : std::string{"a header without the version of the report"});
    }

    Result<void> read_block(Piece& rest) {
        const auto message = take_sized(rest, "a block header");
        if (!message) return message.as_failure();
        const auto header = read_block_header(message.value());
        if (!header) return header.as_failure();
        const auto& strings = header.value().strings;
        joined_strings_.insert(joined_strings_.end(), strings.begin(), strings.end());
        if (!strings.empty()) separate_strings_ = strings;
        auto payload = take_bytes(rest, header.value().payload, "a payload");
        if (!payload) return payload.as_failure();
        for (std::uint64_t i = 0; i < header.value().sources; ++i)
            if (auto source = take_sized(payload.value(), "a source"); !source)
                return source.as_failure();
        for (std::uint64_t i = 0; i < header.value().results; ++i) {
            const auto result = take_sized(payload.value(), "a result");
            if (!result) return result.as_failure();
            if (auto read = read_result(result.value()); !read) return read;
        }
        return boost::outcome_v2::success(); // Results of ranges may follow: not of a kernel.
    }

    Result<void> read_result(const Piece& message) {
        KernelResult result;
        const auto read = for_each_field(message, [&](const WireField& field) -> Result<void> {
            switch (field.number) {
            case 5:
                return read_name(field, result.mangled);
            case 6:
                return read_name(field, result.function);
            case 7:
                return read_name(field, result.demangled);
            case 10:
            case 11: {
                const auto extents = read_extents(field);
                if (!extents) return extents.as_failure();
                (field.number == 10 ? result.grid : result.block) = extents.value();
                return boost::outcome_v2::success();
            }
            case 13:
                return read_metric(field, result);
            default:
                return boost::outcome_v2::success();
            }
        });
        if (!read) return read;
        return add(result, message.at);
    }

    static Result<void> read_name(const WireField& field, std::string& name) {
        if (auto typed = expect_type(field, WireType::Bytes); !typed) return typed;
        if (!is_utf8(field.content.bytes))
            return refuse_at(field.content.at, "a name that is not UTF-8");
        name = field.content.bytes;
        return boost::outcome_v2::success();
    }

    Result<void> read_metric(const WireField& metric, KernelResult& result) {
        if (auto typed = expect_type(metric, WireType::Bytes); !typed) return typed;
        std::uint64_t name = 0;
        MetricValue value;
        const auto read =
            for_each_field(metric.content, [&](const WireField& field) -> Result<void> {
                if (field.number == 1) {
                    name = field.value;
                    return expect_type(field, WireType::Varint);
                }
                if (field.number != 2) return boost::outcome_v2::success();
                if (auto typed = expect_type(field, WireType::Bytes); !typed) return typed;
                auto read_one = read_value(field.content);
                if (!read_one) return read_one.as_failure();
                value = read_one.value();
                return boost::outcome_v2::success();
            });
        if (!read) return read;
        if (name >= joined_strings_.size())
            return refuse_at(metric.at,
                             fmt::format("a metric with the name {} of {} in the table of strings",
                                         name, joined_strings_.size()));
        // Readers of reports differ: some join the tables of blocks, others replace them. An index
        // beyond the last table shows that they are joined.
        const auto place = static_cast<std::size_t>(name);
        const bool within = place < separate_strings_.size();
        if (!within) separate_ = false;
        return take_value(joined_strings_[place],
                          within ? separate_strings_[place] : std::string_view{}, value, result);
    }

    static Result<void> take_value(std::string_view joined, std::string_view separate,
                                   const MetricValue& value, KernelResult& result) {
        if (!value.field) return boost::outcome_v2::success();
        if (joined == device_metric && value.field->number == 1)
            return read_name(*value.field, result.device);
        if (joined != duration_metric && separate != duration_metric)
            return boost::outcome_v2::success();
        const auto time = time_of(*value.field);
        if (!time) return time.as_failure();
        if (joined == duration_metric) result.joined_time = time.value();
        if (separate == duration_metric) result.separate_time = time.value();
        return boost::outcome_v2::success();
    }

    Result<void> add(const KernelResult& result, std::size_t at) {
        ProfiledSeries series;
        series.mangled = result.mangled;
        series.name = !result.demangled.empty()  ? result.demangled
                      : !result.function.empty() ? result.function
                                                 : result.mangled;
        if (series.name.empty()) return refuse_at(at, "a result without the name of its kernel");
        series.launch = launch_text(result.grid, result.block, 0);
        series.device = result.device;
        if (result.joined_time != result.separate_time) times_differ_ = true;
        if (result.joined_time)
            collected_.add(std::move(series), *result.joined_time);
        else
            without_time_.insert(series.name);
        return boost::outcome_v2::success();
    }

    std::vector<std::string_view> joined_strings_;
    std::vector<std::string_view> separate_strings_;
    bool separate_ = true;      ///< The tables of blocks may replace each other.
    bool times_differ_ = false; ///< Some result has another time then.
    std::set<std::string> without_time_;
    SeriesByLaunch collected_;
};

} // namespace

Result<Profile> read_nsight_compute_report(const std::string& path) {
    constexpr std::size_t limit = std::size_t{512} << 20U;
    const auto file = assembly::read_source(path, limit);
    if (!file) return file.as_failure();
    auto profile = ReportReader{}.read(file.value().text);
    if (profile) return profile;
    return Failure{fmt::format("{}; where Nsight Compute reads the report, import the CSV that "
                               "`ncu --import {} --csv --page raw > report.csv` makes of it",
                               profile.error().what, path),
                   path};
}

} // namespace warpbound::harness::profiles
