"""Pairs of one author's texts that have nothing to do with each other, though near in meaning.

What one author wrote as older texts, texts worth a note and entries of memories are statements
about different things, but for the entries that a later one changes. A memory compares a new
text with the nearest of hundreds of such statements, so the reader must know them. apart()
pairs each with one of its nearest and with any other one; both hold.
"""
import glob, json, random, subprocess
import rows as data


def texts_of(folder):
    """The statements of an author, each once, and the pairs of them that are related."""
    texts, related = {}, set()
    for path in sorted(glob.glob(folder + "/pairs*.tsv")):
        for r in data.lines(path):
            texts[r[3]] = r[0]
    for path in sorted(glob.glob(folder + "/texts*.tsv")):
        for r in data.lines(path):
            if r[1] == "yes" and r[5] not in texts:
                texts[r[5]] = r[0]
    for path in sorted(glob.glob(folder + "/memory*.tsv")):
        entries, asks = data.memory(path)
        for text in entries.values():
            texts.setdefault(text, "-")
        for _, _, right, near, _ in asks:
            ids = [x.removeprefix("old:") for x in right]
            related |= {(entries[a], entries[b]) for a in ids for b in ids}
    return list(texts), related


def apart(folders, near, seed=0):
    rnd, pools = random.Random(seed), [(f, *texts_of(f)) for f in folders]
    said = "\n\n".join("\n".join(json.dumps(t) for t in texts) for _, texts, _ in pools)
    out = subprocess.run([near], input=said, capture_output=True, text=True, check=True).stdout.splitlines()
    rows, at = [], 0
    for folder, texts, related in pools:
        who = folder.rstrip("/").split("/")[-1]
        for i, text in enumerate(texts):
            places = json.loads(out[at]); at += 1
            near_by = [texts[p["At"]] for p in places]
            if rnd.random() < (.1 if who == "house" else .2):
                for other, kind in ((rnd.choice(near_by), "apart"), (rnd.choice(texts), "any")):
                    if other != text and (text, other) not in related:
                        rows.append(("pair", who, text, other, {"label": "distinct", "lang": "-", "kind": kind, "weight": 1}))
    return rows
