"""How right the reader is on rows that it was not trained on, by author."""
import collections
import numpy as np
import rows as data


def softmax(l):
    e = np.exp(l - np.max(l))
    return e / e.sum()


def show(name, judged, bars=(.7, .8, .9, .95)):
    print("==", name)
    by = collections.defaultdict(list)
    for (task, who, a, b, labels), l in judged:
        by[task, who].append((labels, l))
    for (task, who), rows in sorted(by.items()):
        print(f"{task:7}{who:9}{len(rows):5}", *(pair if task != "text" else text)(rows, bars), flush=True)


def pair(rows, bars):
    labels = data.PAIR if rows[0][0]["label"] in data.PAIR else data.ANSWER
    p = np.array([softmax(l) for _, l in rows])
    y = np.array([labels.index(r["label"]) for r, _ in rows])
    out = [f"acc {(p.argmax(1) == y).mean():.3f}"]
    for k in (0, 1):
        cells = []
        for bar in bars:
            h = p[:, k] >= bar
            cells.append(f"{(y[h] == k).mean() if h.any() else 0:.2f}/{h[y == k].mean() if (y == k).any() else 0:.2f}")
        out.append(labels[k] + " " + " ".join(cells))
    out.append("distinct merged " + " ".join(f"{(p[y == 2][:, :2].max(1) >= bar).mean():.3f}" for bar in bars) if (y == 2).any() else "")
    return out


def text(rows, bars):
    K, T = len(data.KEEP), len(data.TYPE)
    no = np.array([1 - softmax(l[:K])[0] for _, l in rows])
    y = np.array([r["keep"] != "yes" for r, _ in rows])
    out = []
    for bar in (.5,) + tuple(bars):
        h = no >= bar
        out.append(f"refused {y[h].mean() if h.any() else 0:.2f}/{h[y].mean() if y.any() else 0:.2f} ({h[~y].mean() if (~y).any() else 0:.3f})")
    typed = [(r, l) for r, l in rows if r["types"]]
    if typed:
        out.append(f"type {np.mean([data.TYPE[int(np.argmax(l[K:K + T]))] in r['types'] for r, l in typed]):.3f}")
    timed = [(r, l) for r, l in rows if r["time"] in data.TIME]
    if timed:
        out.append(f"time {np.mean([data.TIME[int(np.argmax(l[K + T:]))] == r['time'] for r, l in timed]):.3f}")
    return out
