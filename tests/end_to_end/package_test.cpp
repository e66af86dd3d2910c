// The package for Debian, installed below a folder of the test, so that the machine stays as it is.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/run_program.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Runs a program, which must succeed, and returns what it printed.
std::string output_of(const std::vector<std::string>& command) {
    const auto outcome = run_program(command, "", patience);
    INFO(command.front() << ": " << outcome.out << outcome.err);
    REQUIRE(outcome.in_time);
    REQUIRE(outcome.code == 0);
    return outcome.out;
}

/// Makes the package of the build that this test belongs to. Returns its file.
fs::path make_package(const TemporaryFolder& folder) {
    const auto made = folder / "made";
    output_of({"cpack", "--config", BUILD_FOLDER "/CPackConfig.cmake", "-G", "DEB", "-B", made.string()});
    std::vector<fs::path> packages;
    for (const auto& entry : fs::directory_iterator(made))
        if (entry.path().extension() == ".deb") packages.push_back(entry.path());
    REQUIRE(packages.size() == 1);
    return packages.front();
}

/// A file system below a folder, whose package manager believes that this machine's packages are installed.
/// So a dependency that this machine lacks is an error.
class InstallationRoot {
  public:
    explicit InstallationRoot(const TemporaryFolder& folder)
        : path_(folder / "root"), administration_(folder / "administration") {
        fs::create_directories(path_);
        for (const auto* name : {"info", "updates", "triggers"})
            fs::create_directories(administration_ / name);
        fs::copy_file("/var/lib/dpkg/status", administration_ / "status");
        // The lists of their files, without which dpkg warns of each package.
        for (const auto& entry : fs::directory_iterator("/var/lib/dpkg/info")) {
            const auto name = entry.path().filename();
            if (name.extension() == ".list" || name == "format")
                fs::create_symlink(entry.path(), administration_ / "info" / name);
        }
    }
    void dpkg(std::vector<std::string> words) const {
        words.insert(words.begin(), {"dpkg", "--instdir=" + path_.string(),
                                     "--admindir=" + administration_.string(), "--log=/dev/null"});
        output_of(words);
    }
    [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
    /// The files and links in it.
    [[nodiscard]] std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::recursive_directory_iterator(path_))
            if (!entry.is_directory()) found.push_back(entry.path());
        return found;
    }

  private:
    fs::path path_, administration_;
};

/// Runs convoy in a folder where there is neither a network nor this checkout with its build, and where PATH
/// has the folder `programs` only.
std::string run_alone(const fs::path& programs, const fs::path& folder, const std::string& arguments) {
    const std::string script = "mount -t tmpfs none '" SOURCE_FOLDER "' && ip link set lo up && cd '" +
                               folder.string() + "' && export PATH='" + programs.string() +
                               "' && exec convoy " + arguments;
    return output_of({"unshare", "--mount", "--net", "sh", "-c", script});
}

}  // namespace

TEST_CASE("the package for Debian brings all that a first experiment needs, and leaves nothing behind",
          "[needs_root]") {
    const TemporaryFolder folder;
    const auto package = make_package(folder);
    const auto fields = output_of({"dpkg-deb", "--field", package.string()});
    CHECK_THAT(fields, Contains("Package: convoy\n"));
    CHECK_THAT(fields, Contains("libdnnl2 (") && Contains("libc6 ("));
    CHECK_THAT(fields, Contains("Recommends: gnuplot-nox, iproute2"));

    const InstallationRoot root(folder);
    root.dpkg({"--install", package.string()});
    CHECK(text_of(root / "usr/share/doc/convoy/copyright") == text_of(SOURCE_FOLDER "/LICENSE"));
    CHECK(fs::exists(root / "usr/share/man/man1/convoy-run.1"));

    const auto work = folder / "work";
    fs::create_directories(work);
    const auto bin = root / "usr/bin";
    run_alone(bin, work, "run experiments/quickstart.json --set max_steps=2 --out first");
    CHECK(json_of(work / "first/summary.json").at("status") == "done");
    CHECK_THAT(run_alone(bin, work, "sweep experiments/sweeps/hybrid.json --list"), Contains("pending"));
    CHECK_THAT(run_alone(bin, work, "dataset list"), Contains("fashion_mnist"));

    root.dpkg({"--remove", "convoy"});
    CHECK(root.files().empty());
}
