#pragma once
/// \file
/// The SQLite file of a campaign: opening and creation, transactions, and reasons of failed
/// accesses. A file from elsewhere is opened so that nothing in it is executed. The meaning of its
/// rows: campaign.cpp.

#include "assembly/support/result.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::harness {

/// A prepared statement; finalised by the destructor.
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

/// Opens a file with flags of SQLite so that nothing in it is executed. False: it cannot be opened;
/// the connection then says why. The caller closes the connection in either case.
bool open_defended(const std::string& file, int flags, sqlite3*& database);

class CampaignDatabase {
public:
    explicit CampaignDatabase(std::string name) : name_{std::move(name)} {}
    ~CampaignDatabase() { sqlite3_close(database_); }
    CampaignDatabase(const CampaignDatabase&) = delete;
    CampaignDatabase& operator=(const CampaignDatabase&) = delete;

    /// Opens for writing: creates the tables in an empty file, or checks that the file is a
    /// campaign of a known version. This is one transaction, so that processes that open a new
    /// campaign concurrently are serialized; it also proves that the file and its journal can be
    /// written.
    Result<void> open_to_record();
    /// Opens for reading. The connection may write, because only such a connection can roll back
    /// the transaction of a killed writer; nothing else is written.
    Result<void> open_to_read();

    /// The column of a run's anomaly in this file (`anomaly_field`). Requires: opened.
    [[nodiscard]] const char* anomaly_column() const;
    [[nodiscard]] Statement prepare(const std::string& sql) { return {database_, sql}; }
    /// Calls `work` inside a new transaction, or inside the current one, which a failure of `work`
    /// then aborts too.
    Result<void> in_transaction(const char* what, const std::function<Result<void>()>& work);
    /// Calls `work`, whose reads see one state of the file, whatever other processes record.
    Result<void> in_snapshot(const std::function<Result<void>()>& work);
    /// A failure naming the operation, with SQLite's reason.
    [[nodiscard]] Failure refuse(const std::string& what) const;
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    /// What distinguishes a campaign from another file.
    struct Marks {
        std::int64_t id = 0;
        std::int64_t version = 0;
        std::int64_t tables = 0;
    };

    Result<void> connect(int flags);
    bool execute(const char* sql);
    std::optional<std::int64_t> count(const char* sql);
    /// Empty if the file cannot be read; the error is then that of the connection.
    std::optional<Marks> marks();
    /// Checks that the file is a campaign of a known version, which it keeps: with its tables, and
    /// nothing else.
    Result<void> check(const Marks& found);
    /// Runs inside a transaction. Returns whether it created the tables.
    Result<bool> make_or_check();

    [[nodiscard]] Failure write_protected() const;
    [[nodiscard]] Failure not_written() const;
    /// Why the first access to the file failed.
    [[nodiscard]] Failure unreadable() const;

    std::string name_;
    sqlite3* database_ = nullptr;
    std::int64_t version_ = 0;
};

/// Refuses a name that is not the name of a file on disk, and an existing object that is not a
/// file.
Result<void> check_campaign_name(const std::filesystem::path& file);

} // namespace warpbound::harness
