#include "harness/campaign/campaign.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <string_view>
#include <utility>

namespace warpbound::harness {

namespace {

constexpr int application_id = 0x77627631; // "wbv1": tells a campaign from other databases
constexpr int schema_version = 2;
constexpr int busy_milliseconds = 30'000;

/// Number of runs of series `s`: one descent in the table's tree, however many there are. Runs are
/// recorded without gaps (see `insert`), and reading them checks it.
constexpr std::string_view runs_of_s =
    "ifnull((SELECT run + 1 FROM sample WHERE series = s.id ORDER BY run DESC LIMIT 1), 0)";

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
  trouble TEXT, remark TEXT, -- of a run without any: neither
  PRIMARY KEY (series, run)
) WITHOUT ROWID;
CREATE TABLE condition (
  series INTEGER NOT NULL REFERENCES series (id),
  first_run INTEGER NOT NULL,
  name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (series, first_run, name)
) WITHOUT ROWID;
)";

/// A prepared statement; finalised when it goes.
class Statement {
public:
    Statement(sqlite3* database, const std::string& sql) {
        if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
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
    void bind_nothing(int index) { sqlite3_bind_null(statement_, index); }
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

    /// Opens for writing: makes the tables in an empty file, or checks that the file is a campaign
    /// of this version. All in one transaction that also proves that the file and its journal can
    /// be written, so that processes that open a new campaign at once take turns.
    Result<void> open_to_record() {
        if (auto opened = connect(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); !opened)
            return opened;
        if (sqlite3_db_readonly(database_, "main") == 1) return write_protected();
        // A rollback journal and full synchronisation: what COMMIT reported is on the disk, and one
        // file holds everything.
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

    /// Opens for reading. The connection may write, because only such a connection can undo the
    /// transaction of a writer that was killed; nothing else is written.
    Result<void> open_to_read() {
        if (auto opened = connect(SQLITE_OPEN_READWRITE); !opened) return opened;
        const auto found = marks();
        if (!found) return unreadable();
        if (auto checked = check(*found); !checked) return checked;
        if (!execute("PRAGMA query_only = ON")) return refuse("cannot be opened");
        return boost::outcome_v2::success();
    }

    Result<SeriesInfo> series(const SeriesKey& key) override {
        if (auto found = find(key); !found || found.value().id != 0) return found;
        // Another process may record the same series between the search and the insertion.
        Statement insert{database_, "INSERT INTO series (name, device, device_detail, protocol, "
                                    "kernel_digest, facts_digest, launch, quantity) "
                                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"};
        if (!insert.usable()) return refuse("cannot record a series");
        bind_key(insert, key);
        if (insert.step() != SQLITE_DONE) return refuse("cannot record a series");
        return find(key);
    }

    Result<void> append(std::int64_t series, const std::vector<Sample>& samples) override {
        if (samples.empty()) return boost::outcome_v2::success();
        return in_transaction("cannot record", [&] { return insert(series, samples); });
    }

    Result<void> note_conditions(std::int64_t series, std::int64_t first_run,
                                 const Conditions& conditions) override {
        if (conditions.empty()) return boost::outcome_v2::success();
        return in_transaction("cannot record conditions", [&]() -> Result<void> {
            const auto recorded = runs_of(series);
            if (!recorded) return recorded.as_failure();
            if (recorded.value() > first_run)
                return Failure{fmt::format("run {} is recorded already; its conditions cannot be "
                                           "changed (is another process recording the same "
                                           "series?)",
                                           first_run),
                               name_};
            if (insert_conditions(series, first_run, conditions))
                return boost::outcome_v2::success();
            return refuse("cannot record conditions");
        });
    }

    Result<void> together(const std::function<Result<void>()>& work) override {
        return in_transaction("cannot record", work);
    }

    Result<std::vector<RecordedConditions>> conditions(std::int64_t series) override {
        Statement select{database_, "SELECT first_run, name, value FROM condition WHERE series = ? "
                                    "ORDER BY first_run, name"};
        if (!select.usable()) return refuse("cannot be read");
        select.bind(1, series);
        std::vector<RecordedConditions> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            const std::int64_t first_run = select.integer(0);
            if (all.empty() || all.back().first_run != first_run) all.push_back({first_run, {}});
            all.back().conditions.emplace_back(select.text(1), select.text(2));
        }
        if (answer != SQLITE_DONE) return refuse("is damaged");
        return all;
    }

    Result<std::vector<SeriesInfo>> list() override {
        Statement select{database_,
                         fmt::format("SELECT s.id, s.name, s.device, s.device_detail, s.protocol, "
                                     "s.kernel_digest, s.facts_digest, s.launch, s.quantity, {} "
                                     "FROM series s ORDER BY s.id",
                                     runs_of_s)};
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
                         "SELECT run, seed, times, ifnull(trouble, 'none'), remark FROM sample "
                         "WHERE series = ? ORDER BY run"};
        if (!select.usable()) return refuse("cannot be read");
        select.bind(1, series);
        std::vector<Sample> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            auto times = decode(select.text(2));
            const auto trouble = parse_trouble(select.text(3));
            if (!times || !trouble || select.integer(0) != static_cast<std::int64_t>(all.size()))
                return refuse("is damaged: its samples are not complete");
            all.push_back({select.integer(0), static_cast<std::uint64_t>(select.integer(1)),
                           std::move(*times), Remark{*trouble, select.text(4)}});
            if (const auto wrong = contradiction_in(all.back()); !wrong.empty())
                return Failure{"is damaged: " + wrong, name_};
        }
        if (answer != SQLITE_DONE) return refuse("is damaged");
        return all;
    }

private:
    Failure refuse(const std::string& what) const {
        if ((sqlite3_extended_errcode(database_) & 0xff) == SQLITE_BUSY)
            return Failure{fmt::format("{}: another process kept it locked for {} s", what,
                                       busy_milliseconds / 1000),
                           name_};
        return Failure{fmt::format("{} ({})", what, sqlite3_errmsg(database_)), name_};
    }

