#include "harness/campaign/campaign_database.hpp"

#include "harness/campaign/anomaly_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

namespace warpbound::harness {

namespace {

constexpr int application_id = 0x77627631; // "wbv1": distinguishes a campaign from other databases
constexpr std::int64_t schema_version = 4;
constexpr std::int64_t oldest_schema_version = 3;
constexpr int busy_milliseconds = 30'000;
/// Longest text or run that is read. `Unit:` bytes.
constexpr int longest_value = 256 << 20;

constexpr std::string_view schema = R"(
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, device TEXT NOT NULL, device_detail TEXT NOT NULL, protocol TEXT NOT NULL,
  kernel_digest TEXT NOT NULL, facts_digest TEXT NOT NULL, launch TEXT NOT NULL, quantity TEXT NOT NULL,
  runs_digest TEXT NOT NULL, conditions_digest TEXT NOT NULL,
  UNIQUE (name, device, device_detail, protocol, kernel_digest, facts_digest, launch, quantity)
);
CREATE TABLE sample (
  series INTEGER NOT NULL REFERENCES series (id),
  run INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  times BLOB NOT NULL,
  anomaly TEXT, remark TEXT, -- of a run without any: neither
  PRIMARY KEY (series, run)
) WITHOUT ROWID;
CREATE TABLE condition (
  series INTEGER NOT NULL REFERENCES series (id),
  first_run INTEGER NOT NULL,
  name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (series, first_run, name)
) WITHOUT ROWID;
)";

