"""The experiment that loses a node in scripts/reproduce-failures, and none in scripts/reproduce-shrink-price."""

SHRINKING = {"strategy": {"name": "ring_allreduce", "commit": "by_step"}, "failures": "shrink"}


def experiment(nodes, epochs, more):
    """mnist_cnn in epochs of 30 steps, a thread a node, with the settings `more`: SHRINKING, or {} for the policy abort."""
    return {
        "name": "failures",
        "dataset": {"name": "mnist", "train_examples": 3000, "test_examples": 100},
        "model": "mnist_cnn",
        "nodes": [{"threads": 1}] * nodes,
        "batch_size": 100,
        "epochs": epochs,
        "optimizer": {"name": "adadelta", "learning_rate": 1.0},
        **more,
    }
