#include "train/early_stopping.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("training ends after so many epochs without improvement") {
    EarlyStopping stopping({.patience = 2, .min_improvement = 0.1});
    CHECK_FALSE(stopping.ends_after(1.0));
    CHECK_FALSE(stopping.ends_after(0.95));  // better, but by too little
    CHECK_FALSE(stopping.ends_after(0.8));
    CHECK_FALSE(stopping.ends_after(0.9));
    CHECK(stopping.ends_after(0.85));
}

TEST_CASE("gains too small to count add up") {
    EarlyStopping stopping({.patience = 3, .min_improvement = 0.1});
    for (const double loss : {1.0, 0.94, 0.88, 0.82, 0.76, 0.70}) CHECK_FALSE(stopping.ends_after(loss));
    CHECK_FALSE(stopping.ends_after(0.69));
    CHECK(stopping.ends_after(0.68));
}

TEST_CASE("without patience training never ends early") {
    EarlyStopping stopping({});
    for (int epoch = 0; epoch < 10; ++epoch) CHECK_FALSE(stopping.ends_after(1.0));
}

TEST_CASE("what was noted before counts") {
    EarlyStopping before({.patience = 2});
    CHECK_FALSE(before.ends_after(0.5));
    CHECK_FALSE(before.ends_after(0.6));
    EarlyStopping stopping({.patience = 2}, before.history());
    CHECK(stopping.ends_after(0.55));
}
