#include "collective/mpi_all_reduce.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace convoy {
namespace {

/// The words of MPI for an error.
std::string text_of(int error) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(error, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

template <typename Failure>
void check(int result, std::string_view call) {
    if (result != MPI_SUCCESS) throw Failure(fmt::format("{} failed: {}", call, text_of(result)));
}

class MpiAllReduce final : public LibraryAllReduce {
  public:
    MpiAllReduce(std::int64_t rank, std::int64_t world_size) : rank_(rank), world_size_(world_size) {}

    void begin() override {
        int provided = 0;
        check<ClusterError>(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
                            "MPI_Init_thread");
        check<ClusterError>(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
                            "MPI_Comm_set_errhandler");
        if (provided < MPI_THREAD_FUNNELED)
            throw ClusterError("this MPI is for processes with one thread, and a node has several");
        int rank = 0, size = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank != rank_ || size != world_size_)
            throw DisagreementError(
                fmt::format("node {} of {} is rank {} of {} for MPI", rank_, world_size_, rank, size));
        // It inherits the handler of errors.
        check<ClusterError>(MPI_Comm_dup(MPI_COMM_WORLD, &nodes_), "MPI_Comm_dup");
    }

    void sum(std::span<float> values) override {
        constexpr std::size_t most = std::size_t{1} << 30U;  // MPI counts by int
        while (!values.empty()) {
            const auto part = values.first(std::min(values.size(), most));
            check<NodeLostError>(MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()),
                                               MPI_FLOAT, MPI_SUM, nodes_),
                                 "MPI_Allreduce");
            values = values.subspan(part.size());
        }
    }

    void end() override {
        MPI_Comm_free(&nodes_);
        MPI_Finalize();
    }

  private:
    std::int64_t rank_, world_size_;
    MPI_Comm nodes_ = MPI_COMM_NULL;
};

}  // namespace

bool has_mpi() {
    return true;
}

std::unique_ptr<LibraryAllReduce> make_mpi_all_reduce(std::int64_t rank, std::int64_t world_size) {
    return std::make_unique<MpiAllReduce>(rank, world_size);
}

}  // namespace convoy
