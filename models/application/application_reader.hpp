#pragma once
/// \file
/// The reader of the file of an application, element by element; used by `read_application` only.

#include "models/application/application.hpp"
#include "models/xml/xml_reader.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::models::application {

/// Reads one document. Every refusal has the line of its element.
class ApplicationReader {
public:
    explicit ApplicationReader(const assembly::SourceText& source) : source_{source} {}

    Result<Application> read(const XmlElement& root);

private:
    Result<void> element(const XmlElement& element);
    Result<void> parameter(const XmlElement& element);
    Result<void> host(const XmlElement& element);
    Result<void> link(const XmlElement& element);
    Result<void> device(const XmlElement& element);
    Result<void> device_link(const XmlElement& element, DeviceGroup& device);

    Result<void> kernel(const XmlElement& element);
    Result<void> source_of(const XmlElement& element, Kernel& kernel);
    Result<void> demands(const XmlElement& element, Kernel& kernel);
    Result<void> named_values(const XmlElement& element, Kernel& kernel);

    Result<void> declare_process(const XmlElement& element);
    Result<void> process(const XmlElement& element, Process& process);
    Result<void> placement(const XmlElement& element, Process& process);
    Result<std::vector<Step>> steps(const XmlElement& element, const Process& process);
    Result<Step> step(const XmlElement& element, const Process& process);
    Result<void> computation(const XmlElement& element, Step& step);
    Result<void> launch(const XmlElement& element, const Process& process, Step& step);
    Result<void> copy(const XmlElement& element, const Process& process, Step& step);
    Result<void> message(const XmlElement& element, Step& step);
    Result<void> wait(const XmlElement& element, Step& step);
    Result<void> barrier(const XmlElement& element, Step& step);
    Result<void> links(const XmlElement& element, Step& step);
    Result<void> group(const XmlElement& element, Step& step);
    Result<void> collective(const XmlElement& element, Step& step);
    Result<void> loop(const XmlElement& element, const Process& process, Step& step);
    Result<void> stream(const XmlElement& element, Step& step);

    Failure refuse(const XmlElement& element, std::string what) const {
        return models::refuse(source_, element, std::move(what));
    }
    /// A name that no element of the file has yet.
    Result<std::string> new_name(const XmlElement& element);
    /// `missing` when the attribute is absent.
    Result<Expression> expression(const XmlElement& element, std::string_view attribute,
                                  std::optional<std::int64_t> missing = {}) const;
    Result<std::optional<Expression>> optional_expression(const XmlElement& element,
                                                          std::string_view attribute) const;
    /// One to three, separated by commas; empty when the attribute is absent.
    Result<std::vector<Expression>> expressions(const XmlElement& element,
                                                std::string_view attribute) const;
    Result<Quantity> quantity(const XmlElement& element, std::string_view attribute,
                              std::span<const DecimalUnit> units) const;
    /// `attribute`, `basis` and `source`. Requires: the attribute is there.
    Result<StatedTime> stated_time(const XmlElement& element, std::string_view attribute) const;
    Result<std::pair<Basis, std::string>> basis(const XmlElement& element) const;
    Result<std::size_t> word(const XmlElement& element, std::string_view attribute,
                             const std::vector<std::string_view>& words, std::size_t missing) const;
    Result<void> check_names(const XmlElement& element, std::string_view attribute,
                             const std::vector<std::string>& names) const;
    std::string text_or_empty(const XmlElement& element, std::string_view attribute) const;

    /// The number of the named thing. Refuses one that is not there.
    template <typename Thing>
    Result<std::size_t> number_of(const XmlElement& element, std::string_view attribute,
                                  const std::vector<Thing>& things) const {
        const std::string& name = *element.find(attribute);
        std::vector<std::string_view> known;
        for (std::size_t i = 0; i < things.size(); ++i) {
            if (things[i].name == name) return i;
            known.push_back(things[i].name);
        }
        return refuse(element, "'" + std::string{attribute} + "' is \"" + name + "\"; expected " +
                                   (known.empty() ? "one that is declared before: there is none"
                                                  : one_of(known)));
    }

    const assembly::SourceText& source_;
    Application application_;
    std::set<std::string> names_;
    std::vector<std::string> variables_; ///< Of expressions: parameters, rank, loops.
};

} // namespace warpbound::models::application
