#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cluster/control_messages.hpp"
#include "cluster/messages.hpp"
#include "measure/records_json.hpp"

using namespace convoy::messages;
using convoy::DataError;
using convoy::ExitCode;

TEST_CASE("hello survives the way") {
    convoy::messages::Hello hello{.pid = 7, .fabric = "127.0.0.1:1", .cores = 2, .rank = 3};
    const auto copy = decode_hello(encode(hello));
    CHECK(copy.protocol == protocol);
    CHECK(copy.version == convoy::build_text());
    CHECK(copy.pid == 7);
    CHECK(copy.fabric == "127.0.0.1:1");
    CHECK(copy.cores == 2);
    CHECK(copy.rank == 3);
    hello.rank.reset();
    CHECK_FALSE(decode_hello(encode(hello)).rank);
}

TEST_CASE("an assignment survives the way") {
    Assign assign{
        .assignment = {.rank = 1,
                       .world_size = 2,
                       .spec = {},
                       .data_folder = "/data",
                       .threads = 3,
                       .layout_threads = 4,
                       .faults = {{.node = 1, .step = 50, .kind = convoy::FaultKind::slow, .factor = 1.5},
                                  {.node = 1, .step = 60, .kind = convoy::FaultKind::drop_link}},
                       .resume = convoy::NodeCheckpoint{},
                       .generation = 2},
        .peers = {"127.0.0.1:1", "127.0.0.1:2"},
        .run = {std::byte{1}},
        .run_key = convoy::Hmac{std::byte{2}}};
    assign.assignment.spec.dataset.name = "mnist";
    assign.assignment.spec.model.name = "mnist_cnn";
    assign.assignment.spec.nodes.resize(2);
    const auto copy = decode_assign(encode(assign));
    CHECK(copy.assignment.rank == 1);
    CHECK(copy.assignment.world_size == 2);
    CHECK(copy.assignment.spec == assign.assignment.spec);
    CHECK(copy.assignment.data_folder == "/data");
    CHECK(copy.assignment.threads == 3);
    CHECK(copy.assignment.layout_threads == 4);
    CHECK(copy.assignment.resume == convoy::NodeCheckpoint{});
    CHECK(copy.assignment.generation == 2);
    CHECK(copy.assignment.faults == assign.assignment.faults);
    CHECK(copy.peers == assign.peers);
    CHECK(copy.run == assign.run);
    CHECK(copy.run_key == assign.run_key);

    assign.run_key.reset();
    CHECK_FALSE(decode_assign(encode(assign)).run_key);
    auto short_name = encode(assign);
    short_name["run"] = nlohmann::json::binary_t({1, 2, 3});
    CHECK_THROWS_WITH(decode_assign(short_name), "a cluster message has 3 bytes of 'run', not 16");
    assign.peers.pop_back();
    CHECK_THROWS_WITH(decode_assign(encode(assign)), "the launcher names 1 peers for 2 nodes");
    assign.assignment.rank = 2;
    CHECK_THROWS_WITH(decode_assign(encode(assign)), "a cluster message has world_size 2, below 3");
}

TEST_CASE("an integer that does not fit its field is refused") {
    const auto expected = [](const std::string& name) {
        return "a cluster message has no usable field '" + name + "'; do all nodes run the same convoy?";
    };
    const auto hello =
        encode(convoy::messages::Hello{.pid = 7, .fabric = "127.0.0.1:1", .cores = 2, .rank = 3});
    const std::vector<std::pair<std::string, nlohmann::json>> misfits{
        {"cores", std::int64_t{1} << 32},
        {"protocol", (std::int64_t{1} << 32) + protocol},
        {"pid", 1e300},
        {"pid", 1.5},
        {"rank", std::numeric_limits<std::uint64_t>::max()}};
    for (const auto& [name, value] : misfits) {
        auto wrong = hello;
        wrong[name] = value;
        CHECK_THROWS_WITH(decode_hello(wrong), expected(name));
    }
    Assign assign;
    assign.assignment.spec.dataset.name = "mnist";
    assign.assignment.spec.model.name = "mnist_cnn";
    assign.peers = {"127.0.0.1:1"};
    CHECK(decode_assign(encode(assign)).peers == assign.peers);
    for (const std::string name : {"rank", "threads", "layout_threads", "generation"}) {
        auto wrong = encode(assign);
        wrong[name] = std::numeric_limits<std::int64_t>::max();
        CHECK_THROWS_WITH(decode_assign(wrong), expected(name));
    }
}

