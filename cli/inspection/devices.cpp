/// \file
/// `warpbound devices`: lists the devices that kernels can run on.

#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "harness/card_identity.hpp"
#include "harness/described_machine.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::cli {

void add_devices(CLI::App& app, Invocation& invocation) {
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("devices", "List the devices that kernels can run on");
    add_format(*command, *format, {"text", "json"});
    command->footer("Example: warpbound devices");
    command->callback([format, &invocation] {
        invocation.run = [format] {
            Json list = Json::array();
            std::string text;
            for (const auto& device : harness::list_devices()) {
                list.push_back({{"name", device.name},
                                {"available", device.available},
                                {"detail", device.detail}});
                if (device.available && harness::is_card(device.name))
                    if (const auto machine =
                            harness::described_machine({device.name, device.detail}))
                        list.back()["description"] = machine.value().name;
                if (device.available && list.size() == 1)
                    suggest(fmt::format("warpbound measure --device {} --benchmark dependent-add",
                                        shell_word(device.name)));
                text += fmt::format("{:<28} {:<12} {}\n", device.name,
                                    device.available ? "available" : "unavailable", device.detail);
            }
            return write_result(*format == "json" ? json_text("devices", {{"devices", list}})
                                                  : text);
        };
    });
}

} // namespace warpbound::cli
