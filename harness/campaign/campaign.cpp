#include "harness/campaign/campaign.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstring>
#include <utility>

namespace warpbound::harness {

namespace {

constexpr int application_id = 0x77627631; // "wbv1": tells a campaign from other databases
constexpr int schema_version = 1;
constexpr int busy_milliseconds = 5000;

constexpr const char* schema = R"(
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, device TEXT NOT NULL, device_detail TEXT NOT NULL, protocol TEXT NOT NULL,
  kernel_digest TEXT NOT NULL, facts_digest TEXT NOT NULL, launch TEXT NOT NULL, quantity TEXT NOT NULL,
  UNIQUE (name, device, device_detail, protocol, kernel_digest, facts_digest, launch, quantity)
);
CREATE TABLE sample (
  series INTEGER NOT NULL REFERENCES series (id),
  run INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  times BLOB NOT NULL,
  PRIMARY KEY (series, run)
) WITHOUT ROWID;
)";

/// A prepared statement; finalised when it goes.
class Statement {
public:
    Statement(sqlite3* database, const char* sql) {
        if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK)
            statement_ = nullptr;
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    [[nodiscard]] bool usable() const { return statement_ != nullptr; }
    void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
    void bind(int index, const std::string& value) {
        sqlite3_bind_text(statement_, index, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT);
    }
    void bind_blob(int index, const std::string& bytes) {
        sqlite3_bind_blob(statement_, index, bytes.data(), static_cast<int>(bytes.size()),
                          SQLITE_TRANSIENT);
    }
    int step() { return sqlite3_step(statement_); }
    void reset() { sqlite3_reset(statement_); }
    [[nodiscard]] std::int64_t integer(int column) const {
        return sqlite3_column_int64(statement_, column);
    }
    [[nodiscard]] std::string text(int column) const {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return bytes == nullptr ? std::string{} : std::string{bytes, size};
    }

private:
    sqlite3_stmt* statement_ = nullptr;
};

/// Times as little-endian 64-bit words.
std::string encode(const std::vector<std::int64_t>& times) {
    std::string bytes;
    bytes.reserve(times.size() * 8);
    for (const std::int64_t time : times)
        for (unsigned byte = 0; byte < 8; ++byte)
            bytes += static_cast<char>((static_cast<std::uint64_t>(time) >> (8U * byte)) & 0xffU);
    return bytes;
}

std::optional<std::vector<std::int64_t>> decode(const std::string& bytes) {
    if (bytes.size() % 8 != 0) return std::nullopt;
    std::vector<std::int64_t> times(bytes.size() / 8);
    for (std::size_t i = 0; i < times.size(); ++i) {
        std::uint64_t value = 0;
        for (unsigned byte = 0; byte < 8; ++byte)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[8 * i + byte]))
                     << (8U * byte);
        times[i] = static_cast<std::int64_t>(value);
    }
    return times;
}

class SqliteCampaign final : public Campaign {
public:
    explicit SqliteCampaign(std::string name) : name_{std::move(name)} {}
    ~SqliteCampaign() override { sqlite3_close(database_); }
    SqliteCampaign(const SqliteCampaign&) = delete;
    SqliteCampaign& operator=(const SqliteCampaign&) = delete;

    Result<void> open(int flags) {
        if (sqlite3_open_v2(name_.c_str(), &database_, flags, nullptr) != SQLITE_OK)
            return refuse("cannot be opened");
        sqlite3_busy_timeout(database_, busy_milliseconds);
        return boost::outcome_v2::success();
    }

    /// Makes the tables in an empty file, or checks that the file is a campaign of this version.
    Result<void> check(bool create) {
        const auto id = pragma("application_id");
        const auto version = pragma("user_version");
        const auto tables = count("SELECT count(*) FROM sqlite_master");
        if (!id || !version || !tables)
            return refuse("is no campaign or is damaged; a campaign database was expected");
        if (create && *id == 0 && *version == 0 && *tables == 0) return make();
        if (*id != application_id) return refuse("is a database, but no campaign");
        if (*version != schema_version)
            return Failure{
                fmt::format("is a campaign of schema version {}; this program knows version {}",
                            *version, schema_version),
                name_};
        const auto known =
            count("SELECT count(*) FROM sqlite_master WHERE name IN ('series', 'sample')");
        if (!known || *known != 2) return refuse("is damaged: its tables are missing");
        return durable();
    }

    Result<SeriesInfo> series(const SeriesKey& key) override {
        if (auto found = find(key); !found || found.value().id != 0) return found;
        Statement insert{database_, "INSERT INTO series (name, device, device_detail, protocol, "
                                    "kernel_digest, facts_digest, "
                                    "launch, quantity) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
        if (!insert.usable()) return refuse("cannot record a series");
        bind_key(insert, key);
        if (insert.step() != SQLITE_DONE) return refuse("cannot record a series");
        return find(key);
    }

    Result<void> append(std::int64_t series, const std::vector<Sample>& samples) override {
        if (samples.empty()) return boost::outcome_v2::success();
        if (!execute("BEGIN IMMEDIATE")) return refuse("cannot begin to record");
        if (auto inserted = insert(series, samples); !inserted) {
            execute("ROLLBACK");
            return inserted;
        }
        if (execute("COMMIT")) return boost::outcome_v2::success();
        const Failure failure = refuse("cannot record");
        execute("ROLLBACK");
        return failure;
    }

    Result<std::vector<SeriesInfo>> list() override {
        Statement select{
            database_,
            "SELECT s.id, s.name, s.device, s.device_detail, s.protocol, s.kernel_digest, "
            "s.facts_digest, s.launch, s.quantity, (SELECT count(*) FROM sample WHERE series = "
            "s.id) "
            "FROM series s ORDER BY s.id"};
        if (!select.usable()) return refuse("cannot be read");
        std::vector<SeriesInfo> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            SeriesInfo info;
            info.id = select.integer(0);
            info.key = {select.text(1), select.text(2), select.text(3), select.text(4),
                        select.text(5), select.text(6), select.text(7), select.text(8)};
            info.runs = select.integer(9);
            all.push_back(std::move(info));
        }
        if (answer != SQLITE_DONE) return refuse("is damaged");
        return all;
    }

