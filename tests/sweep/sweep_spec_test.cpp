#include "sweep/sweep_spec.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const json base{{"name", "small"},
                {"dataset", {{"name", "synthetic_digits"}}},
                {"model", "mnist_cnn"},
                {"seed", 10},
                {"optimizer", {{"name", "adadelta"}, {"rho", 0.5}}},
                {"strategy", {{"name", "ring_allreduce"}, {"bucket_bytes", 4096}}}};

Sweep load(const json& sweep, std::vector<std::string> overrides = {}) {
    const TemporaryFolder folder;
    return load_sweep(folder.write("sweep.json", sweep.dump()), overrides);
}

std::string refusal(const json& sweep) {
    return error_line<DataError>([&] { load(sweep); });
}

}  // namespace

TEST_CASE("a sweep is the product of its lists, once per repeat, with a seed of its own") {
    const auto sweep = load({{"base", base},
                             {"grid", {{"batch_size", {32, 64}}, {"strategy.overlap", {true, false}}}},
                             {"repeats", 2}});
    REQUIRE(sweep.runs.size() == 8);
    CHECK(sweep.runs[0].settings == std::vector<std::string>{"32", "true"});
    CHECK(sweep.runs[1].settings == std::vector<std::string>{"32", "false"});
    CHECK(sweep.runs[2].settings == std::vector<std::string>{"64", "true"});
    CHECK(sweep.runs[2].spec.batch_size == 64);
    CHECK_FALSE(sweep.runs[1].spec.strategy.overlap);
    CHECK(sweep.runs[3].spec.seed == 10);
    CHECK(sweep.runs[4].spec.seed == 11);
    CHECK(sweep.runs[4].repeat == 1);
    CHECK(sweep.runs[4].settings == sweep.runs[0].settings);
    CHECK(sweep.runs[4].run_id != sweep.runs[0].run_id);
}

TEST_CASE("a precision asks for more repeats, up to a number") {
    const auto plain = load({{"base", base}, {"repeats", 2}});
    CHECK_FALSE(plain.precision);
    CHECK(plain.most_repeats == 2);
    CHECK_THAT(plain.text, !Contains("precision") && !Contains("most_repeats"));
    const json precise{{"base", base}, {"grid", {{"batch_size", {32, 64}}}}, {"precision", 0.02}};
    const auto sweep = load(precise);
    CHECK(sweep.precision == 0.02);
    CHECK(sweep.repeats == 1);
    CHECK(sweep.most_repeats == 30);
    CHECK(sweep.settings() == 2);
    CHECK(sweep.runs.size() == 60);
    CHECK(sweep.runs[sweep.position(1, 2)].spec.seed == 12);
    CHECK(sweep.setting_of(sweep.position(1, 2)) == 1);
    CHECK(load(json::parse(sweep.text)).id == sweep.id);
    auto wrong = precise;
    wrong["precision"] = 1.0;
    CHECK_THAT(refusal(wrong), Contains("$.precision: found 1.0, expected a number above 0 and below 1"));
    wrong["precision"] = "0.02";
    CHECK_THAT(refusal(wrong), Contains("$.precision"));
    wrong = precise;
    wrong["repeats"] = 8;
    wrong["most_repeats"] = 7;
    CHECK_THAT(refusal(wrong), Contains("$.most_repeats: found 7, expected an integer in [8, 1000]"));
    wrong.erase("precision");
    CHECK_THAT(refusal(wrong), Contains("$.most_repeats: has no effect without precision"));
}

TEST_CASE("a number of undisturbed runs asks for more repeats, up to a number") {
    const json asking{{"base", base}, {"repeats", 2}, {"undisturbed_repeats", 5}};
    const auto sweep = load(asking);
    CHECK(sweep.repeats == 2);
    CHECK(sweep.undisturbed_repeats == 5);
    CHECK(sweep.most_repeats == 30);
    CHECK(sweep.repeats_by_results());
    CHECK(load(json::parse(sweep.text)).id == sweep.id);
    CHECK(load({{"base", base}, {"repeats", 2}}).id != sweep.id);
    auto wrong = asking;
    wrong["undisturbed_repeats"] = 0;
    CHECK_THAT(refusal(wrong), Contains("$.undisturbed_repeats: found 0, expected an integer in [1, 1000]"));
    wrong = asking;
    wrong["most_repeats"] = 4;
    CHECK_THAT(refusal(wrong), Contains("$.most_repeats: found 4, expected an integer in [5, 1000]"));
    wrong.erase("undisturbed_repeats");
    CHECK_THAT(refusal(wrong),
               Contains("$.most_repeats: has no effect without precision or undisturbed_repeats"));
    auto many = asking;
    many["undisturbed_repeats"] = 40;
    CHECK(load(many).most_repeats == 40);
}

