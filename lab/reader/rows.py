"""Reads the labelled rows of data/ as what the reader is asked.

A row is (question, author, first text, second text or None, labels). Labels of
pair: same, changed, distinct. Of answer: answers, about, foreign. Of text: a
dictionary with keep, and for what is kept the types that are right and its time.
"""
import glob, os, random

HERE = os.path.dirname(os.path.abspath(__file__))
PAIR = ["same", "changed", "distinct"]
ANSWER = ["answers", "about", "foreign"]
KEEP = ["yes", "chat", "question", "request", "agent", "world", "noise", "inject", "vague"]
TYPE = ["preference", "instruction", "contact", "project", "decision", "learning", "event", "journal"]
TIME = ["lasting", "day", "ahead"]


def lines(path):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            yield line.split("\t")


def author_rows(folder, seed=0):
    """The rows of one author's folder: pairs*.tsv, texts*.tsv, memory*.tsv."""
    who, rnd, rows = os.path.basename(folder), random.Random(seed), []
    for path in sorted(glob.glob(folder + "/pairs*.tsv")):
        for lang, label, kind, old, new in lines(path):
            rows.append(("pair", who, old, new, {"label": label, "lang": lang, "kind": kind}))
    for path in sorted(glob.glob(folder + "/texts*.tsv")):
        for lang, keep, type, also, time, text in lines(path):
            types = [] if type == "-" else [type] + ([] if also == "-" else also.split(","))
            rows.append(("text", who, text, None, {"keep": keep, "types": types, "time": time, "lang": lang}))
    for path in sorted(glob.glob(folder + "/memory*.tsv")):
        rows += memory_rows(path, who, rnd)
    return rows


def memory(path):
    """Entries by number and questions (text, language, right numbers, near ones, and those of which two readers differ)."""
    entries, asks = {}, []
    for r in lines(path):
        if r[0] == "E":
            entries[r[1]] = r[3]
        else:
            split = lambda c: [] if c == "-" else [x.strip() for x in c.split(",")]
            asks.append((r[4], r[1], split(r[2]), split(r[3]), split(r[5]) if len(r) > 5 else []))
    return entries, asks


def memory_rows(path, who, rnd, foreign=3):
    entries, asks = memory(path)
    rows = []
    for q, lang, right, near, unclear in asks:
        right = [x.removeprefix("old:") for x in right]
        rest = [n for n in entries if n not in right and n not in near and n not in unclear]
        picks = [(n, "answers") for n in right] + [(n, "about") for n in near]
        picks += [(n, "foreign") for n in rnd.sample(rest, min(foreign, len(rest)))]
        for n, label in picks:
            rows.append(("answer", who, q, entries[n], {"label": label, "lang": lang, "kind": "present" if right else "absent"}))
    return rows


def all_rows(data=HERE + "/data"):
    rows = []
    for folder in sorted(glob.glob(data + "/*/")):
        rows += author_rows(folder.rstrip("/"))
    return rows
