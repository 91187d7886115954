#include "tests/support/random_pipelines.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::tests {

namespace {

using models::Nanoseconds;

class Maker {
public:
    Maker(std::uint64_t seed, const PipelineShape& shape) : random_{seed}, shape_{shape} {}

    models::PipelineSystem make() {
        const auto order = [&] { return static_cast<models::ServerOrder>(number(0, 2)); };
        system_.servers.push_back({"copy engine", order()});
        if (coin()) system_.servers.push_back({"second engine", order()});
        copies_ = system_.servers.size();
        for (std::int64_t left = number(1, shape_.edges ? 3 : 2); left > 0; --left)
            system_.servers.push_back(
                {"partition " + std::to_string(left), order(), shape_.edges ? 1 : 4});
        system_.memory.keeps_lines = true;
        system_.memory.is_excluded = !shape_.memory || number(0, 3) == 0;
        for (auto& bandwidth : system_.memory.bandwidth)
            bandwidth = number(1, 50) * 1'000'000'000;
        const std::int64_t pipelines = number(1, shape_.most_pipelines);
        for (std::int64_t p = 0; p < pipelines; ++p)
            add_pipeline(pipelines);
        if (shape_.clients && number(0, 2) == 0) add_client();
        if (shape_.clients && shape_.edges && coin()) add_client();
        return std::move(system_);
    }

private:
    std::int64_t number(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    bool coin() { return number(0, 1) == 1; }

    void add_pipeline(std::int64_t pipelines) {
        models::Pipeline pipeline;
        pipeline.name = "pipeline " + std::to_string(system_.pipelines.size());
        pipeline.distance = Nanoseconds{number(60, 400)};
        if (shape_.edges)
            pipeline.distance = system_.pipelines.empty() || number(0, 2) == 0
                                    ? Nanoseconds{number(1, 4) * 25}
                                    : system_.pipelines.front().distance * number(1, 2);
        pipeline.is_periodic = coin();
        const std::int64_t distance = pipeline.distance.count();
        pipeline.jitter =
            Nanoseconds{number(0, 2) == 0 ? number(0, distance * 2) : number(0, distance / 3)};
        if (shape_.edges) pipeline.jitter = Nanoseconds{edge(distance)};
        pipeline.overlaps = coin();
        if (coin()) pipeline.deadline = Nanoseconds{number(50, 500)};
        const std::int64_t stages = number(1, shape_.most_stages);
        for (std::int64_t i = 0; i < stages; ++i)
            add_stage(pipeline, std::max<std::int64_t>(2, distance / (stages * pipelines)));
        system_.pipelines.push_back(std::move(pipeline));
    }

    void add_stage(models::Pipeline& pipeline, std::int64_t most) {
        models::PipelineStage stage;
        const std::size_t index = pipeline.stages.size();
        stage.name = "stage " + std::to_string(index);
        const std::int64_t upper = shape_.edges && coin() ? number(0, 1) : number(0, most);
        stage.time.emplace(Nanoseconds{number(0, 2) == 0 ? upper : number(0, upper)},
                           Nanoseconds{upper});
        if (number(0, 5) > 0) {
            const auto server = static_cast<std::size_t>(
                number(0, static_cast<std::int64_t>(system_.servers.size()) - 1));
            stage.server = server;
            stage.kind =
                server < copies_ ? models::StageKind::CopyToDevice : models::StageKind::Kernel;
            stage.priority = shape_.edges ? number(0, 1) : number(0, 3);
            for (auto& traffic : stage.traffic)
                traffic = number(0, 2) == 0 ? 0 : number(0, 300);
            if (shape_.edges && coin()) stage.traffic.fill(number(0, 1));
        }
        if (index > 0 && number(0, 4) > 0) stage.after.push_back(index - 1);
        if (index > 1 && number(0, 3) == 0)
            stage.after.push_back(static_cast<std::size_t>(number(0, static_cast<int>(index) - 2)));
        std::sort(stage.after.begin(), stage.after.end());
        pipeline.stages.push_back(std::move(stage));
    }

    /// 0, 1, the distance of jobs or a multiple of it, one less or one more.
    std::int64_t edge(std::int64_t distance) {
        const std::int64_t near = number(0, 3) * distance;
        return std::max<std::int64_t>(0, near + number(-1, 1));
    }

    void add_client() {
        models::BestEffortClient client;
        client.name = "client " + std::to_string(system_.clients.size());
        for (std::size_t s = 0; s < system_.servers.size(); ++s) {
            if (coin()) continue;
            const std::int64_t longest = shape_.edges ? number(0, 2) * number(0, 2) : number(0, 40);
            models::ClientOperation operation{s, Nanoseconds{longest}, {}};
            if (system_.servers[s].order != models::ServerOrder::Priority || coin())
                operation.distance = Nanoseconds{number(100, 600)};
            client.operations.push_back(operation);
        }
        for (std::size_t m = 0; m < client.traffic.size(); ++m)
            client.traffic.at(m) = models::TrafficBudget{
                number(0, 300), number(0, *system_.memory.bandwidth.at(m) / 6)};
        if (shape_.edges)
            for (std::size_t m = 0; m < client.traffic.size(); ++m) {
                if (coin()) client.traffic.at(m)->burst = 0;
                if (coin()) client.traffic.at(m)->rate = 0;
                if (number(0, 3) == 0)
                    client.traffic.at(m)->rate = *system_.memory.bandwidth.at(m) / number(2, 3);
            }
        system_.clients.push_back(std::move(client));
    }

    std::mt19937_64 random_;
    PipelineShape shape_;
    models::PipelineSystem system_;
    std::size_t copies_ = 0;
};

} // namespace

models::PipelineSystem random_pipelines(std::uint64_t seed, const PipelineShape& shape) {
    return Maker{seed, shape}.make();
}

} // namespace warpbound::tests