    Failure write_protected() const {
        return Failure{"is write-protected, or its folder is; a campaign to record in must be "
                       "writable",
                       name_};
    }

    /// Why the first access to the file failed.
    Failure unreadable() const {
        const int error = sqlite3_extended_errcode(database_);
        const int kind = error & 0xff;
        const std::filesystem::path journal =
            sqlite3_filename_journal(sqlite3_db_filename(database_, "main"));
        std::error_code ignored;
        const bool not_undone =
            error == SQLITE_READONLY_ROLLBACK || error == SQLITE_READONLY_RECOVERY ||
            error == SQLITE_READONLY_CANTINIT ||
            ((kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR) &&
             std::filesystem::exists(journal, ignored));
        if (not_undone)
            return Failure{fmt::format("was left by a writer that was killed, and what it left "
                                       "unfinished cannot be undone here ({}); make the file and "
                                       "its folder writable, or copy it together with {}",
                                       sqlite3_errmsg(database_), journal.filename().string()),
                           name_};
        if (kind == SQLITE_BUSY) return refuse("cannot be opened");
        return refuse("is no campaign or is damaged; a campaign database was expected");
    }

    Result<void> connect(int flags) {
        // The absolute name: no name of a file has a meaning of its own then.
        std::error_code failed;
        const auto path = std::filesystem::absolute(name_, failed);
        if (failed || sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK)
            return refuse("cannot be opened");
        sqlite3_busy_timeout(database_, busy_milliseconds);
        return boost::outcome_v2::success();
    }

    /// `work` inside a transaction: its own, or the one that there is, which ends with its failure
    /// too.
    Result<void> in_transaction(const char* what, const std::function<Result<void>()>& work) {
        if (sqlite3_get_autocommit(database_) == 0) return work();
        if (!execute("BEGIN IMMEDIATE")) return refuse("cannot begin to record");
        Result<void> done = work();
        if (done && !execute("COMMIT")) done = refuse(what);
        if (!done) execute("ROLLBACK");
        return done;
    }

