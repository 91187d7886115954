#include "harness/campaign/campaign.hpp"

#include "harness/campaign/campaign_database.hpp"
#include "harness/campaign/series_digest.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace warpbound::harness {

namespace {

/// Number of runs of series `s`: one descent in the table's tree, whatever their number. Runs are
/// recorded without gaps (see `insert`); reading them checks it.
constexpr std::string_view runs_of_s =
    "ifnull((SELECT run + 1 FROM sample WHERE series = s.id ORDER BY run DESC LIMIT 1), 0)";

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
    explicit SqliteCampaign(std::string name) : database_{std::move(name)} {}

    Result<void> open_to_record() { return database_.open_to_record(); }
    Result<void> open_to_read() { return database_.open_to_read(); }

    Result<SeriesInfo> series(const SeriesKey& key) override {
        if (auto found = find(key); !found || found.value().id != 0) return found;
        // Another process may record the same series between the search and the insertion.
        Statement insert =
            database_.prepare("INSERT INTO series (name, device, device_detail, protocol, "
                              "kernel_digest, facts_digest, launch, quantity, runs_digest, "
                              "conditions_digest) "
                              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
        if (!insert.usable()) return database_.refuse("cannot record a series");
        bind_key(insert, key);
        insert.bind(9, digest_without_runs(key));
        insert.bind(10, digest_of_conditions(key, {}));
        if (insert.step() != SQLITE_DONE) return database_.refuse("cannot record a series");
        return find(key);
    }

    Result<void> append(std::int64_t series, const std::vector<Sample>& samples) override {
        if (samples.empty()) return boost::outcome_v2::success();
        return database_.in_transaction("cannot record", [&] { return insert(series, samples); });
    }

    Result<void> note_conditions(std::int64_t series, std::int64_t first_run,
                                 const Conditions& conditions) override {
        if (conditions.empty()) return boost::outcome_v2::success();
        return database_.in_transaction("cannot record conditions", [&]() -> Result<void> {
            const auto recorded = runs_of(series);
            if (!recorded) return recorded.as_failure();
            if (recorded.value() > first_run)
                return Failure{fmt::format("run {} is recorded already; its conditions cannot be "
                                           "changed (is another process recording the same "
                                           "series?)",
                                           first_run),
                               database_.name()};
            // Checks the digest of those that are there, before another one takes its place.
            if (const auto known = this->conditions(series); !known) return known.as_failure();
            if (!insert_conditions(series, first_run, conditions))
                return database_.refuse("cannot record conditions");
            const auto of = identity(series);
            if (!of) return of.as_failure();
            const auto all = stored_conditions(series);
            if (!all) return all.as_failure();
            return set_digest(series, "conditions_digest",
                              digest_of_conditions(of.value().key, all.value()));
        });
    }

    Result<void> in_one_transaction(const std::function<Result<void>()>& work) override {
        return database_.in_transaction("cannot record", work);
    }

    Result<std::vector<RecordedConditions>> conditions(std::int64_t series) override {
        std::vector<RecordedConditions> all;
        const auto read = database_.in_snapshot([&]() -> Result<void> {
            const auto of = identity(series);
            if (!of) return of.as_failure();
            auto stored = stored_conditions(series);
            if (!stored) return stored.as_failure();
            all = std::move(stored).value();
            if (digest_of_conditions(of.value().key, all) == of.value().digests.conditions)
                return boost::outcome_v2::success();
            return altered(of.value().key, "its key or its conditions");
        });
        if (!read) return read.as_failure();
        return all;
    }

    Result<std::vector<SeriesInfo>> list() override {
        Statement select = database_.prepare(
            fmt::format("SELECT s.id, s.name, s.device, s.device_detail, s.protocol, "
                        "s.kernel_digest, s.facts_digest, s.launch, s.quantity, {} "
                        "FROM series s ORDER BY s.id",
                        runs_of_s));
        if (!select.usable()) return database_.refuse("cannot be read");
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
        if (answer != SQLITE_DONE) return database_.refuse("is damaged");
        for (const auto& info : all) // Finds an altered key, too.
            if (const auto checked = conditions(info.id); !checked) return checked.as_failure();
        return all;
    }

    Result<std::vector<Sample>> samples(std::int64_t series) override {
        std::vector<Sample> all;
        const auto read = database_.in_snapshot([&]() -> Result<void> {
            const auto of = identity(series);
            if (!of) return of.as_failure();
            auto stored = stored_samples(series);
            if (!stored) return stored.as_failure();
            all = std::move(stored).value();
            std::string digest = digest_without_runs(of.value().key);
            for (const Sample& sample : all)
                digest = digest_with_run(digest, sample);
            if (digest == of.value().digests.runs) return boost::outcome_v2::success();
            return altered(of.value().key, fmt::format("its {} runs", all.size()));
        });
        if (!read) return read.as_failure();
        return all;
    }

private:
    /// A series as it names itself, with its digests.
    struct Identity {
        SeriesKey key;
        SeriesDigests digests;
    };

    [[nodiscard]] Failure altered(const SeriesKey& key, const std::string& what) const {
        return Failure{fmt::format("was altered after it was recorded: of the series '{}', {} do "
                                   "not agree with their digest; expected them as recorded; "
                                   "restore the file, or record the series again in a new one",
                                   key.name, what),
                       database_.name()};
    }

    Result<Identity> identity(std::int64_t series) {
        Statement select =
            database_.prepare("SELECT name, device, device_detail, protocol, kernel_digest, "
                              "facts_digest, launch, quantity, runs_digest, conditions_digest "
                              "FROM series WHERE id = ?");
        if (!select.usable()) return database_.refuse("cannot be read");
        select.bind(1, series);
        const int answer = select.step();
        if (answer == SQLITE_DONE)
            return Failure{fmt::format("has no series {}", series), database_.name()};
        if (answer != SQLITE_ROW) return database_.refuse("cannot be read");
        return Identity{{select.text(0), select.text(1), select.text(2), select.text(3),
                         select.text(4), select.text(5), select.text(6), select.text(7)},
                        {select.text(8), select.text(9)}};
    }

    Result<void> set_digest(std::int64_t series, std::string_view column,
                            const std::string& digest) {
        Statement update =
            database_.prepare(fmt::format("UPDATE series SET {} = ? WHERE id = ?", column));
        if (!update.usable()) return database_.refuse("cannot record");
        update.bind(1, digest);
        update.bind(2, series);
        if (update.step() != SQLITE_DONE) return database_.refuse("cannot record");
        return boost::outcome_v2::success();
    }

    Result<std::vector<RecordedConditions>> stored_conditions(std::int64_t series) {
        Statement select =
            database_.prepare("SELECT first_run, name, value FROM condition WHERE series = ? "
                              "ORDER BY first_run, name");
        if (!select.usable()) return database_.refuse("cannot be read");
        select.bind(1, series);
        std::vector<RecordedConditions> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            const std::int64_t first_run = select.integer(0);
            if (all.empty() || all.back().first_run != first_run) all.push_back({first_run, {}});
            all.back().conditions.emplace_back(select.text(1), select.text(2));
        }
        if (answer != SQLITE_DONE) return database_.refuse("is damaged");
        return all;
    }

