#include <algorithm>
#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("a share without examples puts zeros into the same buckets") {
    const auto programs = compile_for({1, 0});
    CHECK(programs[1].buckets == programs[0].buckets);
    CHECK(programs[1].operators[0].kind == OperatorKind::dataset);
    CHECK(std::ranges::count(programs[1].operators, Pass::forward, &Operator::pass) == 0);
    CHECK(short_text(programs[1]) ==
          Lines{"ZerosLike dense_2.weight/gradient", "ZerosLike dense_2.bias/gradient",
                "ZerosLike dense_1.weight/gradient", "CollectiveReduceStart bucket_0",
                "ZerosLike dense_1.bias/gradient", "ZerosLike conv2d_2.weight/gradient",
                "ZerosLike conv2d_2.bias/gradient", "ZerosLike conv2d_1.weight/gradient",
                "ZerosLike conv2d_1.bias/gradient", "CollectiveReduceStart bucket_1",
                "CollectiveReduce bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1"} + updates_of_second);
}
