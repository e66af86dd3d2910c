#include "data/manifest.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "data/folders.hpp"
#include "data/idx_files.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Message;
using Json = nlohmann::json;

namespace {

// Of "abc": FIPS 180-2 appendix B.1 and RFC 1321 appendix A.5.
const std::string abc_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string abc_md5 = "900150983cd24fb0d6963f7d28e17f72";

Json small_manifest() {
    return {{"name", "mnist"},
            {"title", "t"},
            {"licence", "l"},
            {"citation", "c"},
            {"homepage", "h"},
            {"files",
             {{{"name", "a.gz"}, {"bytes", 3}, {"sha256", abc_sha256}, {"mirrors", {"http://host/a.gz"}}},
              {{"name", "b.gz"},
               {"md5", abc_md5},
               {"unpacked", {{"bytes", 3}, {"md5", abc_md5}}},
               {"mirrors", {"https://host/b.gz", "http://host/b.gz"}}}}}};
}

Manifest read(const Json& json) {
    const TemporaryFolder folder;
    return read_manifest(folder.write("m.json", json.dump()));
}

}  // namespace

TEST_CASE("hashes are those that their standards give") {
    const TemporaryFolder folder;
    const auto file = folder.write("abc", "abc");
    CHECK(digest_of_file(file, HashKind::sha256) == Digest{HashKind::sha256, abc_sha256});
    CHECK(digest_of_file(file, HashKind::md5).text() == "md5 " + abc_md5);
    CHECK_THROWS_AS(digest_of_file(folder.path() / "none", HashKind::md5), MissingFileError);
}

TEST_CASE("a manifest is read") {
    const auto manifest = read(small_manifest());
    CHECK(manifest.name == "mnist");
    REQUIRE(manifest.files.size() == 2);
    CHECK(manifest.files[0].identity == FileIdentity{3, {HashKind::sha256, abc_sha256}});
    CHECK_FALSE(manifest.files[0].unpacked);
    CHECK_FALSE(manifest.files[1].identity.bytes);
    CHECK(manifest.files[1].unpacked == FileIdentity{3, {HashKind::md5, abc_md5}});
    CHECK(manifest.files[1].mirrors.size() == 2);
}

TEST_CASE("a wrong manifest is refused with the place of the mistake") {
    const auto refuse = [](const char* where, const Json& value, const char* message) {
        auto json = small_manifest();
        if (value.is_null()) {
            json[Json::json_pointer(where).parent_pointer()].erase(Json::json_pointer(where).back());
        } else {
            json[Json::json_pointer(where)] = value;
        }
        INFO(where);
        CHECK_THROWS_WITH(read(json), Contains(message) && Contains("m.json"));
        CHECK_THROWS_AS(read(json), DataError);
    };
    refuse("/licence", nullptr, "\"licence\" is not a text");
    refuse("/license", "l", "\"license\" is no field");
    refuse("/files", Json::array(), "\"files\" is not a list");
    refuse("/files/0", "a", "files[0]: is not an object");
    refuse("/files/0/name", "../a.gz",
           "files[0]: found name \"../a.gz\", expected a name of 1 to 100 letters");
    refuse("/files/0/name", ".", "expected a name of");
    refuse("/name", "../mnist", "expected a name of");
    refuse("/files/0/bytes", -3, "\"bytes\" is not a whole number");
    refuse("/files/0/md5", abc_md5, "needs either \"sha256\" or \"md5\"");
    refuse("/files/1/md5", nullptr, "files[1]: needs either");
    refuse("/files/1/md5", abc_sha256, "is not a md5");
    refuse("/files/1/unpacked/md5", "XYZ", "files[1].unpacked: \"XYZ\"");
    refuse("/files/1/mirrors", Json::array({"file:///etc/passwd"}), "mirror 0: convoy cannot fetch by file");
    refuse("/files/1/mirrors", Json::array({"http://h/a", "http://u:p@h/b"}), "mirror 1: a user or password");
    refuse("/files/1/mirrors", Json::array({"http://h/a#sha256=" + abc_sha256}), "has a hash behind it");
    refuse("/files/1/mirrors", Json::array({7}), "is not an address");
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(read_manifest(folder.write("m.json", "{")), Contains("not JSON"));
    CHECK_THROWS_AS(read_manifest(folder.path() / "none.json"), MissingFileError);
}

