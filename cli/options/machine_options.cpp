#include "cli/options/machine_options.hpp"

#include "models/architecture/value_path.hpp"

#include <CLI/CLI.hpp>

namespace warpbound::cli {

void MachineOptions::add_to(CLI::App& command, bool is_required) {
    command
        .add_option("--architecture,--gpu", architecture,
                    "Machine: a name from `architectures`, a target such as sm_75 that one of them "
                    "has, or a file")
        ->required(is_required);
    add_assumptions_to(command);
}

void MachineOptions::add_assumptions_to(CLI::App& command) {
    command
        .add_option("--assume", assumed,
                    "PATH=NUMBER or PATH=LO..HI: a value of the machine that you state, such as "
                    "blocks/replacement=0..2000; GROUP=none: what the group describes never "
                    "delays, such as fetch=none; listed as an assumption; may be repeated")
        ->allow_extra_args(false);
}

Result<models::Architecture> load_machine(const MachineOptions& options) {
    auto machine = models::load_architecture(options.architecture);
    if (!machine) return machine;
    for (const std::string& text : options.assumed)
        if (auto assumed = models::assume_value(machine.value(), text); !assumed)
            return Failure{assumed.error().what, "--assume"};
    return machine;
}

} // namespace warpbound::cli