    static void bind_key(Statement& statement, const SeriesKey& key) {
        const std::array<const std::string*, 8> fields{
            &key.name,          &key.device,       &key.device_detail, &key.protocol,
            &key.kernel_digest, &key.facts_digest, &key.launch,        &key.quantity};
        for (std::size_t i = 0; i < fields.size(); ++i)
            statement.bind(static_cast<int>(i) + 1, *fields[i]);
    }

    Result<std::vector<Sample>> stored_samples(std::int64_t series) {
        Statement select = database_.prepare(
            fmt::format("SELECT run, seed, times, ifnull({}, 'none'), remark FROM sample "
                        "WHERE series = ? ORDER BY run",
                        database_.anomaly_column()));
        if (!select.usable()) return database_.refuse("cannot be read");
        select.bind(1, series);
        std::vector<Sample> all;
        int answer = SQLITE_ROW;
        while ((answer = select.step()) == SQLITE_ROW) {
            auto times = decode(select.text(2));
            const auto anomaly = parse_anomaly(select.text(3));
            if (!times || !anomaly || select.integer(0) != static_cast<std::int64_t>(all.size()))
                return database_.refuse("is damaged: its samples are not complete");
            all.push_back({select.integer(0), static_cast<std::uint64_t>(select.integer(1)),
                           std::move(*times), Remark{*anomaly, select.text(4)}});
            if (const auto wrong = contradiction_in(all.back()); !wrong.empty())
                return Failure{"is damaged: " + wrong, database_.name()};
        }
        if (answer != SQLITE_DONE) return database_.refuse("is damaged");
        return all;
    }

    /// Id 0 if there is none.
    Result<SeriesInfo> find(const SeriesKey& key) {
        Statement select = database_.prepare(
            fmt::format("SELECT s.id, {} FROM series s WHERE s.name = ? AND "
                        "s.device = ? AND s.device_detail = ? AND s.protocol = ? AND "
                        "s.kernel_digest = ? AND s.facts_digest = ? AND "
                        "s.launch = ? AND s.quantity = ?",
                        runs_of_s));
        if (!select.usable()) return database_.refuse("cannot be read");
        bind_key(select, key);
        const int answer = select.step();
        if (answer == SQLITE_ROW) return SeriesInfo{select.integer(0), key, select.integer(1)};
        if (answer != SQLITE_DONE) return database_.refuse("cannot be read");
        return SeriesInfo{0, key, 0};
    }