TEST_CASE("how a run goes on whose workers take steps apart survives the way, if it fits the ranks") {
    Assign assign;
    auto& node = assign.assignment;
    node.spec.dataset.name = "mnist";
    node.spec.model.name = "mnist_cnn";
    node.spec.nodes.resize(2);
    node.spec.strategy.name = convoy::StrategyName::parameter_server;
    node.spec.strategy.staleness.reset();
    node.world_size = 3;
    node.generation = 1;
    assign.peers = {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"};
    node.apart = convoy::GoingApart{
        .shares = 3, .ranks = {{.place = 0, .step = 7}, {.place = 2, .step = 9}, {.place = 3, .step = 6}}};
    CHECK(decode_assign(encode(assign)).assignment.apart == node.apart);
    const auto refused = [&](auto change) {
        auto wrong = assign;
        change(*wrong.assignment.apart);
        CHECK_THROWS_AS(decode_assign(encode(wrong)), convoy::DataError);
    };
    refused([](auto& apart) { apart.ranks.pop_back(); });
    refused([](auto& apart) { apart.ranks[1].place = 0; });  // in order, and each once
    refused([](auto& apart) { apart.ranks[0].step = -1; });
    refused([](auto& apart) { apart.shares = 2; });  // the worker at place 2 has none
    refused([](auto& apart) { apart.shares = 0; });
    refused([](auto& apart) { apart.shares = std::int64_t{1} << 60U; });
    refused([](auto& apart) { apart.ranks[2].place = 4; });  // the server's is behind the three shares
    refused([](auto& apart) { apart.ranks[2].place = std::numeric_limits<std::int64_t>::max(); });
    auto many = encode(assign);
    many["world_size"] = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH(decode_assign(many), Catch::Contains("peers for 9223372036854775807 nodes"));
}

TEST_CASE("an assignment says whether connections are under TLS, and by which files") {
    Assign assign;
    assign.assignment.spec.dataset.name = "mnist";
    assign.assignment.spec.model.name = "mnist_cnn";
    assign.peers = {"127.0.0.1:1"};
    CHECK_FALSE(decode_assign(encode(assign)).tls);
    CHECK_FALSE(decode_assign(encode(assign)).always_seal);
    assign.always_seal = true;
    assign.tls = convoy::TlsFiles{.certificate = "/a.pem", .key = "/a.key", .authority = "/ca.pem"};
    const auto copy = decode_assign(encode(assign));
    CHECK(copy.tls == assign.tls);
    CHECK(copy.always_seal);
    auto wrong = encode(assign);
    wrong["tls"]["key"] = "";
    CHECK_THROWS_AS(decode_assign(wrong), convoy::DataError);
    wrong["tls"] = true;
    CHECK_THROWS_AS(decode_assign(wrong), convoy::DataError);
}

TEST_CASE("fingerprints survive the way, if they are few and short") {
    const convoy::Fingerprints good{{"labels", "abc"}, {std::string(32, 't'), std::string(128, 'f')}};
    CHECK(decode_fingerprints(encode(good)) == good);
    CHECK(decode_fingerprints(encode(convoy::Fingerprints{})).empty());
    convoy::Fingerprints many;
    for (int i = 0; i < 17; ++i) many[std::to_string(i)] = "f";
    const convoy::Fingerprints long_topic{{std::string(33, 't'), "f"}};
    const convoy::Fingerprints long_text{{"t", std::string(129, 'f')}};
    for (const auto& bad : {many, long_topic, long_text})
        CHECK_THROWS_AS(decode_fingerprints(encode(bad)), convoy::DataError);
    for (const auto* wrong : {R"({"fingerprints": "abc"})", R"({"fingerprints": {"labels": 3}})", "{}"})
        CHECK_THROWS_AS(decode_fingerprints(nlohmann::json::parse(wrong)), convoy::DataError);
}

TEST_CASE("progress and problems survive the way") {
    const convoy::NodeProgress progress{.rank = 0,
                                        .phase = "train",
                                        .epoch = 1,
                                        .epochs = 2,
                                        .step = 3,
                                        .steps = 4,
                                        .loss = 0.5,
                                        .accuracy = 0.25,
                                        .examples = 8,
                                        .examples_per_second = 10};
    const auto copy = decode_progress(encode(progress));
    CHECK(copy.phase == "train");
    CHECK(copy.epoch == 1);
    CHECK(copy.epochs == 2);
    CHECK(copy.step == 3);
    CHECK(copy.steps == 4);
    CHECK(copy.loss == 0.5);
    CHECK(copy.accuracy == 0.25);
    CHECK(copy.examples == 8);
    CHECK(copy.examples_per_second == 10);

    const auto problem = decode_problem(encode(type::failed, {.code = ExitCode::data, .message = "bad"}));
    CHECK(problem.code == ExitCode::data);
    CHECK(problem.message == "bad");
    CHECK(decode_problem({{"code", 0}, {"message", ""}}).code == ExitCode::bug);
}

TEST_CASE("records survive the way, if a message has few") {
    convoy::NodeRecords records;
    records.steps.resize(most_rows_of_records);
    const auto message = [&records] {
        return nlohmann::json{{"type", type::records}, {"records", convoy::records_to_json(records)}};
    };
    CHECK(std::get<convoy::NodeRecords>(convoy::decode_member_message(message())) == records);
    records.system.resize(1);
    CHECK_THROWS_WITH(convoy::decode_member_message(message()),
                      "a message has 1001 rows of records, more than 1000");
}

TEST_CASE("messages of the launcher survive the way, each as its own kind") {
    const std::vector<convoy::LauncherMessage> all{
        convoy::told::Welcome{},    convoy::told::Ping{.number = 7},
        convoy::told::Agreed{},     convoy::told::Kept{},
        convoy::told::Stop{},       convoy::told::StopAfter{.step = 5},
        convoy::told::Pause{},      convoy::told::PauseAfter{.step = 6},
        convoy::told::Suspend{},    convoy::told::GiveState{},
        convoy::told::FaultNoted{}, convoy::told::Partition{},
        convoy::told::Bye{},        convoy::told::Abort{.problem = {ExitCode::data, "bad"}}};
    REQUIRE(all.size() == std::variant_size_v<convoy::LauncherMessage>);
    for (const auto& message : all) {
        const auto json = convoy::encode(message);
        const auto copy = convoy::decode_launcher_message(json);
        CHECK(copy.index() == message.index());
        CHECK(convoy::encode(copy) == json);
    }
    CHECK_THROWS_AS(convoy::decode_launcher_message({{"type", "sing"}}), convoy::DisagreementError);
    CHECK_THROWS_AS(convoy::decode_launcher_message({{"type", type::stop_after}}), DataError);
}

TEST_CASE("a message of another kind is a data error") {
    CHECK_THROWS_AS(type_of({{"code", 1}}), DataError);
    CHECK_THROWS_AS(type_of(nlohmann::json::array()), DataError);
    CHECK_THROWS_AS(decode_hello({{"type", "hello"}}), DataError);
    auto hello = encode(convoy::messages::Hello{});
    hello["pid"] = "one";
    CHECK_THROWS_WITH(decode_hello(hello),
                      "a cluster message has no usable field 'pid'; do all nodes run the same convoy?");
    hello["pid"] = 0;
    CHECK_THROWS_AS(decode_hello(hello), DataError);
    hello["pid"] = 1;
    hello["fabric"] = "10.0.0.1:many";
    CHECK_THROWS_WITH(decode_hello(hello), "a node's address is '10.0.0.1:many', not ADDRESS:PORT");
}
