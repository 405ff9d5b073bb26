"""Prints the heat of each question: python3 calibrate.py OUT

OUT/odds.jsonl has the logits of rows that were not trained on; those of authors
left out count, not those of other sets. A heat above 1 makes the odds less sure.
"""
import json, sys
import numpy as np
import board, rows as data


def main():
    by = {}
    for r in map(json.loads, open(sys.argv[1] + "/odds.jsonl")):
        _, task, who, _, _, labels, logits = r
        if not who.startswith("eval"):
            by.setdefault(task, []).append((labels, np.array(logits)))
    out = []
    for task, judged in sorted(by.items()):
        names = {"pair": data.PAIR, "answer": data.ANSWER}.get(task)

        def loss(heat):
            total = 0.0
            for labels, l in judged:
                if names:
                    total -= np.log(board.softmax(l / heat)[names.index(labels["label"])] + 1e-9)
                else:
                    p = board.softmax(l[:len(data.KEEP)] / heat)[0]
                    total -= np.log((p if labels["keep"] == "yes" else 1 - p) + 1e-9)
            return total / len(judged)

        heats = np.arange(.3, 2.5, .05)
        best = min(heats, key=loss)
        print(f"{task}: {loss(1):.3f} at 1, {loss(best):.3f} at {best:.2f}", file=sys.stderr)
        out.append(f"{task}={best:.2f}")
    print(" ".join(out))


if __name__ == "__main__":
    main()