struct Setting {
    int name;
    int value;
};
/// A file from elsewhere may hold views, triggers and expressions of its own: none is executed.
constexpr std::array<Setting, 4> defences{{{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                           {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                           {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                           {SQLITE_DBCONFIG_ENABLE_VIEW, 0}}};

/// A table, index, view or trigger of a database.
struct SchemaObject {
    std::string type;
    std::string name;
    std::string sql;

    friend bool operator==(const SchemaObject&, const SchemaObject&) = default;
};

std::string schema_of(std::int64_t version) {
    constexpr std::string_view column = "anomaly";
    std::string text{schema};
    return text.replace(text.find(column), column.size(), anomaly_field(version));
}

/// Empty if they cannot be read.
std::optional<std::vector<SchemaObject>> objects_of(sqlite3* database) {
    Statement select{database, "SELECT type, name, sql FROM sqlite_schema ORDER BY name, type"};
    if (!select.usable()) return std::nullopt;
    std::vector<SchemaObject> objects;
    int answer = SQLITE_ROW;
    while ((answer = select.step()) == SQLITE_ROW)
        objects.push_back({select.text(0), select.text(1), select.text(2)});
    return answer == SQLITE_DONE ? std::optional{std::move(objects)} : std::nullopt;
}

/// The objects of a campaign of that version.
std::vector<SchemaObject> objects_of_a_campaign(std::int64_t version) {
    sqlite3* database = nullptr;
    std::vector<SchemaObject> objects;
    if (sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
        sqlite3_exec(database, schema_of(version).c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
        objects = objects_of(database).value_or(objects);
    sqlite3_close(database);
    return objects;
}

/// What is in `found` and not in `expected`, or the other way round; empty if they are equal.
std::string foreign_object(const std::vector<SchemaObject>& found,
                           const std::vector<SchemaObject>& expected) {
    for (const auto& object : found) {
        if (std::ranges::find(expected, object) != expected.end()) continue;
        const bool known =
            std::ranges::find(expected, object.name, &SchemaObject::name) != expected.end();
        return fmt::format("holds the {} '{}' {}", object.type, object.name,
                           known ? "with another definition" : "of another program");
    }
    for (const auto& object : expected)
        if (std::ranges::find(found, object) == found.end())
            return fmt::format("lacks the {} '{}'", object.type, object.name);
    return {};
}

} // namespace

Result<void> CampaignDatabase::open_to_record() {
    if (auto opened = connect(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); !opened) return opened;
    if (sqlite3_db_readonly(database_, "main") == 1) return write_protected();
    // Rollback journal and full synchronisation: committed data is on the disk, and one file holds
    // everything.
    if (!execute("PRAGMA synchronous = FULL") || !execute("PRAGMA foreign_keys = ON") ||
        !execute("BEGIN IMMEDIATE"))
        return unreadable();
    const auto made = make_or_check();
    if (made && made.value() && !execute("COMMIT")) {
        Failure failure = refuse("cannot be made");
        execute("ROLLBACK");
        return failure;
    }
    if (!made || !made.value()) execute("ROLLBACK");
    if (!made) return made.as_failure();
    return boost::outcome_v2::success();
}

Result<void> CampaignDatabase::open_to_read() {
    if (auto opened = connect(SQLITE_OPEN_READWRITE); !opened) return opened;
    const auto found = marks();
    if (!found) return unreadable();
    if (auto checked = check(*found); !checked) return checked;
    if (!execute("PRAGMA query_only = ON")) return refuse("cannot be opened");
    return boost::outcome_v2::success();
}

Result<void> CampaignDatabase::in_transaction(const char* what,
                                              const std::function<Result<void>()>& work) {
    if (sqlite3_get_autocommit(database_) == 0) return work();
    if (!execute("BEGIN IMMEDIATE")) return refuse("cannot begin to record");
    Result<void> done = work();
    if (done && !execute("COMMIT")) done = refuse(what);
    if (!done) execute("ROLLBACK");
    return done;
}

Result<void> CampaignDatabase::in_snapshot(const std::function<Result<void>()>& work) {
    if (sqlite3_get_autocommit(database_) == 0) return work();
    if (!execute("BEGIN")) return refuse("cannot be read");
    Result<void> done = work();
    execute("ROLLBACK"); // Nothing was written.
    return done;
}

Failure CampaignDatabase::refuse(const std::string& what) const {
    if ((sqlite3_extended_errcode(database_) & 0xff) == SQLITE_BUSY)
        return Failure{fmt::format("{}: another process kept it locked for {} s", what,
                                   busy_milliseconds / 1000),
                       name_};
    return Failure{fmt::format("{} ({})", what, sqlite3_errmsg(database_)), name_};
}

bool open_defended(const std::string& file, int flags, sqlite3*& database) {
    // Use the absolute path: SQLite then gives no file name a special meaning.
    std::error_code failed;
    const auto path = std::filesystem::absolute(file, failed);
    if (failed || sqlite3_open_v2(path.c_str(), &database, flags, nullptr) != SQLITE_OK)
        return false;
    for (const auto& [name, value] : defences)
        if (sqlite3_db_config(database, name, value, nullptr) != SQLITE_OK) return false;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_value);
    return true;
}

Result<void> CampaignDatabase::connect(int flags) {
    if (!open_defended(name_, flags, database_)) return refuse("cannot be opened safely");
    sqlite3_busy_timeout(database_, busy_milliseconds);
    return boost::outcome_v2::success();
}

const char* CampaignDatabase::anomaly_column() const {
    return anomaly_field(version_);
}

bool CampaignDatabase::execute(const char* sql) {
    return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::optional<std::int64_t> CampaignDatabase::count(const char* sql) {
    Statement select{database_, sql};
    if (!select.usable() || select.step() != SQLITE_ROW) return std::nullopt;
    return select.integer(0);
}

std::optional<CampaignDatabase::Marks> CampaignDatabase::marks() {
    const auto id = count("PRAGMA application_id");
    if (!id) return std::nullopt;
    const auto version = count("PRAGMA user_version");
    if (!version) return std::nullopt;
    const auto tables = count("SELECT count(*) FROM sqlite_master");
    if (!tables) return std::nullopt;
    return Marks{*id, *version, *tables};
}

Result<void> CampaignDatabase::check(const Marks& found) {
    if (found.id == 0 && found.tables == 0)
        return Failure{"is empty: nothing was ever recorded", name_};
    if (found.id != application_id) return Failure{"is a database, but no campaign", name_};
    if (found.version < oldest_schema_version || found.version > schema_version)
        return Failure{
            fmt::format("is a campaign of schema version {}; this program knows versions {} and {} "
                        "(the program that made it writes it as text with `campaign export`; "
                        "`campaign import` reads that)",
                        found.version, oldest_schema_version, schema_version),
            name_};
    version_ = found.version;
    const auto objects = objects_of(database_);
    if (!objects) return unreadable();
    if (const auto foreign = foreign_object(*objects, objects_of_a_campaign(version_));
        !foreign.empty())
        return Failure{fmt::format("is no campaign as this program makes it: it {}; expected the "
                                   "tables series, sample and condition alone",
                                   foreign),
                       name_};
    return boost::outcome_v2::success();
}

Result<bool> CampaignDatabase::make_or_check() {
    const auto found = marks();
    if (!found) return unreadable();
    const bool empty = found->id == 0 && found->version == 0 && found->tables == 0;
    if (empty) {
        if (!execute(schema_of(schema_version).c_str())) return not_written();
        version_ = schema_version;
    } else if (const auto checked = check(*found); !checked) {
        return checked.as_failure();
    }
    // For an existing campaign this changes nothing, but it opens the journal.
    const std::string same = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                         application_id, version_);
    if (!execute(same.c_str())) return not_written();
    return empty;
}

Failure CampaignDatabase::write_protected() const {
    return Failure{"is write-protected, or its folder is; a campaign to record in must be "
                   "writable",
                   name_};
}

Failure CampaignDatabase::not_written() const {
    const int error = sqlite3_extended_errcode(database_) & 0xff;
    if (error == SQLITE_READONLY || error == SQLITE_CANTOPEN || error == SQLITE_PERM)
        return write_protected();
    return refuse("cannot be written");
}

Failure CampaignDatabase::unreadable() const {
    const int error = sqlite3_extended_errcode(database_);
    const int primary = error & 0xff;
    const std::filesystem::path journal =
        sqlite3_filename_journal(sqlite3_db_filename(database_, "main"));
    std::error_code ignored;
    const bool not_rolled_back =
        error == SQLITE_READONLY_ROLLBACK || error == SQLITE_READONLY_RECOVERY ||
        error == SQLITE_READONLY_CANTINIT ||
        ((primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR) &&
         std::filesystem::exists(journal, ignored));
    if (not_rolled_back)
        return Failure{fmt::format("was left by a killed writer, and its unfinished transaction "
                                   "cannot be rolled back here ({}); make the file and "
                                   "its folder writable, or copy it with {}",
                                   sqlite3_errmsg(database_), journal.filename().string()),
                       name_};
    if (primary == SQLITE_BUSY) return refuse("cannot be opened");
    return refuse("is no campaign or is damaged; a campaign database was expected");
}

Result<void> check_campaign_name(const std::filesystem::path& file) {
    const std::string name = file.string();
    if (name.empty()) return Failure{"a campaign is a file; its name is empty", "campaign"};
    // SQLite interprets a leading colon and the scheme "file:": a campaign of such a name would not
    // outlive the process.
    const std::size_t scheme = name.find("://");
    const bool uri = name.rfind("file:", 0) == 0 ||
                     (scheme != std::string::npos && name.find('/') == scheme + 1);
    if (name.front() == ':' || uri || name.find('\0') != std::string::npos)
        return Failure{"a campaign is a file; this is no file's name (./ in front makes it one)",
                       name};
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::is_directory(status))
        return Failure{"a campaign file was expected, this is a folder", name};
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Failure{"a campaign file was expected, this is a device or a pipe", name};
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness
