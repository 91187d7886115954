#include "cli/prediction/voudouris.hpp"

#include "models/formulas/voudouris_parameters.hpp"

namespace warpbound::cli {

Result<models::voudouris::Parameters>
voudouris_parameters(const std::string& name, const models::Architecture& architecture) {
    const bool fermi = !is_amd(architecture.target) &&
                       assembly::generation_of(architecture.target) == assembly::Generation::Fermi;
    if (name == "description" || (name.empty() && !fermi))
        return models::voudouris::parameters_from(architecture);
    if (!fermi)
        return Failure{"the published costs '" + name +
                           "' are those of a Fermi SM; take --parameters description",
                       architecture.name};
    return name == "reconstruction-a" ? models::voudouris::reconstruction_a
                                      : models::voudouris::table_7;
}

} // namespace warpbound::cli
