#include <array>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

constexpr Number learning_rate{0.0, 1e6};
constexpr Number decay{0.0, 1.0, Number::Without::high};
constexpr Number positive_epsilon{0.0, 1.0, Number::Without::low};

template <typename Fields>
void declare(Fields& fields, Sgd& sgd) {
    fields.field("learning_rate", sgd.learning_rate, learning_rate);
    fields.field("momentum", sgd.momentum, decay);
}

template <typename Fields>
void declare(Fields& fields, Adagrad& adagrad) {
    fields.field("learning_rate", adagrad.learning_rate, learning_rate);
    fields.field("initial_accumulator", adagrad.initial_accumulator, Number{0.0, 1e6});
    fields.field("epsilon", adagrad.epsilon, positive_epsilon);
}

template <typename Fields>
void declare(Fields& fields, Adadelta& adadelta) {
    fields.field("learning_rate", adadelta.learning_rate, learning_rate);
    fields.field("rho", adadelta.rho, decay);
    fields.field("epsilon", adadelta.epsilon, positive_epsilon);
}

template <typename Fields>
void declare(Fields& fields, Adam& adam) {
    fields.field("learning_rate", adam.learning_rate, learning_rate);
    fields.field("beta1", adam.beta1, decay);
    fields.field("beta2", adam.beta2, decay);
    fields.field("epsilon", adam.epsilon, positive_epsilon);
}

/// The name chooses the alternative, with its defaults.
struct OptimizerName {
    static constexpr auto kinds =
        choice<std::size_t>({{"sgd", 0}, {"adagrad", 1}, {"adadelta", 2}, {"adam", 3}});
    static constexpr std::array<OptimizerSpec, std::variant_size_v<OptimizerSpec>> defaults{
        Sgd{}, Adagrad{}, Adadelta{}, Adam{}};
    static_assert(kinds.names.size() == defaults.size());

    [[nodiscard]] OptimizerSpec read(const nlohmann::json& found, const Place& place) const {
        return defaults.at(kinds.read(found, place));
    }
    [[nodiscard]] nlohmann::json write(const OptimizerSpec& optimizer) const {
        return kinds.write(optimizer.index());
    }
    [[nodiscard]] std::string expected() const { return kinds.expected(); }
};

/// An optimizer whose default is that of an experiment, not the first of the variant.
struct ChosenOptimizer {
    OptimizerSpec optimizer = Adadelta{};
};

template <typename Fields>
void declare(Fields& fields, ChosenOptimizer& chosen) {
    fields.field("name", chosen.optimizer, OptimizerName{});
    std::visit([&fields](auto& optimizer) { declare(fields, optimizer); }, chosen.optimizer);
}

constexpr Section<ChosenOptimizer> optimizer_section{"name"};

}  // namespace

OptimizerSpec OptimizerCodec::read(const nlohmann::json& found, const Place& place) const {
    return optimizer_section.read(found, place).optimizer;
}
nlohmann::json OptimizerCodec::write(const OptimizerSpec& optimizer) const {
    return optimizer_section.write({optimizer});
}
std::string OptimizerCodec::expected() const {
    return optimizer_section.expected();
}

}  // namespace convoy
