#include "harness/calibration/calibrate.hpp"

#include "harness/calibration/relations.hpp"

namespace warpbound::harness {

Result<Calibration> calibrate(const Measurements& measurements) {
    Calibration calibration;
    calibration.device = measurements.device();
    calibration.target = measurements.target();
    Ledger ledger;
    if (auto basis = read_steps(measurements, ledger)) {
        read_delays(measurements, *basis, ledger);
        read_schedulers(measurements, *basis, ledger);
        read_policy(measurements, *basis, ledger);
        read_write_buffer(measurements, *basis, ledger);
        read_ports(measurements, *basis, ledger);
        calibration.policy = basis->policy;
    }
    read_residence(measurements, ledger);
    auto findings = ledger.findings();
    if (!findings) return findings.as_failure();
    calibration.findings = std::move(findings).value();
    calibration.scopes = ledger.scopes();
    calibration.unidentified = ledger.without_reading();
    return calibration;
}

Result<std::vector<RecordedSeries>> recorded_series(Campaign& campaign) {
    const auto list = campaign.list();
    if (!list) return list.as_failure();
    std::vector<RecordedSeries> all;
    for (const auto& info : list.value()) {
        auto samples = campaign.samples(info.id);
        if (!samples) return samples.as_failure();
        all.push_back({info.key, std::move(samples).value()});
    }
    return all;
}

} // namespace warpbound::harness
