#include "harness/trace/thread_trace.hpp"

#include "harness/json_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <utility>

namespace warpbound::harness::trace {

namespace {

constexpr std::int64_t time_limit = std::int64_t{1} << 60;
constexpr std::int64_t address_limit = std::int64_t{1} << 60;
constexpr std::int64_t duration_limit = (std::int64_t{1} << 31) - 1; ///< As the decoder stores it.
constexpr std::int64_t place_limit = 1000;                           ///< SIMDs and their slots.
constexpr std::size_t code_limit = 4'000'000;                        ///< Rows of `code.json`.

enum CodeColumn : std::size_t { Isa = 0, LineNumber = 2, Source = 3, CodeObject = 4, Address = 5 };
enum StepColumn : std::size_t { Time = 0, Category = 1, Stall = 2, Duration = 3, Line = 4 };
constexpr std::size_t code_columns = 10;
constexpr std::size_t step_columns = 5;

/// `failure` with the name of the file.
Failure in_file(Failure failure, const std::string& file) {
    failure.where = file;
    return failure;
}

/// Kernel names stand in rows of their own, as comments.
bool names_kernel(const std::string& text) {
    return text.starts_with("; ");
}

void add_wave_names(const JsonField& list, const nlohmann::json& names, ThreadTraceFiles& files) {
    // Shader engine, SIMD, slot and number; then file name, begin and end.
    for (const auto& [engine, simds] : names.items())
        for (const auto& [simd, slots] : simds.items())
            for (const auto& [slot, waves] : slots.items())
                for (const auto& [wave, entry] : waves.items()) {
                    const JsonField at =
                        list.member(engine).member(simd).member(slot).member(wave).item(0);
                    const std::string name = at.text();
                    if (name.empty() || name.find_first_of("/\\") != std::string::npos)
                        at.fail("expected the name of a file in the folder");
                    if (files.waves.size() == thread_trace_wave_limit)
                        list.fail(fmt::format("more than {} wavefronts", thread_trace_wave_limit));
                    if (list.failed()) return;
                    files.waves.push_back(name);
                }
}

/// Collects the rows of `code.json`.
class CodeRows {
public:
    explicit CodeRows(ThreadTraceCode& code) : code_{&code} {}

    void add(const JsonField& row, std::size_t index) {
        if (row.size() != code_columns) row.fail(fmt::format("expected {} columns", code_columns));
        const std::string text = row.item(Isa).text();
        const std::int64_t line = row.item(LineNumber).integer(0, time_limit);
        const std::string source = row.item(Source).text();
        const std::int64_t object = row.item(CodeObject).integer(0, address_limit);
        const std::int64_t address = row.item(Address).integer(0, address_limit);
        if (row.failed()) return;
        if (names_kernel(text)) {
            code_->kernels.push_back({text.substr(2), object, address});
            return;
        }
        if (code_->kernels.empty()) return;
        const ThreadTraceKernel& kernel = code_->kernels.back();
        if (kernel.object != object || address < kernel.address) return;
        if (!code_->by_line.emplace(line, code_->instructions.size()).second)
            ambiguous_.insert(line);
        code_->instructions.push_back(
            {text, source, address - kernel.address, code_->kernels.size() - 1, index});
    }