TEST_CASE("files are compared with their manifest in the form that is read") {
    const TemporaryFolder folder;
    const auto manifest = read(small_manifest());
    const auto states = [&] {
        std::vector<FileState> found;
        for (const auto& check : verify_dataset(manifest, folder.path())) found.push_back(check.state);
        return found;
    };
    const auto require = [&] { require_intact("mnist", verify_dataset(manifest, folder.path())); };
    using enum FileState;

    CHECK(states() == std::vector{missing, missing});
    CHECK(files_present(manifest, folder.path()) == 0);
    CHECK_THROWS_AS(require(), MissingFileError);

    folder.write("mnist/a.gz", "abc");
    folder.write("mnist/b.gz", "abd");
    CHECK(states() == std::vector{intact, damaged});
    CHECK(files_present(manifest, folder.path()) == 2);
    CHECK_THROWS_WITH(require(),
                      Contains("b.gz: is damaged: md5") && Contains("`convoy dataset fetch mnist`"));
    CHECK_THROWS_AS(require(), DataError);

    folder.write("mnist/b", "abc");
    CHECK(states() == std::vector{intact, intact});
    CHECK_NOTHROW(require());

    folder.write("mnist/a", "abc");
    CHECK(states() == std::vector{unknown, intact});
    folder.write("mnist/b", "abcd");
    CHECK(states() == std::vector{unknown, damaged});
    CHECK(verify_dataset(manifest, folder.path())[1].detail == "4 bytes, not 3");
}

TEST_CASE("every dataset that has files has a manifest of its name") {
    const EnvironmentVariable unset("CONVOY_SHARE", nullptr);
    for (const auto& info : known_datasets()) {
        if (info.generated) {
            CHECK_THROWS_WITH(manifest_of(info.name), Contains("draws this dataset itself"));
            continue;
        }
        const auto manifest = manifest_of(info.name);
        CHECK(manifest.name == info.name);
        if (info.name == "cifar10") {
            REQUIRE(manifest.files.size() == 1);
            CHECK(manifest.files[0].members.size() == 6);
            continue;
        }
        REQUIRE(manifest.files.size() == 4);
        CHECK(manifest.files[0].name == "train-images-idx3-ubyte.gz");
    }
    CHECK_THROWS_AS(manifest_of("../mnist"), DataError);
}

TEST_CASE("the real MNIST files are those of the manifest", "[real_data]") {
    const char* folder = std::getenv("CONVOY_DATA");
    INFO("CONVOY_DATA must name a folder that holds mnist/ with the four files of MNIST");
    REQUIRE(folder != nullptr);
    const EnvironmentVariable unset("CONVOY_SHARE", nullptr);
    const auto checks = verify_dataset(manifest_of("mnist"), folder);
    REQUIRE(checks.size() == 4);
    for (const auto& check : checks) {
        CAPTURE(check.file, check.detail);
        CHECK(check.state == FileState::intact);
    }
}

TEST_CASE("the real CIFAR-10 files are those of the manifest", "[real_data]") {
    const char* folder = std::getenv("CONVOY_DATA");
    INFO("CONVOY_DATA must name a folder that holds cifar10/ with the six files of CIFAR-10");
    REQUIRE(folder != nullptr);
    const EnvironmentVariable unset("CONVOY_SHARE", nullptr);
    const auto checks = verify_dataset(manifest_of("cifar10"), folder);
    for (const auto& check : checks) {
        CAPTURE(check.file, check.detail);
        CHECK(check.state == FileState::intact);
    }
}

