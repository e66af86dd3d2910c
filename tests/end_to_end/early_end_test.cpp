#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("training ends early, on all nodes alike, once the validation loss does not improve") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["validation_fraction"] = 0.2;
    spec["epochs"] = 50;
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.0}};
    spec["early_stopping"] = {{"patience", 2}};
    CHECK(rows_of(run_spec(folder, spec, "early") / "epochs.csv").size() == 3);
}

TEST_CASE("training ends, on all nodes alike, once the target is reached, and the time that took is told") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 3;
    spec["target"] = {{"accuracy", 0.01}};
    const auto run = run_spec(folder, spec, "stops");
    CHECK(rows_of(run / "epochs.csv").size() == 1);
    const auto target = json_of(run / "summary.json").at("target");
    CHECK(target.at("split") == "test");
    CHECK(target.at("epoch") == 1);
    CHECK(target.at("time_to_accuracy_s").get<double>() > 0.0);
    spec["target"]["stop"] = false;
    CHECK(rows_of(run_spec(folder, spec, "goes on") / "epochs.csv").size() == 3);
    spec["target"] = {{"accuracy", 1.0}};
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.0}};
    const auto missed = run_spec(folder, spec, "misses");
    CHECK(rows_of(missed / "epochs.csv").size() == 3);
    CHECK(json_of(missed / "summary.json").at("target").at("epoch").is_null());
}
