#include "data/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "data/dataset.hpp"
#include "data/folders.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
constexpr std::size_t most_manifest_bytes = 1U << 20U;

/// A JSON object of a manifest and where it stands, for errors.
class Fields {
  public:
    Fields(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
        if (!json_.is_object()) fail("is not an object");
    }

    void only(std::initializer_list<const char*> known) const {
        for (const auto& [key, value] : json_.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end())
                fail(fmt::format("\"{}\" is no field", key));
        }
    }
    [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
    [[nodiscard]] std::string text(const char* key) const {
        if (!has(key) || !json_[key].is_string() || json_[key].get_ref<const std::string&>().empty()) {
            fail(fmt::format("\"{}\" is not a text", key));
        }
        return json_[key];
    }
    [[nodiscard]] const Json& list(const char* key) const {
        if (!has(key) || !json_[key].is_array() || json_[key].empty())
            fail(fmt::format("\"{}\" is not a list", key));
        return json_[key];
    }
    [[nodiscard]] Fields object(const char* key) const { return {json_[key], place_ + "." + key}; }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const {
        if (!has("bytes")) return std::nullopt;
        if (!json_["bytes"].is_number_unsigned()) fail("\"bytes\" is not a whole number");
        return json_["bytes"].get<std::uint64_t>();
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(fmt::format("{}: {}", place_, what));
    }

  private:
    const Json& json_;
    std::string place_;
};

FileIdentity read_identity(const Fields& fields) {
    const bool is_sha = fields.has("sha256");
    if (is_sha == fields.has("md5")) fields.fail(R"(needs either "sha256" or "md5")");
    const Digest digest{is_sha ? HashKind::sha256 : HashKind::md5, fields.text(is_sha ? "sha256" : "md5")};
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (digest.hex.size() != (is_sha ? 64U : 32U) ||
        !std::all_of(digest.hex.begin(), digest.hex.end(), is_hex)) {
        fields.fail(fmt::format("\"{}\" is not a {} in lower-case hexadecimal", digest.hex,
                                is_sha ? "sha256" : "md5"));
    }
    return {fields.bytes(), digest};
}

ManifestFile read_file(const Fields& fields) {
    fields.only({"name", "bytes", "sha256", "md5", "unpacked", "mirrors"});
    ManifestFile file{fields.text("name"), read_identity(fields), std::nullopt, {}};
    // A manifest must not be able to write outside the dataset's folder.
    if (file.name.find('/') != std::string::npos || file.name.front() == '.') {
        fields.fail(fmt::format("\"{}\" is not a plain file name", file.name));
    }
    if (fields.has("unpacked")) {
        const auto unpacked = fields.object("unpacked");
        unpacked.only({"bytes", "sha256", "md5"});
        file.unpacked = read_identity(unpacked);
    }
    for (const auto& mirror : fields.list("mirrors")) {
        const auto address = mirror.is_string() ? mirror.get<std::string>() : std::string();
        if (!address.starts_with("http://") && !address.starts_with("https://")) {
            fields.fail(fmt::format("mirror {} is not an http address", mirror.dump()));
        }
        file.mirrors.push_back(address);
    }
    return file;
}

/// The form of a file that a reader takes first, and what it should be; nothing where nobody published that.
std::pair<fs::path, std::optional<FileIdentity>> form_in_use(const ManifestFile& file,
                                                             const fs::path& folder) {
    const auto offered = folder / file.name;
    std::error_code problem;
    if (offered.extension() == ".gz") {
        auto unpacked = offered;
        unpacked.replace_extension();
        if (fs::exists(unpacked, problem)) return {unpacked, file.unpacked};
    }
    return {offered, file.identity};
}

}  // namespace

Manifest read_manifest(const fs::path& file) {
    const auto json = Json::parse(read_text(file, most_manifest_bytes), nullptr, false);
    if (json.is_discarded()) throw DataError(fmt::format("{}: is not JSON", file.string()));
    const Fields fields(json, file.string());
    fields.only({"name", "title", "licence", "citation", "homepage", "files"});
    Manifest manifest{fields.text("name"),     fields.text("title"),    fields.text("licence"),
                      fields.text("citation"), fields.text("homepage"), {}};
    std::size_t index = 0;
    for (const auto& entry : fields.list("files")) {
        manifest.files.push_back(read_file({entry, fmt::format("{}: files[{}]", file.string(), index++)}));
    }
    return manifest;
}

Manifest manifest_of(const std::string& dataset) {
    if (dataset_info(dataset).generated) {
        throw DataError(fmt::format("{}: convoy draws this dataset itself: there are no files", dataset));
    }
    return read_manifest(share_folder() / "datasets" / (dataset + ".json"));
}

FileCheck check_file(const fs::path& file, const FileIdentity& expected) {
    std::error_code problem;
    if (!fs::exists(file, problem)) return {file, FileState::missing, "not there"};
    const auto size = fs::file_size(file, problem);
    if (!problem && expected.bytes && size != *expected.bytes) {
        return {file, FileState::damaged, fmt::format("{} bytes, not {}", size, *expected.bytes)};
    }
    const auto found = digest_of_file(file, expected.digest.kind);
    if (found != expected.digest) {
        return {file, FileState::damaged, fmt::format("{}, not {}", found.text(), expected.digest.hex)};
    }
    return {file, FileState::intact, found.text()};
}

std::vector<FileCheck> verify_dataset(const Manifest& manifest, const fs::path& data_folder) {
    std::vector<FileCheck> checks;
    for (const auto& file : manifest.files) {
        const auto [path, expected] = form_in_use(file, data_folder / manifest.name);
        checks.push_back(
            expected ? check_file(path, *expected)
                     : FileCheck{path, FileState::unknown, "no hash of the gunzipped file was published"});
    }
    return checks;
}

std::size_t files_present(const Manifest& manifest, const fs::path& data_folder) {
    return static_cast<std::size_t>(
        std::count_if(manifest.files.begin(), manifest.files.end(), [&](const ManifestFile& file) {
            std::error_code problem;
            return fs::exists(form_in_use(file, data_folder / manifest.name).first, problem);
        }));
}

void require_intact(const std::string& dataset, std::span<const FileCheck> checks) {
    for (const auto& check : checks) {
        if (check.state != FileState::damaged) continue;
        throw DataError(fmt::format("{}: is damaged: {}; remove it and run `convoy dataset fetch {}`",
                                    check.file.string(), check.detail, dataset));
    }
    for (const auto& check : checks) {
        if (check.state != FileState::missing) continue;
        throw MissingFileError(
            fmt::format("{}: is missing; `convoy dataset fetch {}` gets it", check.file.string(), dataset));
    }
}

}  // namespace convoy
