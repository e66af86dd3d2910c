#include "cluster/rendezvous.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const Rendezvous here{.endpoint = "127.0.0.1:4444", .token = "swordfish"};

}  // namespace

TEST_CASE("a rendezvous is read as it was published, by its owner only, and goes with its object") {
    const TemporaryFolder folder;
    const auto file = folder / "a" / "b" / "convoy-x.rendezvous";
    {
        RendezvousFile published(file);
        CHECK_FALSE(read_rendezvous(file));
        published.publish(here);
        CHECK(read_rendezvous(file) == here);
        CHECK((fs::status(file).permissions() & fs::perms(0777)) == fs::perms(0600));
        CHECK(names_in(file.parent_path()).size() == 1);
    }
    CHECK(names_in(file.parent_path()).empty());
}

TEST_CASE("what an earlier run left under the name is removed") {
    const TemporaryFolder folder;
    const auto file = folder / "r";
    RendezvousFile earlier(file);
    earlier.publish(here);
    RendezvousFile now(file);
    CHECK_FALSE(read_rendezvous(file));
}

TEST_CASE("a rendezvous that others may read, or that is no such file, is refused") {
    const TemporaryFolder folder;
    const auto file = folder / "r";
    std::ofstream(file) << R"({"endpoint": "127.0.0.1:1", "token": "x"})";
    for (const mode_t mode : {0640, 0604, 0622}) {
        ::chmod(file.c_str(), mode);
        CHECK_THROWS_AS(read_rendezvous(file), UsageError);
    }
    ::chmod(file.c_str(), 0600);
    CHECK(read_rendezvous(file));
    fs::create_symlink(file, folder / "link");
    CHECK_THROWS_AS(read_rendezvous(folder / "link"), UsageError);
    fs::create_directory(folder / "folder");
    ::chmod((folder / "folder").c_str(), 0700);
    CHECK_THROWS_AS(read_rendezvous(folder / "folder"), UsageError);
    for (const auto* text :
         {"", "{}", "[]", R"({"endpoint": 1, "token": "x"})", R"({"endpoint": "a:1"})", "\xff"}) {
        std::ofstream(file) << text;
        CHECK_THROWS_AS(read_rendezvous(file), DataError);
    }
    std::ofstream(file) << R"({"endpoint": "127.0.0.1:1", "token": ")" + std::string(5000, 'x') + "\"}";
    CHECK_THROWS_AS(read_rendezvous(file), DataError);
}

TEST_CASE("a process waits for a rendezvous") {
    const TemporaryFolder folder;
    const auto file = folder / "r";
    RendezvousFile published(file);
    CHECK_THROWS_WITH(await_rendezvous(file, 30ms), Contains(file.string()));
    std::thread other([&] { published.publish(here); });
    CHECK(await_rendezvous(file, 20s) == here);
    other.join();
    CHECK(await_rendezvous(file, 1ms) == here);
}

TEST_CASE("a rendezvous file goes with its process, unless another process has put one in its place") {
    const TemporaryFolder folder;
    const auto file = folder / "r";
    auto next = here;
    next.endpoint = "127.0.0.1:5555";
    {
        RendezvousFile alone(file);
        alone.publish(here);
    }
    CHECK_FALSE(fs::exists(file));
    RendezvousFile second(file);
    {
        RendezvousFile first(file);
        first.publish(here);
        second.publish(next);
    }
    CHECK(read_rendezvous(file) == next);
}
