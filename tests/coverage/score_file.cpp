#include "tests/coverage/score_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <optional>

namespace warpbound::coverage {

namespace {

using nlohmann::json;
using Number = std::optional<std::int64_t>;

std::string name_of(const KernelCase& kernel) {
    return fmt::format("{} {} {}", kernel.file, kernel.kernel, kernel.target);
}

std::string launch_of(const KernelCase& kernel) {
    return fmt::format("{}", fmt::join(kernel.launch, " "));
}

/// Visits the members of a score, by name, with what writes or reads one.
template <typename OneScore, typename Visit> void visit(OneScore& score, const Visit& one) {
    one("read", score.read);
    one("bounded", score.bounded);
    one("certified", score.certified);
    one("verified", score.verified);
    one("facts", score.facts);
    one("loops", score.loops.all);
    one("loops-derived", score.loops.derived);
    one("transactions", score.transactions.all);
    one("transactions-derived", score.transactions.derived);
    one("conflicts", score.conflicts.all);
    one("conflicts-derived", score.conflicts.derived);
    one("upper", score.upper);
    one("lower", score.lower);
    one("longest", score.longest);
    one("shortest", score.shortest);
    one("outside", score.outside);
    one("cause", score.cause);
}

struct Writer {
    json& object;
    template <typename Value> void operator()(const char* name, const Value& value) const {
        object[name] = value;
    }
    void operator()(const char* name, const Number& value) const {
        object[name] = value ? json(*value) : json();
    }
};

struct Reader {
    const json& object;
    template <typename Value> void operator()(const char* name, Value& value) const {
        object.at(name).get_to(value);
    }
    void operator()(const char* name, Number& value) const {
        const json& stated = object.at(name);
        if (!stated.is_null()) value = stated.get<std::int64_t>();
    }
};

/// Scores by the name of the kernel, each with its file.
class Joined {
public:
    explicit Joined(const std::vector<KernelCase>& cases) {
        for (const KernelCase& kernel : cases)
            launches_[name_of(kernel)] = launch_of(kernel);
    }

    std::optional<Failure> add(const std::filesystem::path& file) {
        std::ifstream in{file};
        const json rows = json::parse(in, nullptr, false);
        if (!rows.is_array())
            return Failure{"expected scores that coverage --scores wrote", file.string()};
        try {
            for (const json& row : rows)
                if (auto failed = add_row(row, file.string())) return failed;
        } catch (const json::exception& error) {
            return Failure{fmt::format("a score of another form: {}", error.what()), file.string()};
        }
        return std::nullopt;
    }

    [[nodiscard]] const Score* find(const std::string& name) const {
        const auto found = scores_.find(name);
        return found == scores_.end() ? nullptr : &found->second.score;
    }

private:
    struct Found {
        Score score;
        std::string file;
    };

    std::optional<Failure> add_row(const json& row, const std::string& file) {
        const auto name = row.at("name").get<std::string>();
        const auto launch = launches_.find(name);
        if (launch == launches_.end() || launch->second != row.at("launch").get<std::string>())
            return Failure{fmt::format("'{}' is not among the chosen kernels with this launch; "
                                       "choose as the parts did",
                                       name),
                           file};
        Found found{{}, file};
        visit(found.score, Reader{row});
        const auto [place, is_new] = scores_.emplace(name, std::move(found));
        if (is_new) return std::nullopt;
        return Failure{fmt::format("'{}' is also in {}", name, place->second.file), file};
    }

    std::map<std::string, std::string> launches_;
    std::map<std::string, Found> scores_;
};

} // namespace

std::string scores_of(const std::vector<Row>& rows) {
    json all = json::array();
    for (const Row& row : rows) {
        json object{{"name", name_of(row.kernel)}, {"launch", launch_of(row.kernel)}};
        visit(row.score, Writer{object});
        all.push_back(std::move(object));
    }
    return all.dump(1) + "\n";
}

Result<std::vector<Row>> joined_scores(const std::vector<KernelCase>& cases,
                                       const std::vector<std::filesystem::path>& files) {
    Joined joined{cases};
    for (const std::filesystem::path& file : files)
        if (auto failed = joined.add(file)) return *failed;
    std::vector<Row> rows;
    for (const KernelCase& kernel : cases) {
        const Score* score = joined.find(name_of(kernel));
        if (score == nullptr)
            return Failure{fmt::format("no file has a score of '{}'", name_of(kernel)), ""};
        rows.push_back({kernel, *score});
    }
    return rows;
}

} // namespace warpbound::coverage