    Result<std::vector<Sample>> samples(std::int64_t series) override {
        Statement select{database_,
                         "SELECT run, seed, times FROM sample WHERE series = ? ORDER BY run"};
        if (!select.usable()) return refuse("cannot be read");
        select.bind(1, series);
        std::vector<Sample> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            auto times = decode(select.text(2));
            if (!times || select.integer(0) != static_cast<std::int64_t>(all.size()))
                return refuse("is damaged: its samples are not complete");
            all.push_back({select.integer(0), static_cast<std::uint64_t>(select.integer(1)),
                           std::move(*times)});
        }
        if (answer != SQLITE_DONE) return refuse("is damaged");
        return all;
    }

private:
    Failure refuse(const std::string& what) const {
        return Failure{fmt::format("{} ({})", what, sqlite3_errmsg(database_)), name_};
    }

    bool execute(const char* sql) {
        return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    std::optional<std::int64_t> count(const char* sql) {
        Statement select{database_, sql};
        if (!select.usable() || select.step() != SQLITE_ROW) return std::nullopt;
        return select.integer(0);
    }
    std::optional<std::int64_t> pragma(const std::string& name) {
        return count(("PRAGMA " + name).c_str());
    }

    /// A rollback journal and full synchronisation: what COMMIT reported is on the disk, and one
    /// file holds everything.
    Result<void> durable() {
        if (!execute("PRAGMA synchronous = FULL") || !execute("PRAGMA foreign_keys = ON"))
            return refuse("cannot be opened");
        return boost::outcome_v2::success();
    }

    Result<void> make() {
        const std::string marks =
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id,
                        schema_version);
        if (!execute("BEGIN IMMEDIATE") || !execute(schema) || !execute(marks.c_str()) ||
            !execute("COMMIT"))
            return refuse("cannot be made");
        return durable();
    }

    static void bind_key(Statement& statement, const SeriesKey& key) {
        const std::array<const std::string*, 8> fields{
            &key.name,          &key.device,       &key.device_detail, &key.protocol,
            &key.kernel_digest, &key.facts_digest, &key.launch,        &key.quantity};
        for (std::size_t i = 0; i < fields.size(); ++i)
            statement.bind(static_cast<int>(i) + 1, *fields[i]);
    }

    /// Id 0 when there is none.
    Result<SeriesInfo> find(const SeriesKey& key) {
        Statement select{
            database_,
            "SELECT id, (SELECT count(*) FROM sample WHERE series = id) FROM series WHERE name = ? "
            "AND "
            "device = ? AND device_detail = ? AND protocol = ? AND kernel_digest = ? AND "
            "facts_digest = ? AND launch = ? AND quantity = ?"};
        if (!select.usable()) return refuse("cannot be read");
        bind_key(select, key);
        const int answer = select.step();
        if (answer == SQLITE_ROW) return SeriesInfo{select.integer(0), key, select.integer(1)};
        if (answer != SQLITE_DONE) return refuse("cannot be read");
        return SeriesInfo{0, key, 0};
    }

    Result<void> insert(std::int64_t series, const std::vector<Sample>& samples) {
        Statement recorded{database_, "SELECT count(*) FROM sample WHERE series = ?"};
        if (!recorded.usable()) return refuse("cannot be read");
        recorded.bind(1, series);
        if (recorded.step() != SQLITE_ROW) return refuse("cannot be read");
        std::int64_t expected = recorded.integer(0);
        Statement insert{database_,
                         "INSERT INTO sample (series, run, seed, times) VALUES (?, ?, ?, ?)"};
        if (!insert.usable()) return refuse("cannot record");
        for (const Sample& sample : samples) {
            if (sample.run != expected)
                return Failure{fmt::format("run {} was expected next, not {} (is another process "
                                           "recording the same series?)",
                                           expected, sample.run),
                               name_};
            ++expected;
            insert.reset();
            insert.bind(1, series);
            insert.bind(2, sample.run);
            insert.bind(3, static_cast<std::int64_t>(sample.seed));
            insert.bind_blob(4, encode(sample.times));
            if (insert.step() != SQLITE_DONE) return refuse("cannot record");
        }
        return boost::outcome_v2::success();
    }

    std::string name_;
    sqlite3* database_ = nullptr;
};

Result<std::unique_ptr<Campaign>> open_campaign(const std::filesystem::path& file, int flags,
                                                bool create) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return Failure{"a campaign file was expected, this is a folder", file.string()};
    if (!create && !std::filesystem::exists(file, ignored))
        return Failure{"there is no such campaign", file.string()};
    auto campaign = std::make_unique<SqliteCampaign>(file.string());
    if (auto opened = campaign->open(flags); !opened) return opened.as_failure();
    if (auto checked = campaign->check(create); !checked) return checked.as_failure();
    return std::unique_ptr<Campaign>{std::move(campaign)};
}

} // namespace

Result<std::unique_ptr<Campaign>> Campaign::open(const std::filesystem::path& file) {
    return open_campaign(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, true);
}

Result<std::unique_ptr<Campaign>> Campaign::open_existing(const std::filesystem::path& file) {
    return open_campaign(file, SQLITE_OPEN_READONLY, false);
}

} // namespace warpbound::harness
