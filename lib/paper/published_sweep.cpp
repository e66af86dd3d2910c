#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "base/name_rule.hpp"
#include "paper/archive_format.hpp"
#include "paper/settled_sweep.hpp"
#include "report/run_folder_format.hpp"
#include "sweep/sweep_folder.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// An archive's files as JSON, by their paths.
class Archive {
  public:
    Archive(const ArchiveFiles& files, const std::string& source) : files_(files), source_(source) {}

    [[nodiscard]] json object(const std::string& path) const {
        const auto found = files_.find(path);
        if (found == files_.end()) throw DataError(fmt::format("{}: has no {}", source_, path));
        auto value = parse_json(found->second, fmt::format("{}:{}", source_, path));
        if (!value.is_object()) throw DataError(fmt::format("{}:{}: expected an object", source_, path));
        return value;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(fmt::format("{}:{}: {}", source_, archive_index_file, what));
    }
    [[nodiscard]] std::string text(const json& object, const char* key) const {
        if (!object.is_object() || !object.contains(key) || !object.at(key).is_string())
            fail(fmt::format("expected a text as \"{}\"", key));
        return object.at(key).get<std::string>();
    }
    /// A text that may be a part of a path.
    [[nodiscard]] std::string name(const json& object, const char* key) const {
        auto found = text(object, key);
        if (!file_names.allows(found)) fail(fmt::format("expected {} as \"{}\"", file_names.expected(), key));
        return found;
    }
    [[nodiscard]] std::int64_t count(const json& object, const char* key) const {
        const auto found =
            object.is_object() && object.contains(key) ? count_or_none(object.at(key)) : std::nullopt;
        if (!found) fail(fmt::format("expected a count as \"{}\"", key));
        return *found;
    }
    [[nodiscard]] const json& list(const json& object, const char* key) const {
        if (!object.is_object() || !object.contains(key) || !object.at(key).is_array())
            fail(fmt::format("expected a list as \"{}\"", key));
        return object.at(key);
    }
    [[nodiscard]] std::vector<std::string> texts(const json& object, const char* key) const {
        std::vector<std::string> all;
        for (const auto& value : list(object, key)) {
            if (!value.is_string()) fail(fmt::format("expected texts in \"{}\"", key));
            all.push_back(value.get<std::string>());
        }
        return all;
    }

  private:
    const ArchiveFiles& files_;
    const std::string& source_;
};

}  // namespace

SettledSweep published_sweep(const ArchiveFiles& files, const std::string& source) {
    const Archive archive(files, source);
    const auto index = archive.object(std::string(archive_index_file));
    if (archive.text(index, "format") != archive_kind)
        archive.fail(fmt::format("expected \"{}\" as \"format\"", archive_kind));
    if (const auto version = archive.count(index, "version"); version != archive_version)
        archive.fail(fmt::format("is of version {}; this convoy reads version {}", version, archive_version));
    for (const auto path : {sweep_file, runs_file})
        if (!files.contains(path)) throw DataError(fmt::format("{}: has no {}", source, path));
    SettledSweep sweep{.name = archive.name(index, "name"),
                       .id = archive.name(index, "id"),
                       .fields = archive.texts(index, "fields"),
                       .repeats = archive.count(index, "repeats"),
                       .planned = archive.count(index, "planned"),
                       .runs = {}};
    for (const auto& entry : archive.list(index, "runs")) {
        SettledRun run{.settings = archive.texts(entry, "settings"),
                       .repeat = archive.count(entry, "repeat"),
                       .run_id = archive.text(entry, "run_id"),
                       .folder = archive.text(entry, "folder"),
                       .weights_sha256 = archive.text(entry, "weights_sha256"),
                       .summary = {},
                       .environment = {}};
        if (run.settings.size() != sweep.fields.size())
            archive.fail(fmt::format("run {} has not one setting for each field", run.run_id));
        run.summary = archive.object(archive_path_of(run.folder, summary_file));
        run.environment = archive.object(archive_path_of(run.folder, environment_file));
        sweep.runs.push_back(std::move(run));
    }
    if (sweep.runs.empty()) archive.fail("has no runs");
    return sweep;
}

}  // namespace convoy