TEST_CASE("an object is laid over the base's, and a new name resets its siblings") {
    const auto sweep =
        load({{"base", base},
              {"grid", {{"optimizer", {{{"learning_rate", 0.5}}, {{"name", "sgd"}}, "adadelta"}}}}});
    REQUIRE(sweep.runs.size() == 3);
    const auto laid_over = std::get<Adadelta>(sweep.runs[0].spec.optimizer);
    CHECK(laid_over.learning_rate == 0.5);
    CHECK(laid_over.rho == 0.5);
    CHECK(sweep.runs[1].spec.optimizer == OptimizerSpec{Sgd{}});
    CHECK(sweep.runs[1].settings.front() == "sgd");
    CHECK(std::get<Adadelta>(sweep.runs[2].spec.optimizer).rho == Adadelta{}.rho);
}

TEST_CASE("every sweep that comes with convoy is read") {
    std::size_t sweeps = 0;
    for (const auto& entry : std::filesystem::directory_iterator(CONVOY_SWEEPS)) {
        INFO(entry.path());
        CHECK_NOTHROW(load_sweep(entry.path()));
        ++sweeps;
    }
    CHECK(sweeps > 10);
}

TEST_CASE("the base may be a file beside the sweep, and takes overrides") {
    const TemporaryFolder folder;
    folder.write("specs/base.json", base.dump());
    const json content{{"base", "../specs/base.json"}, {"grid", {{"batch_size", {32}}}}};
    const auto file = folder.write("sweeps/sweep.json", content.dump());
    const std::vector<std::string> overrides{"seed=77"};
    CHECK(load_sweep(file).runs.front().spec.seed == 10);
    CHECK(load_sweep(file, overrides).runs.front().spec.seed == 77);
    CHECK(load_sweep(file).id != load_sweep(file, overrides).id);
    CHECK(load_sweep(file).name == "small");
}

TEST_CASE("a base's own data files are those beside the base") {
    const TemporaryFolder folder;
    folder.write("specs/x.npy", "");
    auto npy = base;
    npy["dataset"] = {{"name", "npy"}, {"images", "x.npy"}, {"labels", "y.npy"}};
    folder.write("specs/base.json", npy.dump());
    const json content{{"base", "../specs/base.json"}, {"grid", {{"batch_size", {32}}}}};
    const auto sweep = load_sweep(folder.write("sweeps/sweep.json", content.dump()));
    const auto beside = (folder / "specs" / "x.npy").string();
    CHECK(sweep.runs.front().spec.dataset.npy->inputs[0].files == std::vector<std::string>{beside});
    CHECK(json::parse(sweep.text).at("base").at("dataset").at("images") == json::array({beside}));
    CHECK(sweep.runs.front().spec.dataset.npy->labels == std::vector<std::string>{"y.npy"});
}

TEST_CASE("a sweep's name follows the rule of a run's name") {
    for (const auto* name : {"/tmp/x", "../../x", "a/b", "..", ".hidden", "-o", "", "=1+1", "a b", "a\nb",
                             "\x1b[31m", "<script>"}) {
        INFO(name);
        CHECK_THAT(refusal({{"base", base}, {"name", name}}),
                   Contains("sweep.json: $.name: found ") &&
                       Contains("expected a name of 1 to 100 letters, digits or '_' '-' '.'"));
    }
    CHECK_THAT(refusal({{"base", base}, {"name", std::string(101, 'a')}}), Contains("$.name: found"));
    CHECK_THAT(refusal({{"base", base}, {"name", 3}}), Contains("$.name: found 3"));
    CHECK(load({{"base", base}, {"name", "batch-size_2.5"}}).name == "batch-size_2.5");
}

TEST_CASE("a field of the grid that can be no field is refused by name") {
    for (const auto* field :
         {"", ".", "a..b", "strategy~2.x", "nodes~", "a/b", "a=b", "\x1b[31m", "1.2.3.4.5.6.7.8.9"}) {
        INFO(field);
        CHECK_FALSE(refusal({{"base", base}, {"grid", {{field, {1}}}}}).empty());
    }
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"seed.x", {1}}}}}),
               Contains("sweep.json: $.grid[\"seed.x\"]: "));
}

TEST_CASE("what is wrong with a sweep is said in one line") {
    CHECK_THAT(refusal({{"grid", json::object()}}), Contains("$.base"));
    CHECK_THAT(refusal({{"base", base}, {"grids", 1}}), Contains("$.grids"));
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"batch_size", 32}}}}), Contains("$.grid.batch_size"));
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"batch_size", json::array()}}}}), Contains("one value"));
    CHECK_THAT(refusal({{"base", base}, {"repeats", 0}}), Contains("$.repeats"));
    CHECK_THAT(refusal({{"base", base}, {"repeats", UINT64_MAX}}), Contains("$.repeats"));
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"batch_size", {32, 32}}}}}), Contains("the same"));
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"batch_size", {32, "many"}}}}}),
               Contains("with batch_size=many") && Contains("$.batch_size"));
    CHECK_THAT(refusal({{"base", base}, {"grid", {{"batch_sizes", {32}}}}}), Contains("batch_sizes"));
    CHECK_THAT(
        refusal(
            {{"base", base}, {"repeats", 1000}, {"grid", {{"seed", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}}}}),
        Contains("more than 10000 runs"));
}