TEST_CASE("members stand for an archive that is not there, gzipped or not") {
    const TemporaryFolder folder;
    const FileIdentity abc{3, {HashKind::md5, "900150983cd24fb0d6963f7d28e17f72"}};
    const Manifest manifest{
        "set", "t", "l", "c", "h", {{"a.tar.gz", abc, {}, {{"one", abc}, {"two", abc}}, {"http://h/a"}}}};
    const auto states = [&] {
        std::vector<FileState> found;
        for (const auto& check : verify_dataset(manifest, folder.path())) found.push_back(check.state);
        return found;
    };
    using enum FileState;
    CHECK(states() == std::vector{missing});
    CHECK(files_present(manifest, folder.path()) == 0);
    folder.write("set/one", "abc");
    CHECK(states() == std::vector{intact, missing});
    folder.write("set/two.gz", gzipped("abc"));
    CHECK(states() == std::vector{intact, intact});
    CHECK(files_present(manifest, folder.path()) == 1);
    folder.write("set/two.gz", gzipped("abd"));
    CHECK(states() == std::vector{intact, damaged});
    folder.write("set/two.gz", "abc");
    CHECK(states() == std::vector{intact, damaged});
    folder.write("set/a.tar.gz", "abc");
    CHECK(states() == std::vector{intact});
}

TEST_CASE("the data folder is what was given, else CONVOY_DATA, else datasets/cache") {
    const EnvironmentVariable set("CONVOY_DATA", "/from/environment");
    CHECK(find_data_folder("/given") == "/given");
    CHECK(find_data_folder() == "/from/environment");
    const EnvironmentVariable empty("CONVOY_DATA", "");
    CHECK(find_data_folder() == "datasets/cache");
    const EnvironmentVariable unset("CONVOY_DATA", nullptr);
    CHECK(find_data_folder() == "datasets/cache");
}

TEST_CASE("the share folder is CONVOY_SHARE, else the source tree of this build") {
    const EnvironmentVariable set("CONVOY_SHARE", "/share");
    CHECK(share_folder() == "/share");
    const EnvironmentVariable unset("CONVOY_SHARE", nullptr);
    CHECK(exists(share_folder() / "datasets" / "mnist.json"));
}

TEST_CASE("a spec below experiments that is not there is the one that comes with convoy") {
    const TemporaryFolder share;
    const auto ours = share.write("experiments/sweeps/ours.json", "{}");
    const auto other = share.write("other.json", "{}");
    const EnvironmentVariable set("CONVOY_SHARE", share.path().c_str());
    CHECK(find_experiment("experiments/sweeps/ours.json") == ours);
    CHECK(find_experiment("experiments/sweeps/none.json") == "experiments/sweeps/none.json");
    CHECK(find_experiment("experiments/sweeps") == "experiments/sweeps");
    CHECK(find_experiment("other.json") == "other.json");
    CHECK(find_experiment(other) == other);
    CHECK(find_experiment("") == "");
}

TEST_CASE("a spec that must be there and is not is refused with the name of a similar one") {
    const TemporaryFolder share;
    const auto ours = share.write("experiments/sweeps/ours.json", "{}");
    const EnvironmentVariable set("CONVOY_SHARE", share.path().c_str());
    CHECK(existing_experiment("experiments/sweeps/ours.json") == ours);
    CHECK(existing_experiment(ours) == ours);
    CHECK_THROWS_MATCHES(existing_experiment("experiments/sweeps/uors.json"), MissingFileError,
                         Message("experiments/sweeps/uors.json: No such file or directory (did you mean "
                                 "\"experiments/sweeps/ours.json\"?)"));
    CHECK_THROWS_MATCHES(existing_experiment(share.path() / "experiments/sweeps/our.json"), MissingFileError,
                         Message((share.path() / "experiments/sweeps/our.json").string() +
                                 ": No such file or directory (did you mean \"" +
                                 (share.path() / "experiments/sweeps/ours.json").string() + "\"?)"));
    CHECK_THROWS_MATCHES(existing_experiment("/none/x.json"), MissingFileError,
                         Message("/none/x.json: No such file or directory"));
}

TEST_CASE("a spec below experiments that is there is not the one that comes with convoy") {
    const TemporaryFolder share;
    share.write("experiments/twice.json", "{}");
    const EnvironmentVariable set("CONVOY_SHARE", share.path().c_str());
    const TemporaryFolder here;
    here.write("experiments/twice.json", "{}");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(here.path());
    const auto found = find_experiment("experiments/twice.json");
    std::filesystem::current_path(before);
    CHECK(found == "experiments/twice.json");
}
