/// \file
/// The SQLite files of Nsight Systems.
#include "harness/campaign/campaign_database.hpp"
#include "harness/profiles/readers.hpp"
#include "harness/profiles/series_by_launch.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

namespace warpbound::harness::profiles {

namespace {

class NsightDatabase {
public:
    explicit NsightDatabase(std::string path) : path_{std::move(path)} {}
    ~NsightDatabase() { sqlite3_close(database_); }
    NsightDatabase(const NsightDatabase&) = delete;
    NsightDatabase& operator=(const NsightDatabase&) = delete;

    Result<Profile> read() {
        if (!open_defended(path_, SQLITE_OPEN_READONLY, database_))
            return refuse("cannot be opened safely");
        if (columns_of("CUPTI_ACTIVITY_KIND_KERNEL").empty() &&
            columns_of("CUPTI_ACTIVITY_KIND_MEMCPY").empty())
            return refuse("is no export of Nsight Systems with kernels or copies; `nsys profile "
                          "--trace=cuda` records them, `nsys export --type sqlite` writes them");
        if (auto read = read_names(); !read) return read.as_failure();
        if (auto read = read_kernels(); !read) return read.as_failure();
        if (auto read = read_copies(); !read) return read.as_failure();
        Profile profile;
        profile.profiler = profiler();
        profile.series = series_in_order(std::move(runs_));
        return profile;
    }

private:
    [[nodiscard]] Failure refuse(const std::string& what) const {
        const char* const reason = sqlite3_errmsg(database_);
        const bool failed = sqlite3_errcode(database_) % 256 != SQLITE_OK &&
                            sqlite3_errcode(database_) != SQLITE_DONE &&
                            sqlite3_errcode(database_) != SQLITE_ROW;
        return Failure{failed ? fmt::format("{} ({})", what, reason) : what, path_};
    }

    /// Empty: no such table.
    std::set<std::string> columns_of(const std::string& table) {
        std::set<std::string> names;
        Statement statement{database_, "SELECT name FROM pragma_table_info('" + table + "')"};
        while (statement.usable() && statement.step() == SQLITE_ROW)
            names.insert(statement.text(0));
        return names;
    }

    /// Calls `row` for each row. Refuses a query that fails, on the first or on a later row.
    template <typename Row> Result<void> each(const std::string& sql, const Row& row) {
        Statement statement{database_, sql};
        if (!statement.usable()) return refuse("is not as Nsight Systems writes it");
        for (;;) {
            const int step = statement.step();
            if (step == SQLITE_DONE) return boost::outcome_v2::success();
            if (step != SQLITE_ROW) return refuse("is damaged");
            if (auto done = row(statement); !done) return done;
        }
    }

    Result<void> read_names() {
        const auto devices = columns_of("TARGET_INFO_GPU");
        if (devices.count("id") != 0 && devices.count("name") != 0)
            if (auto read = each("SELECT id, name FROM TARGET_INFO_GPU ORDER BY id",
                                 [&](const Statement& row) -> Result<void> {
                                     devices_[row.integer(0)] = row.text(1);
                                     return boost::outcome_v2::success();
                                 });
                !read)
                return read;
        if (columns_of("StringIds").empty()) return refuse("has no table StringIds");
        return each("SELECT id, value FROM StringIds", [&](const Statement& row) -> Result<void> {
            texts_[row.integer(0)] = row.text(1);
            return boost::outcome_v2::success();
        });
    }

    /// The name of the only GPU, or of that with this number.
    [[nodiscard]] std::string device(std::int64_t number) const {
        if (devices_.size() == 1) return devices_.begin()->second;
        const auto known = devices_.find(number);
        return known == devices_.end() ? fmt::format("GPU {}", number)
                                       : fmt::format("{} ({})", known->second, number);
    }

    Result<StartedRun> run_of(std::int64_t start, std::int64_t end, const std::string& what,
                              std::int64_t row) const {
        if (start < 0 || end < start || end - start > longest_run)
            return Failure{
                fmt::format("{} {} ends at {} ns, having started at {} ns", what, row, end, start),
                path_};
        StartedRun run;
        run.start = start;
        run.time = end - start;
        return run;
    }

    Result<void> read_kernels() {
        const auto columns = columns_of("CUPTI_ACTIVITY_KIND_KERNEL");
        if (columns.empty()) return boost::outcome_v2::success();
        const std::string mangled = columns.count("mangledName") != 0 ? "mangledName" : "NULL";
        return each(
            "SELECT rowid, start, \"end\", deviceId, gridX, gridY, gridZ, blockX, blockY, blockZ, "
            "staticSharedMemory, dynamicSharedMemory, demangledName, " +
                mangled + " FROM CUPTI_ACTIVITY_KIND_KERNEL",
            [&](const Statement& row) -> Result<void> {
                auto run = run_of(row.integer(1), row.integer(2), "kernel", row.integer(0));
                if (!run) return run.as_failure();
                const auto name = texts_.find(row.integer(12));
                if (name == texts_.end() || name->second.empty())
                    return Failure{fmt::format("kernel {} has no name", row.integer(0)), path_};
                auto& series = run.value().series;
                series.name = name->second;
                if (const auto symbol = texts_.find(row.integer(13)); symbol != texts_.end())
                    series.mangled = symbol->second;
                const std::int64_t dynamic = row.integer(11);
                series.launch = launch_text({row.integer(4), row.integer(5), row.integer(6)},
                                            {row.integer(7), row.integer(8), row.integer(9)},
                                            dynamic > 0 ? row.integer(10) + dynamic : 0);
                series.device = device(row.integer(3));
                runs_.push_back(std::move(run).value());
                return boost::outcome_v2::success();
            });
    }

    Result<void> read_copies() {
        if (columns_of("CUPTI_ACTIVITY_KIND_MEMCPY").empty()) return boost::outcome_v2::success();
        return each("SELECT rowid, start, \"end\", deviceId, copyKind, bytes FROM "
                    "CUPTI_ACTIVITY_KIND_MEMCPY",
                    [&](const Statement& row) -> Result<void> {
                        auto run = run_of(row.integer(1), row.integer(2), "copy", row.integer(0));
                        if (!run) return run.as_failure();
                        run.value().series.name = fmt::format(
                            "copy {}, {} bytes", direction(row.integer(4)), row.integer(5));
                        run.value().series.device = device(row.integer(3));
                        runs_.push_back(std::move(run).value());
                        return boost::outcome_v2::success();
                    });
    }

    /// `Source:` CUPTI, CUpti_ActivityMemcpyKind.
    static std::string direction(std::int64_t kind) {
        switch (kind) {
        case 1:
            return "host to device";
        case 2:
            return "device to host";
        case 8:
            return "device to device";
        case 9:
            return "host to host";
        case 10:
            return "peer to peer";
        default:
            return fmt::format("of kind {}", kind);
        }
    }

    std::string profiler() {
        std::string version;
        const auto columns = columns_of("META_DATA_EXPORT");
        if (columns.count("name") != 0 && columns.count("value") != 0) {
            Statement row{
                database_,
                "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'"};
            if (row.usable() && row.step() == SQLITE_ROW) version = row.text(0);
        }
        return version.empty() ? "Nsight Systems" : "Nsight Systems " + version;
    }

    std::string path_;
    sqlite3* database_ = nullptr;
    std::map<std::int64_t, std::string> texts_;
    std::map<std::int64_t, std::string> devices_;
    std::vector<StartedRun> runs_;
};

} // namespace

Result<Profile> read_nsight_systems(const std::string& path) {
    return NsightDatabase{path}.read();
}

} // namespace warpbound::harness::profiles
