"""Writes the rows of data/, and of other sets to test on, as train.py reads them.

python3 prepare.py FOLDER [NAME=pairs.jsonl.gz | NAME=told.tsv ...]
"""
import glob, gzip, json, os, subprocess, sys
import apart, rows as data


def eval_rows(name, path):
    who = "eval-" + name
    if path.endswith(".tsv"):  # old, new, what must become of them
        for r in data.lines(path):
            label = {"sup": "changed", "dup": "same"}.get(r[2].split("/")[0], "distinct")
            yield ("pair", who, r[0], r[1], {"label": label, "lang": "-", "kind": r[2]})
        return
    for r in map(json.loads, gzip.open(path, "rt")):
        if "old" in r:
            yield ("pair", who, r["old"], r["new"], {"label": r["relation"], "lang": r["lang"], "kind": r["slot"]})
        elif "keep" in r:
            types = [r["type"]] + r.get("also", []) if r.get("type") else []
            yield ("text", who, r["text"], None, {"keep": "yes" if r["keep"] else "refuse", "types": types, "time": "-", "lang": r["lang"]})
        elif "type" in r:
            yield ("text", who, r["text"], None, {"keep": "yes", "types": [r["type"]] + r["also"], "time": "-", "lang": r["lang"]})


def main():
    folder, sets = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    rows = data.all_rows()
    few = {"same": 2, "answers": 2, "about": 1.5}
    for r in rows:  # the house's rows are many and of one kind
        r[4]["weight"] = (1 if r[1] == "house" else 2) * few.get(r[4].get("label"), 1)
    near = os.path.join(folder, "near")
    root = os.path.join(data.HERE, "..", "..")
    subprocess.run(["go", "build", "-o", os.path.abspath(near), "./lab/reader/near"], cwd=root, check=True)
    rows += apart.apart(sorted(glob.glob(data.HERE + "/data/*/")), os.path.abspath(near))
    for s in sets:
        name, path = s.split("=")
        rows += eval_rows(name, path)
    with open(folder + "/rows.jsonl", "w") as f, open(folder + "/texts.jsonl", "w") as t:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
            for text in r[2:4]:
                if text is not None:
                    t.write(json.dumps(text) + "\n")
    with open(folder + "/texts.jsonl") as t:
        subprocess.run(["go", "run", "./lab/reader/prepare", os.path.abspath(folder)], cwd=root, stdin=t, check=True)
    print(len(rows), "rows")


if __name__ == "__main__":
    main()