    bool execute(const char* sql) {
        return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    std::optional<std::int64_t> count(const char* sql) {
        Statement select{database_, sql};
        if (!select.usable() || select.step() != SQLITE_ROW) return std::nullopt;
        return select.integer(0);
    }

    /// Inside a transaction. Whether it made the tables.
    Result<bool> make_or_check() {
        const auto found = marks();
        if (!found) return unreadable();
        const bool empty = found->id == 0 && found->version == 0 && found->tables == 0;
        if (empty) {
            if (!execute(schema)) return not_written();
        } else if (const auto checked = check(*found); !checked) {
            return checked.as_failure();
        }
        // For a campaign that exists this changes nothing, but it opens the journal.
        const std::string same =
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id,
                        schema_version);
        if (!execute(same.c_str())) return not_written();
        return empty;
    }

    Failure not_written() const {
        const int error = sqlite3_extended_errcode(database_) & 0xff;
        if (error == SQLITE_READONLY || error == SQLITE_CANTOPEN || error == SQLITE_PERM)
            return write_protected();
        return refuse("cannot be written");
    }

    /// What tells a campaign from another file.
    struct Marks {
        std::int64_t id = 0;
        std::int64_t version = 0;
        std::int64_t tables = 0;
    };
    /// Nothing when the file cannot be read; the error is then that of the connection.
    std::optional<Marks> marks() {
        const auto id = count("PRAGMA application_id");
        if (!id) return std::nullopt;
        const auto version = count("PRAGMA user_version");
        if (!version) return std::nullopt;
        const auto tables = count("SELECT count(*) FROM sqlite_master");
        if (!tables) return std::nullopt;
        return Marks{*id, *version, *tables};
    }

    /// Whether the file is a campaign of this version.
    Result<void> check(const Marks& found) {
        if (found.id == 0 && found.tables == 0)
            return Failure{"is empty: nothing was ever recorded", name_};
        if (found.id != application_id) return Failure{"is a database, but no campaign", name_};
        if (found.version != schema_version)
            return Failure{
                fmt::format("is a campaign of schema version {}; this program knows version {}",
                            found.version, schema_version),
                name_};
        const auto known = count("SELECT count(*) FROM sqlite_master WHERE name IN "
                                 "('series', 'sample', 'condition')");
        if (!known || *known != 3) return Failure{"is damaged: its tables are missing", name_};
        return boost::outcome_v2::success();
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
        Statement select{database_,
                         fmt::format("SELECT s.id, {} FROM series s WHERE s.name = ? AND "
                                     "s.device = ? AND s.device_detail = ? AND s.protocol = ? AND "
                                     "s.kernel_digest = ? AND s.facts_digest = ? AND "
                                     "s.launch = ? AND s.quantity = ?",
                                     runs_of_s)};
        if (!select.usable()) return refuse("cannot be read");
        bind_key(select, key);
        const int answer = select.step();
        if (answer == SQLITE_ROW) return SeriesInfo{select.integer(0), key, select.integer(1)};
        if (answer != SQLITE_DONE) return refuse("cannot be read");
        return SeriesInfo{0, key, 0};
    }

    bool insert_conditions(std::int64_t series, std::int64_t first_run,
                           const Conditions& conditions) {
        Statement remove{database_, "DELETE FROM condition WHERE series = ? AND first_run = ?"};
        Statement insert{database_, "INSERT INTO condition (series, first_run, name, value) "
                                    "VALUES (?, ?, ?, ?)"};
        if (!remove.usable() || !insert.usable()) return false;
        remove.bind(1, series);
        remove.bind(2, first_run);
        if (remove.step() != SQLITE_DONE) return false;
        for (const auto& [name, value] : conditions) {
            insert.reset();
            insert.bind(1, series);
            insert.bind(2, first_run);
            insert.bind(3, name);
            insert.bind(4, value);
            if (insert.step() != SQLITE_DONE) return false;
        }
        return true;
    }

    Result<std::int64_t> runs_of(std::int64_t series) {
        Statement select{database_,
                         fmt::format("SELECT {} FROM series s WHERE s.id = ?", runs_of_s)};
        if (!select.usable()) return refuse("cannot be read");
        select.bind(1, series);
        const int answer = select.step();
        if (answer == SQLITE_DONE) return Failure{fmt::format("has no series {}", series), name_};
        if (answer != SQLITE_ROW) return refuse("cannot be read");
        return select.integer(0);
    }

