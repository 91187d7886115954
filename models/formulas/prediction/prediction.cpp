#include "models/formulas/prediction/prediction.hpp"

#include "models/formulas/prediction/predictors.hpp"

#include <algorithm>

namespace warpbound::models::prediction {
namespace {

struct ModelRow {
    Model model;
    std::string_view name;
    std::string_view publication;
    Result<Prediction> (*ask)(const Question&, Inputs&);
};

constexpr std::array rows{
    ModelRow{Model::Voudouris, "voudouris", "Voudouris 2014, eq. 1-11, 13, 14, section 7.1",
             ask_voudouris},
    ModelRow{Model::Volkov, "volkov", "Gajger 2017, eq. 4.1-4.7, after Volkov 2016", ask_volkov},
    ModelRow{Model::MwpCwp, "mwp-cwp", "Hong and Kim 2009", ask_mwp_cwp},
    ModelRow{Model::GpuMech, "gpumech", "Huang et al. 2014", ask_gpumech},
    ModelRow{Model::GpuDiag, "gpudiag", "Kim 2023, eq. 3.2, 3.6", ask_gpudiag},
    ModelRow{Model::Bsp, "bsp", "Amaris et al. 2015", ask_bsp},
    ModelRow{Model::AluFetch, "alu-fetch", "Taylor and Li 2010", ask_alu_fetch},
};

const ModelRow& row_of(Model model) {
    return *std::ranges::find(rows, model, &ModelRow::model);
}

} // namespace

std::string_view to_string(Model model) {
    return row_of(model).name;
}

std::string_view publication_of(Model model) {
    return row_of(model).publication;
}

std::optional<Model> parse_model(std::string_view name) {
    const auto* const found = std::ranges::find(rows, name, &ModelRow::name);
    return found == rows.end() ? std::nullopt : std::optional{found->model};
}

Prediction predict(Model model, const NamedProfile& profile, const Setting& setting,
                   Variant variant) {
    return predict(model, Question{profile, setting}, variant);
}

Prediction predict(Model model, const Question& question, Variant variant) {
    Inputs inputs{question.setting.architecture, question.setting.stated, variant};
    auto answer = row_of(model).ask(question, inputs);
    Prediction found;
    if (answer)
        found = std::move(answer).value();
    else
        found.refusal = to_string(answer.error());
    if (!inputs.missing().empty()) found.time.reset();
    found.missing = inputs.missing();
    found.parameters = inputs.used();
    return found;
}

} // namespace warpbound::models::prediction
