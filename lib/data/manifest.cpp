#include "data/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/name_rule.hpp"
#include "data/byte_source.hpp"
#include "data/data_address.hpp"
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
                fail(fmt::format("{} is no field", describe(key)));
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
    [[nodiscard]] std::string place(const std::string& part) const { return place_ + "." + part; }
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
    if (!is_digest(digest.hex, digest.kind)) {
        fields.fail(fmt::format("\"{}\" is not a {} in lower-case hexadecimal", digest.hex,
                                is_sha ? "sha256" : "md5"));
    }
    return {fields.bytes(), digest};
}

/// A manifest must not be able to write outside the dataset's folder.
std::string plain_name(const Fields& fields) {
    auto name = fields.text("name");
    if (!file_names.allows(name))
        fields.fail(fmt::format("found name {}, expected {}", describe(name), file_names.expected()));
    return name;
}

std::vector<ManifestMember> read_members(const Fields& fields) {
    std::vector<ManifestMember> members;
    std::size_t index = 0;
    for (const auto& entry : fields.list("members")) {
        const Fields member(entry, fields.place(fmt::format("members[{}]", index++)));
        member.only({"name", "bytes", "sha256", "md5"});
        members.push_back({plain_name(member), read_identity(member)});
    }
    return members;
}

ManifestFile read_file(const Fields& fields) {
    fields.only({"name", "bytes", "sha256", "md5", "unpacked", "members", "mirrors"});
    ManifestFile file{plain_name(fields), read_identity(fields), std::nullopt, {}, {}};
    if (fields.has("unpacked")) {
        const auto unpacked = fields.object("unpacked");
        unpacked.only({"bytes", "sha256", "md5"});
        file.unpacked = read_identity(unpacked);
    }
    if (fields.has("members")) file.members = read_members(fields);
    for (const auto& mirror : fields.list("mirrors")) {
        if (!mirror.is_string()) fields.fail(fmt::format("mirror {} is not an address", describe(mirror)));
        file.mirrors.push_back(mirror);
        try {
            if (DataAddress(file.mirrors.back()).identity())
                throw DataError("has a hash behind it, which is a field of the file here");
        } catch (const DataError& error) {
            fields.fail(fmt::format("mirror {}: {}", file.mirrors.size() - 1, error.what()));
        }
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

/// Whether an archive's members stand for it: it is not there, but the first of them is.
bool is_unpacked(const ManifestFile& file, const fs::path& folder) {
    if (file.members.empty() || is_there(folder / file.name)) return false;
    const auto first = folder / file.members.front().name;
    return is_there(first) || is_there(first.string() + ".gz");
}

/// A member as it is, or what it holds where it is gzipped.
FileCheck check_member(const ManifestMember& member, const fs::path& folder) {
    const auto raw = folder / member.name;
    const fs::path packed = raw.string() + ".gz";
    if (is_there(raw) || !is_there(packed)) return check_file(raw, member.identity);
    try {
        const auto found = digest_of(*gzip_source(file_source(packed)), member.identity.digest.kind);
        if (found == member.identity.digest) return {packed, FileState::intact, found.text()};
        return {packed, FileState::damaged,
                fmt::format("{}, not {}", found.text(), member.identity.digest.hex)};
    } catch (const DataError& error) {
        return {packed, FileState::damaged, error.what()};
    }
}

}  // namespace

Manifest read_manifest(const fs::path& file) {
    const auto json = parse_json(read_text(file, most_manifest_bytes), file.string());
    const Fields fields(json, file.string());
    fields.only({"name", "title", "licence", "citation", "homepage", "files"});
    Manifest manifest{plain_name(fields),      fields.text("title"),    fields.text("licence"),
                      fields.text("citation"), fields.text("homepage"), {}};
    std::size_t index = 0;
    for (const auto& entry : fields.list("files")) {
        manifest.files.push_back(read_file({entry, fmt::format("{}: files[{}]", file.string(), index++)}));
    }
    return manifest;
}

Manifest manifest_of(const std::string& dataset) {
    if (is_of_arrays(dataset))
        throw DataError(
            fmt::format("{}: your own files: convoy has no address and no hash of them", dataset));
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
        const auto folder = data_folder / manifest.name;
        if (is_unpacked(file, folder)) {
            for (const auto& member : file.members) checks.push_back(check_member(member, folder));
            continue;
        }
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
            const auto folder = data_folder / manifest.name;
            return is_unpacked(file, folder) || is_there(form_in_use(file, folder).first);
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
