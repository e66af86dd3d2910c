#include "cluster/agreement.hpp"

#include <catch2/catch.hpp>

using convoy::Agreement;
using convoy::Fingerprints;
namespace topic = convoy::topic;

TEST_CASE("nodes agree if no two differ in a topic that both give") {
    Agreement agreement(3);
    CHECK_FALSE(agreement.say(0, {{topic::spec, "s"}, {topic::labels, "l"}}));
    CHECK_FALSE(agreement.say(1, {{topic::spec, "s"}}));
    CHECK_FALSE(agreement.reached());
    CHECK_FALSE(agreement.say(2, {{topic::spec, "s"}, {topic::values, "v"}, {topic::labels, "l"}}));
    CHECK(agreement.reached());
    CHECK_FALSE(agreement.reached());  // a new round
}

TEST_CASE("a difference names the nodes, the topic and both fingerprints") {
    Agreement agreement(3);
    CHECK_FALSE(agreement.say(2, {{topic::spec, "s"}, {topic::labels, "l"}}));
    CHECK_FALSE(agreement.say(1, {{topic::spec, "s"}, {topic::values, "v"}}));
    const auto difference = agreement.say(0, {{topic::spec, "s"}, {topic::labels, "k"}});
    REQUIRE(difference);
    CHECK(difference->one == 2);
    CHECK(difference->other == 0);
    CHECK(difference->topic == "labels");
    CHECK(difference->of_one == "l");
    CHECK(difference->of_other == "k");
}

TEST_CASE("each topic has words and a remedy, and so has a topic of another convoy") {
    CHECK(convoy::words_of(topic::values).what == "the values of the data");
    CHECK(convoy::words_of(topic::layouts).remedy ==
          "use machines with the same processor, or set kernels.parameter_layout to plain");
    for (const auto* each : {topic::convoy, topic::spec, topic::shape, topic::labels, topic::values,
                             topic::layouts, topic::weights, topic::step, topic::benchmark})
        CHECK(convoy::words_of(each).what != "what to run");
    CHECK(convoy::words_of("tea").what == "what to run");
}

TEST_CASE("a topic may be one of some nodes only, and has the same words") {
    const auto of_second = convoy::topic_among(topic::weights, "stage 2");
    CHECK(of_second == "weights of stage 2");
    CHECK(convoy::topic_among(topic::weights, "") == topic::weights);
    CHECK(convoy::words_of(of_second).what == convoy::words_of(topic::weights).what);
    Agreement agreement(3);
    CHECK_FALSE(agreement.say(0, {{convoy::topic_among(topic::weights, "stage 1"), "a"}}));
    CHECK_FALSE(agreement.say(1, {{of_second, "b"}}));
    const auto difference = agreement.say(2, {{of_second, "c"}});
    REQUIRE(difference);
    CHECK(difference->one == 1);
}

TEST_CASE("a node that gives no fingerprints in time is named once") {
    Agreement agreement(2);
    CHECK_FALSE(agreement.overdue_after_beat(0));
    CHECK(agreement.is_untouched());
    CHECK_FALSE(agreement.say(0, Fingerprints{}));
    CHECK_FALSE(agreement.is_untouched());
    CHECK_FALSE(agreement.overdue_after_beat(2));
    CHECK_FALSE(agreement.overdue_after_beat(2));
    CHECK(agreement.overdue_after_beat(2) == 1U);
    CHECK_FALSE(agreement.overdue_after_beat(2));
}
