#include "graph/rewriter.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

using Kind = OperatorKind;
constexpr TensorId a{0}, b{1}, c{2}, d{3};

struct Lists {
    std::vector<TensorInfo> tensors{{"a", {1}}, {"b", {1}}, {"c", {1}}, {"d", {1}, TensorRole::gradient}};
    std::vector<Operator> operators{make(Kind::relu, {a}, b), make(Kind::add, {a, a}, c),
                                    make(Kind::tanh, {b}, d), make(Kind::relu, {d}, c)};

    static Operator make(Kind kind, std::vector<TensorId> inputs, TensorId output) {
        return {kind, "o", Pass::forward, std::move(inputs), {output}, {}, {}};
    }
};

}  // namespace

TEST_CASE("a rewriter knows who writes and reads a tensor") {
    Lists lists;
    const Rewriter rewriter(lists.operators, lists.tensors);
    CHECK(rewriter.writer(b, Kind::relu) == Position{0});
    CHECK_FALSE(rewriter.writer(b, Kind::tanh));
    CHECK(rewriter.reader(a, Kind::add) == Position{1});
    CHECK(rewriter.count_readers(a) == 2);
    CHECK_FALSE(rewriter.sole_reader(a));
    CHECK(rewriter.sole_reader(b) == Position{2});
    CHECK_FALSE(rewriter.sole_reader(b, Kind::relu));
    CHECK_FALSE(rewriter.sole_reader(d));  // a bucket may be read by an exchange
    CHECK_FALSE(rewriter.written_before(c, 3));
    CHECK(rewriter.written_before(c, 4));
}

TEST_CASE("a rewriter's answers follow what is put and removed") {
    Lists lists;
    Rewriter rewriter(lists.operators, lists.tensors);
    rewriter.put(2, Lists::make(Kind::tanh, {a}, b));
    CHECK(rewriter.count_readers(a) == 3);
    CHECK(rewriter.count_readers(b) == 0);
    CHECK(rewriter.writer(b, Kind::tanh) == Position{2});
    CHECK_FALSE(rewriter.writer(d, Kind::tanh));
    rewriter.remove(0);
    CHECK(rewriter.count_readers(a) == 2);
    CHECK_FALSE(rewriter.is(0, Kind::relu));
    rewriter.replace(a, d, 2);
    CHECK(rewriter.sole_reader(a) == Position{1});
    CHECK(rewriter.count_readers(d) == 2);
    rewriter.finish();
    CHECK(lists.operators == std::vector{Lists::make(Kind::add, {a, a}, c), Lists::make(Kind::tanh, {d}, b),
                                         Lists::make(Kind::relu, {d}, c)});
}
