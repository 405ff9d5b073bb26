"""Writes what train.py learned as pack reads it: python3 export.py OUT [pair=1.2 answer=1.0 text=1.1]

The numbers are the heats by which the logits are divided; see calibrate.py.
"""
import json, sys
import numpy as np
import train


def main():
    folder, heats = sys.argv[1], dict(a.split("=") for a in sys.argv[2:])
    p = np.load(folder + "/reader.npz")
    tensors, flat, at = [], [], 0

    def add(name, m):
        nonlocal at
        m = np.atleast_2d(np.asarray(m, np.float32))
        tensors.append({"Name": name, "Rows": m.shape[0], "Cols": m.shape[1], "Offset": at})
        flat.append(m.ravel()); at += m.size

    for part in train.PARTS:
        for i in range(train.LAYERS - train.FROZEN):
            for end, k in (("in", 0), ("out", 1)):
                add(f"layer.{i + train.FROZEN}.{part}.{end}", p[f"adapters/{part}/{k}"][i])
    add("first", [train.FROZEN])
    for i, task in enumerate(train.TASKS):
        at_head = f"heads/{task}/"
        add(task + ".kinds", p["segments"][i])
        add(task + ".dense", p[at_head + "dense"].T)
        add(task + ".bias", p[at_head + "bias"])
        add(task + ".out", p[at_head + "out"].T)
        add(task + ".outBias", p[at_head + "outBias"])
        add(task + ".heat", [float(heats.get(task, 1))])
    json.dump(tensors, open(folder + "/reader.json", "w"))
    np.concatenate(flat).tofile(folder + "/reader.f32")


if __name__ == "__main__":
    main()