    Result<void> insert(std::int64_t series, const std::vector<Sample>& samples) {
        const auto recorded = runs_of(series);
        if (!recorded) return recorded.as_failure();
        std::int64_t expected = recorded.value();
        Statement insert{database_,
                         "INSERT INTO sample (series, run, seed, times, trouble, remark) "
                         "VALUES (?, ?, ?, ?, ?, ?)"};
        if (!insert.usable()) return refuse("cannot record");
        for (const Sample& sample : samples) {
            if (sample.run != expected)
                return Failure{fmt::format("run {} was expected next, not {} (is another process "
                                           "recording the same series?)",
                                           expected, sample.run),
                               name_};
            if (const auto wrong = contradiction_in(sample); !wrong.empty())
                return Failure{wrong, name_};
            ++expected;
            insert.reset();
            insert.bind(1, series);
            insert.bind(2, sample.run);
            insert.bind(3, static_cast<std::int64_t>(sample.seed));
            insert.bind_blob(4, encode(sample.times));
            if (sample.remark.trouble == Trouble::None) {
                insert.bind_nothing(5);
                insert.bind_nothing(6);
            } else {
                insert.bind(5, std::string{to_string(sample.remark.trouble)});
                insert.bind(6, sample.remark.text);
            }
            if (insert.step() != SQLITE_DONE) return refuse("cannot record");
        }
        return boost::outcome_v2::success();
    }

    std::string name_;
    sqlite3* database_ = nullptr;
};

/// Refuses what names no file on a disk, or something else than a file.
Result<void> check_name(const std::filesystem::path& file) {
    const std::string name = file.string();
    if (name.empty()) return Failure{"a campaign is a file; its name is empty", "campaign"};
    // SQLite keeps a leading colon and the scheme "file:" for itself: a campaign of such a name
    // would be lost with the process.
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

} // namespace

Result<void> check_troubles(const SeriesKey& key, const std::vector<Sample>& samples,
                            bool (*accepted)(Trouble)) {
    for (const auto& sample : samples)
        if (!accepted(sample.remark.trouble))
            return Failure{fmt::format("run {} is marked {} ({}); expected runs without trouble",
                                       sample.run, to_string(sample.remark.trouble),
                                       sample.remark.text),
                           key.name};
    return boost::outcome_v2::success();
}

std::string contradiction_in(const Sample& sample) {
    const Trouble trouble = sample.remark.trouble;
    if (gives_times(trouble) == sample.times.empty())
        return fmt::format("run {} with trouble '{}' has {} times; expected {}", sample.run,
                           to_string(trouble), sample.times.size(),
                           gives_times(trouble) ? "at least one" : "none");
    if (trouble == Trouble::None && !sample.remark.text.empty())
        return fmt::format("run {} has a remark without trouble; expected none", sample.run);
    return {};
}

Result<std::unique_ptr<Campaign>> Campaign::open(const std::filesystem::path& file) {
    if (auto named = check_name(file); !named) return named.as_failure();
    std::error_code ignored;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    if (!std::filesystem::is_directory(folder, ignored))
        return Failure{fmt::format("there is no folder {}", folder.string()), file.string()};
    auto campaign = std::make_unique<SqliteCampaign>(file.string());
    if (auto opened = campaign->open_to_record(); !opened) return opened.as_failure();
    return std::unique_ptr<Campaign>{std::move(campaign)};
}

Result<std::unique_ptr<Campaign>> Campaign::open_existing(const std::filesystem::path& file) {
    if (auto named = check_name(file); !named) return named.as_failure();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return Failure{"there is no such campaign", file.string()};
    auto campaign = std::make_unique<SqliteCampaign>(file.string());
    if (auto opened = campaign->open_to_read(); !opened) return opened.as_failure();
    return std::unique_ptr<Campaign>{std::move(campaign)};
}

} // namespace warpbound::harness