    bool insert_conditions(std::int64_t series, std::int64_t first_run,
                           const Conditions& conditions) {
        Statement remove =
            database_.prepare("DELETE FROM condition WHERE series = ? AND first_run = ?");
        Statement insert =
            database_.prepare("INSERT INTO condition (series, first_run, name, value) "
                              "VALUES (?, ?, ?, ?)");
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
        Statement select =
            database_.prepare(fmt::format("SELECT {} FROM series s WHERE s.id = ?", runs_of_s));
        if (!select.usable()) return database_.refuse("cannot be read");
        select.bind(1, series);
        const int answer = select.step();
        if (answer == SQLITE_DONE)
            return Failure{fmt::format("has no series {}", series), database_.name()};
        if (answer != SQLITE_ROW) return database_.refuse("cannot be read");
        return select.integer(0);
    }

    Result<void> insert(std::int64_t series, const std::vector<Sample>& samples) {
        const auto recorded = runs_of(series);
        if (!recorded) return recorded.as_failure();
        std::int64_t expected = recorded.value();
        const auto of = identity(series);
        if (!of) return of.as_failure();
        std::string digest = of.value().digests.runs;
        Statement insert =
            database_.prepare(fmt::format("INSERT INTO sample (series, run, seed, times, {}, "
                                          "remark) VALUES (?, ?, ?, ?, ?, ?)",
                                          database_.anomaly_column()));
        if (!insert.usable()) return database_.refuse("cannot record");
        for (const Sample& sample : samples) {
            if (sample.run != expected)
                return Failure{fmt::format("run {} was expected next, not {} (is another process "
                                           "recording the same series?)",
                                           expected, sample.run),
                               database_.name()};
            if (const auto wrong = contradiction_in(sample); !wrong.empty())
                return Failure{wrong, database_.name()};
            ++expected;
            insert.reset();
            insert.bind(1, series);
            insert.bind(2, sample.run);
            insert.bind(3, static_cast<std::int64_t>(sample.seed));
            insert.bind_blob(4, encode(sample.times));
            if (sample.remark.anomaly == RunAnomaly::None) {
                insert.bind_nothing(5);
                insert.bind_nothing(6);
            } else {
                insert.bind(5, std::string{to_string(sample.remark.anomaly)});
                insert.bind(6, sample.remark.text);
            }
            if (insert.step() != SQLITE_DONE) return database_.refuse("cannot record");
            digest = digest_with_run(digest, sample);
        }
        return set_digest(series, "runs_digest", digest);
    }

    CampaignDatabase database_;
};

} // namespace

Result<void> check_anomalies(const SeriesKey& key, const std::vector<Sample>& samples,
                             const AcceptedRuns& accepted) {
    for (const auto& sample : samples)
        if (!accepted.accepts(sample.remark.anomaly))
            return Failure{fmt::format("run {} is marked {} ({}); expected {}", sample.run,
                                       to_string(sample.remark.anomaly), sample.remark.text,
                                       accepted.name),
                           key.name};
    return boost::outcome_v2::success();
}

std::string contradiction_in(const Sample& sample) {
    const RunAnomaly anomaly = sample.remark.anomaly;
    if (gives_times(anomaly) == sample.times.empty())
        return fmt::format("run {} with anomaly '{}' has {} times; expected {}", sample.run,
                           to_string(anomaly), sample.times.size(),
                           gives_times(anomaly) ? "at least one" : "none");
    if (anomaly == RunAnomaly::None && !sample.remark.text.empty())
        return fmt::format("run {} has a remark without an anomaly; expected none", sample.run);
    return {};
}

Result<std::unique_ptr<Campaign>> Campaign::open(const std::filesystem::path& file) {
    if (auto named = check_campaign_name(file); !named) return named.as_failure();
    std::error_code ignored;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    if (!std::filesystem::is_directory(folder, ignored))
        return Failure{fmt::format("there is no folder {}", folder.string()), file.string()};
    auto campaign = std::make_unique<SqliteCampaign>(file.string());
    if (auto opened = campaign->open_to_record(); !opened) return opened.as_failure();
    // Nothing is recorded beside an altered series.
    if (const auto checked = campaign->list(); !checked) return checked.as_failure();
    return std::unique_ptr<Campaign>{std::move(campaign)};
}

Result<std::unique_ptr<Campaign>> Campaign::open_existing(const std::filesystem::path& file) {
    if (auto named = check_campaign_name(file); !named) return named.as_failure();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return Failure{"there is no such campaign", file.string()};
    auto campaign = std::make_unique<SqliteCampaign>(file.string());
    if (auto opened = campaign->open_to_read(); !opened) return opened.as_failure();
    return std::unique_ptr<Campaign>{std::move(campaign)};
}

} // namespace warpbound::harness
