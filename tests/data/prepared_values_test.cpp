#include "data/prepared_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "base/error.hpp"
#include "data/dataset.hpp"

using namespace convoy;

namespace {

/// Examples of three values that tell their number; counts how often each is read.
class Counted final : public ExampleValues {
  public:
    explicit Counted(std::size_t examples) : reads_(examples) {}
    void read(std::uint32_t example, std::span<float> into) const override {
        std::ranges::fill(into, static_cast<float>(example));
        ++reads_.at(example);
    }
    [[nodiscard]] int reads(std::uint32_t example) const { return reads_.at(example); }

  private:
    mutable std::vector<std::atomic<int>> reads_;
};

std::vector<float> example(const ExampleValues& values, std::uint32_t number) {
    std::vector<float> found(3);
    values.read(number, found);
    return found;
}

}  // namespace

TEST_CASE("an example is converted when it is first read, and kept") {
    for (const auto place : {PreparedStore::memory, PreparedStore::disk}) {
        const auto source = std::make_shared<Counted>(9);
        const PreparedValues prepared(source, 2, 5, 3, place);
        for (int time = 0; time < 3; ++time) {
            CHECK(example(prepared, 2) == std::vector<float>(3, 2.0F));
            CHECK(example(prepared, 6) == std::vector<float>(3, 6.0F));
        }
        CHECK(source->reads(2) == 1);
        CHECK(source->reads(4) == 0);
        prepared.prepare_all();
        for (std::uint32_t i = 2; i < 7; ++i) CHECK(source->reads(i) == 1);
        CHECK(source->reads(7) == 0);
        CHECK(example(prepared, 5) == std::vector<float>(3, 5.0F));
        CHECK_THROWS_AS(example(prepared, 1), InternalError);
        CHECK_THROWS_AS(example(prepared, 7), InternalError);
    }
}

TEST_CASE("several threads read one store") {
    const auto source = std::make_shared<Counted>(200);
    const PreparedValues prepared(source, 0, 200, 3, PreparedStore::memory);
    std::atomic<int> wrong = 0;
    const auto read_all = [&] {
        for (std::uint32_t i = 0; i < 200; ++i)
            wrong += example(prepared, i) != std::vector<float>(3, static_cast<float>(i));
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back(read_all);
    }
    CHECK(wrong == 0);
    read_all();
    CHECK(wrong == 0);
}

TEST_CASE("slices of a dataset are prepared each for itself") {
    const auto source = std::make_shared<Counted>(10);
    const Dataset all({1, 1, 3}, 2, std::vector<std::int32_t>(10, 1), source);
    const auto part = all.slice(4, 3).prepared(Prepare::ahead, PreparedStore::memory);
    CHECK(source->reads(3) == 0);
    CHECK(source->reads(4) == 1);
    CHECK(source->reads(6) == 1);
    std::vector<float> found(3);
    part.read(2, found);
    CHECK(found == std::vector<float>(3, 6.0F));
    CHECK(source->reads(6) == 1);
    CHECK(all.slice(0, 0).prepared(Prepare::ahead, PreparedStore::disk).size() == 0);
}

TEST_CASE("where there is no room for prepared examples, that is said") {
    CHECK_THROWS_AS(FloatStore(std::size_t{1} << 58U, PreparedStore::disk), OutputError);
}
