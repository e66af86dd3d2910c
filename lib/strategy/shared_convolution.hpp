#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/element_range.hpp"
#include "exchange/exchange.hpp"
#include "program/program.hpp"
#include "strategy/channel_tails.hpp"
#include "strategy/partial_gradients.hpp"

namespace convoy {

/// The rank that has all layers but the shared convolutions.
inline constexpr std::int64_t master_rank = 0;

/// A convolution whose kernels several ranks share. It refers to operators of the whole program.
struct SharedConvolution {
    const Operator* forward = nullptr;
    ChannelTail tail;
    std::vector<std::int64_t> counts;  ///< kernels (output channels) by rank; the master has some

    /// The ranks beside the master that have kernels, in order.
    [[nodiscard]] std::vector<std::int64_t> workers() const;
};

/// How the data of shared convolutions travel.
struct SharingOptions {
    std::int64_t segment_bytes = 0;
    /// Parts of a batch that follow one another: while a worker computes one, the next is on its way. At most
    /// one for each example.
    std::int64_t sub_batches = 1;
};

/// Adds one rank's operators of shared convolutions to its part of a program. Tensors are (N, C, H, W).
///
/// Inputs go from the master along the chain of workers, and the sums of their gradients come back along it.
/// Results and their gradients travel between the master and each worker. A worker computes one sub-batch
/// after the other. It adds up the gradients of its kernels over the sub-batches. The master computes its own
/// kernels on the whole batch.
class ConvolutionSharing {
  public:
    /// whole and part outlive this object. part: its parameters have the shapes of the rank's parts.
    ConvolutionSharing(const Program& whole, Program& part, std::int64_t rank, SharingOptions options);

    /// The convolution and its tail. The rank has kernels of it, and another rank too.
    void forward(const SharedConvolution& shared);
    /// of_kernels: the gradient of the weight in the whole program; of_input: that of the input, or null.
    void backward(const SharedConvolution& shared, const Operator& of_kernels, const Operator* of_input);

  private:
    struct Rows {
        std::int64_t first = 0, count = 0;
    };
    void forward_master(const SharedConvolution& shared);
    void forward_worker(const SharedConvolution& shared);
    void backward_master(const SharedConvolution& shared, const Operator& of_kernels,
                         const Operator* of_input);
    void backward_worker(const SharedConvolution& shared, const Operator& of_kernels,
                         const Operator* of_input);

    [[nodiscard]] std::size_t sub_batches(TensorId whole) const;
    [[nodiscard]] Rows rows_of(TensorId whole, std::size_t sub_batch) const;
    /// Elements of one example and one channel.
    [[nodiscard]] std::int64_t channel_elements(TensorId whole) const;
    /// Where the channels of a rank begin in this rank's message: the master's has those of all ranks, one
    /// rank behind the other; a worker's has its own.
    [[nodiscard]] std::int64_t block_of(const SharedConvolution& shared, TensorId whole,
                                        std::int64_t rank) const;
    /// The place of a sub-batch in such a block, and in a message of all channels.
    [[nodiscard]] ElementRange in_block(const SharedConvolution& shared, TensorId whole, std::int64_t rank,
                                        std::size_t sub_batch) const;
    [[nodiscard]] ElementRange in_rows(TensorId whole, std::size_t sub_batch) const;

    /// A message of all channels, and one of the channels that travel between the master and the workers.
    Bucket add_rows_message(TensorId whole, const std::string& name);
    Bucket add_channel_message(const SharedConvolution& shared, TensorId whole, const std::string& name);
    TensorId add_channels(const SharedConvolution& shared, TensorId whole, std::int64_t rank,
                          std::int64_t rows, const std::string& suffix);
    /// This rank's channels of the whole batch (master) or of a sub-batch (worker), the same tensor each
    /// time.
    TensorId own(const SharedConvolution& shared, TensorId whole, std::size_t sub_batch = 0);
    /// All channels of a sub-batch (worker), the same tensor each time.
    TensorId rows(TensorId whole, std::size_t sub_batch);
    TensorId add_tensor(TensorInfo tensor);

    /// An operator of a tail on this rank's channels. Its bias is the rank's part already.
    void compute_own(const SharedConvolution& shared, const Operator& op, std::size_t sub_batch = 0);
    /// The backward operators of the tail, but those that give the gradient of the bias; and these.
    void tail_gradients(const SharedConvolution& shared, std::size_t sub_batch);
    void bias_gradients(const SharedConvolution& shared, std::size_t sub_batch);
    void compute(const Operator& of, std::vector<TensorId> inputs, TensorId output);
    void copy(OperatorKind kind, TensorId from, TensorId to, std::int64_t first = 0);

    using Way = std::pair<OperatorKind, ExchangeVerb>;  ///< a start or a wait, and its verb
    /// Of a message of all channels, between the master and the workers' chain: one sub-batch, or all.
    void along_chain(Way way, const SharedConvolution& shared, const Bucket& message, TensorId whole,
                     std::size_t sub_batch);
    void along_chain(Way way, const SharedConvolution& shared, const Bucket& message, TensorId whole);
    /// Of the channels of a worker, between it and the master: one sub-batch, or all of all workers.
    void channels(Way way, const SharedConvolution& shared, const Bucket& message, TensorId whole,
                  std::int64_t worker, std::size_t sub_batch);
    void channels(Way way, const SharedConvolution& shared, const Bucket& message, TensorId whole);
    void exchange(Way way, const Bucket& message, std::vector<std::int64_t> group, std::int64_t root,
                  ElementRange range, const std::string& suffix);

    const Program& whole_;
    Program& part_;
    std::int64_t rank_;
    SharingOptions options_;
    std::map<std::pair<TensorId, std::size_t>, TensorId> own_, rows_;
    PartialGradients gradients_;
};

}  // namespace convoy