    void finish() {
        for (const std::int64_t line : ambiguous_)
            code_->by_line.erase(line);
    }

private:
    ThreadTraceCode* code_;
    std::set<std::int64_t> ambiguous_;
};

/// One entry of a wavefront's `instructions`; none: it is damaged.
std::optional<ThreadTraceStep> step_of(const nlohmann::json& entry, const ThreadTraceCode& code) {
    if (!entry.is_array() || entry.size() != step_columns) return std::nullopt;
    std::array<std::int64_t, step_columns> values{};
    for (std::size_t column = 0; column < step_columns; ++column) {
        if (!entry[column].is_number_integer()) return std::nullopt;
        values[column] = entry[column].get<std::int64_t>();
    }
    if (values[Time] < -time_limit || values[Time] > time_limit || values[Line] < 0 ||
        values[Duration] < 0 || values[Duration] > duration_limit || values[Stall] < 0 ||
        values[Stall] > duration_limit)
        return std::nullopt;
    ThreadTraceStep step{values[Time], values[Duration], values[Stall], {}};
    constexpr auto last = static_cast<std::int64_t>(ThreadTraceCategory::RayTracing);
    if (values[Category] > 0 && values[Category] <= last)
        step.category = static_cast<ThreadTraceCategory>(values[Category]);
    const auto found = code.by_line.find(values[Line]);
    if (found != code.by_line.end()) step.instruction = found->second;
    return step;
}

Result<assembly::SourceText> read_part(const std::filesystem::path& file) {
    return assembly::read_source(file.string(), thread_trace_file_limit);
}

} // namespace

bool is_thread_trace(const std::filesystem::path& folder) {
    std::error_code error;
    return std::filesystem::is_regular_file(folder / "filenames.json", error);
}

Result<ThreadTraceFiles> read_thread_trace_files(const assembly::SourceText& source) {
    const auto json = parse_json(source);
    if (!json) return json.as_failure();
    std::optional<Failure> failure;
    const JsonField root{json.value(), "", failure};
    ThreadTraceFiles files;
    if (root.has("gfxip")) files.processor = root.member("gfxip").integer(0, 1000);
    const JsonField list = root.member("wave_filenames");
    if (!failure && !list.is_null()) add_wave_names(list, json.value().at("wave_filenames"), files);
    if (!failure && files.waves.empty())
        list.fail("no wavefront was traced; launch more of them, or trace another compute unit "
                  "(--att-target-cu)");
    if (failure) return in_file(std::move(*failure), source.name);
    return files;
}

Result<ThreadTraceCode> read_thread_trace_code(const assembly::SourceText& source) {
    const auto json = parse_json(source);
    if (!json) return json.as_failure();
    std::optional<Failure> failure;
    const JsonField rows = JsonField{json.value(), "", failure}.member("code");
    ThreadTraceCode code{.file = source.name, .kernels = {}, .instructions = {}, .by_line = {}};
    CodeRows collected{code};
    const std::size_t count = rows.size();
    if (count > code_limit) rows.fail(fmt::format("more than {} rows", code_limit));
    for (std::size_t row = 0; row < count && !failure; ++row)
        collected.add(rows.item(row), row);
    collected.finish();
    if (!failure && code.instructions.empty()) rows.fail("no kernel with instructions");
    if (failure) return in_file(std::move(*failure), source.name);
    return code;
}

Result<ThreadTraceWave> read_thread_trace_wave(const assembly::SourceText& source,
                                               const ThreadTraceCode& code) {
    const auto json = parse_json(source);
    if (!json) return json.as_failure();
    std::optional<Failure> failure;
    const JsonField root = JsonField{json.value(), "", failure}.member("wave");
    ThreadTraceWave wave{.file = std::filesystem::path{source.name}.filename().string(),
                         .begin = root.member("begin").integer(-time_limit, time_limit),
                         .end = root.member("end").integer(-time_limit, time_limit),
                         .steps = {},
                         .engine = {},
                         .simd = 0,
                         .slot = 0};
    if (const JsonField file{json.value(), "", failure}; file.has("name"))
        wave.engine = file.member("name").text();
    if (root.has("simd")) wave.simd = root.member("simd").integer(0, place_limit);
    if (root.has("slot")) wave.slot = root.member("slot").integer(0, place_limit);
    if (wave.end < wave.begin) root.member("end").fail("lies before begin");
    const JsonField list = root.member("instructions");
    // A wavefront without instructions has null here.
    const std::size_t count = failure || list.is_null() ? 0 : list.size();
    if (count > thread_trace_step_limit)
        list.fail(fmt::format("more than {} instructions", thread_trace_step_limit));
    for (std::size_t index = 0; index < count && !failure; ++index) {
        const auto step = step_of(json.value()["wave"]["instructions"][index], code);
        if (step)
            wave.steps.push_back(*step);
        else
            list.item(index).fail("expected five whole numbers: time, category, stall, duration "
                                  "and line number");
    }
    if (failure) return in_file(std::move(*failure), source.name);
    return wave;
}

Result<ThreadTrace> read_thread_trace(const std::filesystem::path& folder) {
    const auto names = read_part(folder / "filenames.json");
    if (!names) return names.as_failure();
    auto files = read_thread_trace_files(names.value());
    if (!files) return files.as_failure();
    const auto listing = read_part(folder / "code.json");
    if (!listing) return listing.as_failure();
    auto code = read_thread_trace_code(listing.value());
    if (!code) return code.as_failure();
    ThreadTrace trace{folder.string(), files.value().processor, std::move(code).value(), {}};
    std::size_t steps = 0;
    for (const std::string& name : files.value().waves) {
        const auto text = read_part(folder / name);
        if (!text) return text.as_failure();
        auto wave = read_thread_trace_wave(text.value(), trace.code);
        if (!wave) return wave.as_failure();
        steps += wave.value().steps.size();
        if (steps > thread_trace_step_limit)
            return Failure{fmt::format("more than {} instructions in the files up to {}; trace "
                                       "fewer SIMDs (--att-simd-select)",
                                       thread_trace_step_limit, name),
                           folder.string()};
        trace.waves.push_back(std::move(wave).value());
    }
    return trace;
}

} // namespace warpbound::harness::trace
