/// \file
/// The fixed report. Its numbers are made up and agree with each other.
#include "tests/unit/certification/sample_report.hpp"

namespace warpbound::certification {

namespace {

using analyzer::AssumptionStatus;
using analyzer::Side;

void add_code(Report& report) {
    report.assembly = {
        {0x00, "MOV R1, c[0x0][0x28] ;", 1, 6, true},
        {0x10, "S2R R0, SR_TID.X ;", 1, 20, false},
        {0x20, "ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT ;", 1, 24, false},
        {0x30, "@P0 EXIT ;", 1, 10, false},
        {0x40, "LDG.E R2, [R4.64] ;", 16, 160, true},
        {0x50, "FFMA R3, R2, R6, R3 ;", 16, 640, false},
        {0x60, "@!P1 BRA 0x40 ;", 16, 240, false},
        {0x70, "STG.E [R8.64], R3 ;", 1, 70, true},
        {0x80, "EXIT ;", 1, 64, false},
        {0x90, "BRA 0x90 ;", 0, 0, true},
    };
    report.worst_path = {{0x00, 1, 60}, {0x40, 16, 1040}, {0x70, 1, 134}};
    report.stack = {{"issue", 54},
                    {"control-transfer", 180},
                    {"register-dependence", 120},
                    {"scoreboard", 760},
                    {"port", 40},
                    {"write-buffer", 0},
                    {"barrier", 0},
                    {"completion", 80}};
}

} // namespace

Report sample_report() {
    Report report;
    report.tool_version = "0.1.0";
    report.kernel = "convolution_rows";
    report.kernel_digest =
        "sha256:0b5e1f7a00c4a0f1d2e3c4b5a697887766554433221100ffeeddccbbaa998877";
    report.isa = "sm_75";
    report.architecture = "turing-t4";
    report.architecture_title = "NVIDIA Tesla T4 (Turing TU104)";
    report.coverage = {
        .unknown = 5, .assumed = 38, .card = 26, .family = 21, .vendor = 14, .derived = 24};
    report.architecture_digest =
        "sha256:51a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80";
    report.policy = "lrr";
    report.seed = 7;
    report.inputs = {{"listing", "convolution.sass",
                      "sha256:0b5e1f7a00c4a0f1d2e3c4b5a697887766554433221100ffeeddccbbaa998877"},
                     {"architecture", "turing-t4", ""},
                     {"flow facts", "convolution.xml",
                      "sha256:99aa88bb77cc66dd55ee44ff33001122334455667788990011223344556677aa"}};
    report.claims = {{"C1",
                      "execution-time",
                      Side::Upper,
                      1234,
                      "cycles",
                      ClaimKind::BoundUnderAssumptions,
                      {"A1", "A2", "A3"},
                      "z3-refutation",
                      false,
                      {}},
                     {"C2",
                      "execution-time",
                      Side::Lower,
                      1180,
                      "cycles",
                      ClaimKind::BoundUnderAssumptions,
                      {"A1", "A2", "A3"},
                      "exact-lp",
                      true,
                      {}}};
    report.assumptions = {
        {"A1", "The loop at 0x0040 runs at most 16 times.", AssumptionStatus::Reviewed},
        {"A2",
         "Every load from global memory answers within the described latency interval, DRAM "
         "refresh and ECC scrubbing included.",
         AssumptionStatus::Unchecked},
        {"A3", "The instruction cache is warm.", AssumptionStatus::Measured}};
    report.estimates = {
        {"voudouris",
         "average",
         "execution-time",
         1205.5,
         "cycles",
         "Voudouris et al. 2017, eq. 4",
         {{"N", "16", "iterations", "flow facts"}, {"L", "47.5", "cycles", "architecture"}},
         ""},
        {"volkov", "worst", "execution-time", 1261, "cycles", "Volkov 2016, ch. 6", {}, ""},
        {"mwp-cwp",
         "",
         "execution-time",
         0,
         "cycles",
         "Hong and Kim 2009",
         {},
         "the formula needs the memory bandwidth, which the description lacks"}};
    add_code(report);
    report.solver = "Z3 4.8.12";
    report.versions = {"Z3 4.8.12", "SQLite 3.40.1"};
    report.limitations = {"Preemption and context switches are not included.",
                          "Clock changes are not included: all times are core cycles."};
    observe(report, "execution-time", {1190, 1201, 1190, 1222, 1190, 1201, 1201, 1190},
            {1, 2, 3, 4, 5, 6, 7, 8});
    return report;
}

void observe(Report& report, const std::string& quantity, const std::vector<std::int64_t>& times,
             const std::vector<std::uint64_t>& seeds) {
    harness::SeriesKey key;
    key.quantity = quantity;
    key.device = "simulated:turing-t4";
    key.protocol = "cold start, 8 runs";
    std::vector<harness::Sample> samples;
    for (std::size_t i = 0; i < times.size(); ++i)
        samples.push_back({.run = static_cast<std::int64_t>(i),
                           .seed = i < seeds.size() ? seeds[i] : 0,
                           .times = {times[i]}});
    add_observations(report, key, samples);
}

} // namespace warpbound::certification
