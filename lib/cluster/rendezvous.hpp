#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace convoy {

/// How to join a run.
struct Rendezvous {
    std::string endpoint;  ///< HOST:PORT of the launcher's door
    std::string token;     ///< of the run
    bool operator==(const Rendezvous&) const = default;
};

/// A file, in a folder that all hosts of a world share, by which process 0 tells the others how to join. Only
/// its owner may read it. It goes with the object.
class RendezvousFile {
  public:
    /// Makes the folder, and removes what an earlier run left under this name. Throws OutputError.
    explicit RendezvousFile(std::filesystem::path file);
    RendezvousFile(const RendezvousFile&) = delete;
    RendezvousFile& operator=(const RendezvousFile&) = delete;
    RendezvousFile(RendezvousFile&&) = delete;
    RendezvousFile& operator=(RendezvousFile&&) = delete;
    /// Leaves a file that another process has put in the place of this one.
    ~RendezvousFile();

    /// Readers see the whole file or none. Throws OutputError.
    void publish(const Rendezvous& rendezvous);

  private:
    std::filesystem::path file_;
    std::optional<Rendezvous> published_;
};

/// The name of the file for a world, see World::name.
std::string rendezvous_file_name(const std::string& world_name);

/// Reads such a file; absent if there is none yet. Throws UsageError if it is of another user, or if others
/// than its owner may read or write it, and DataError if it is no such file.
std::optional<Rendezvous> read_rendezvous(const std::filesystem::path& file);

/// Waits for such a file. Throws as read_rendezvous, and ClusterError after `patience`.
Rendezvous await_rendezvous(const std::filesystem::path& file, std::chrono::milliseconds patience);

}  // namespace convoy
