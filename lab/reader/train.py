"""Trains the reader: adapters of low rank over the frozen encoder, and its heads.

python3 train.py PREPARED OUT [--without a3,a5] [--epochs 3] [--rank 32]

PREPARED is a folder that prepare.sh made. OUT gets reader.npz and odds.jsonl, what
it says of the rows that it was not trained on. The lower layers run once; training
starts from their states.
"""
import argparse, json, os, random, time
import jax, jax.numpy as jnp, numpy as np, optax
import rows as data

FROZEN, LAYERS, HIDDEN, HEADS, WIDE = 4, 12, 384, 12, 128
LIMIT = 72  # tokens of one text
TASKS = ["pair", "answer", "text"]
OUTPUTS = {"pair": 3, "answer": 3, "text": len(data.KEEP) + len(data.TYPE) + len(data.TIME)}
PARTS = {"qkv": (1152, 384), "attention": (384, 384), "up": (1536, 384), "down": (384, 1536)}


def read_weights(folder):
    flat = np.fromfile(folder + "/weights.f32", np.float32)
    w = {}
    for t in json.load(open(folder + "/weights.json")):
        n = int(np.prod(t["Shape"]))
        w[t["Name"]] = flat[t["Offset"]:t["Offset"] + n].reshape(t["Shape"])
    words = json.load(open(folder + "/words.json"))
    table = np.fromfile(folder + "/words.f32", np.float32).reshape(len(words), HIDDEN)
    return w, {id: i for i, id in enumerate(words)}, table


def layer_of(w, i):
    at = f"layer.{i}."
    d = {p: jnp.array(w[at + p + ".weight"]) for p in PARTS}
    d |= {p + ".bias": jnp.array(w[at + p + ".bias"]) for p in PARTS}
    return d | {n: (jnp.array(w[at + n + ".weight"]), jnp.array(w[at + n + ".bias"])) for n in ("attention.norm", "norm")}


def stacked(w, which):
    """Layers as one tree, so that they are compiled once."""
    return jax.tree.map(lambda *a: jnp.stack(a), *[layer_of(w, i) for i in which])


def normal(x, wb):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-12) * wb[0] + wb[1]


def block(x, mask, d, a=None):
    """One layer; a holds its adapters."""
    B, T, H = x.shape

    def linear(name, x):
        x = x.reshape(B * T, -1)
        y = x @ d[name].T + d[name + ".bias"]
        if a is not None:
            y = y + (x @ a[name][0].T) @ a[name][1].T
        return y.reshape(B, T, -1)

    q, k, v = (t.reshape(B, T, HEADS, H // HEADS).transpose(0, 2, 1, 3) for t in jnp.split(linear("qkv", x), 3, -1))
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(H // HEADS) + (1 - mask)[:, None, None, :] * -1e9
    o = (jax.nn.softmax(s, -1) @ v).transpose(0, 2, 1, 3).reshape(B, T, H)
    x = normal(x + linear("attention", o), d["attention.norm"])
    return normal(x + linear("down", jax.nn.gelu(linear("up", x), approximate=False)), d["norm"])


def new_parameters(rank, seed):
    r = np.random.RandomState(seed)
    f = lambda *s: jnp.array(r.randn(*s).astype(np.float32))
    depth = LAYERS - FROZEN
    adapters = {p: (f(depth, rank, k) / np.sqrt(k), jnp.zeros((depth, n, rank))) for p, (n, k) in PARTS.items()}
    heads = {t: {"dense": f(HIDDEN * (4 if t != "text" else 2), WIDE) * .03, "bias": jnp.zeros(WIDE), "out": f(WIDE, n) * .05, "outBias": jnp.zeros(n)}
             for t, n in OUTPUTS.items()}
    return {"adapters": adapters, "segments": f(3, 2, HIDDEN) * .02, "heads": heads}


def read(p, layers, x, mask, second, task):
    """The logits of a batch of one task from the states of the last frozen layer."""
    x = x + p["segments"][TASKS.index(task)][second]
    x, _ = jax.lax.scan(lambda x, da: (block(x, mask, *da), None), x, (layers, p["adapters"]))
    mean = lambda m: (x * m[..., None]).sum(1) / jnp.maximum(m.sum(1), 1)[:, None]
    if task == "text":
        h = jnp.concatenate([x[:, 0], mean(mask)], -1)
    else:
        a, b = mean(mask * (second == 0)), mean(mask * (second == 1))
        h = jnp.concatenate([x[:, 0], a - b, jnp.abs(a - b), a * b], -1)
    d = p["heads"][task]
    return jax.nn.gelu(h @ d["dense"] + d["bias"], approximate=False) @ d["out"] + d["outBias"]


def name_of(path):
    return "/".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path)


K, T = len(data.KEEP), len(data.TYPE)


def target(task, labels):
    """What is right, as shares of the outputs; and which of the parts count."""
    y = np.zeros(OUTPUTS[task], np.float32)
    if task != "text":
        y[(data.PAIR if task == "pair" else data.ANSWER).index(labels["label"])] = 1
        return y
    if labels["keep"] == "refuse":  # for any reason
        y[1:K] = 1
    else:
        y[data.KEEP.index(labels["keep"])] = 1
    for t in labels["types"]:
        y[K + data.TYPE.index(t)] = 1
    if labels["time"] in data.TIME:
        y[K + T + data.TIME.index(labels["time"])] = 1
    return y


def cross(logits, y, smooth=.05):
    """The loss of one question of which any of the marked answers is right."""
    l = jax.nn.log_softmax(logits)
    right = jax.nn.logsumexp(jnp.where(y > 0, l, -1e9), -1)
    return jnp.where(y.sum(-1) > 0, -((1 - smooth) * right + smooth * l.mean(-1)), 0)


def loss(p, layers, x, mask, second, y, weight, task):
    out = read(p, layers, x, mask, second, task)
    if task == "text":
        l = cross(out[:, :K], y[:, :K]) + .7 * cross(out[:, K:K + T], y[:, K:K + T]) + .5 * cross(out[:, K + T:], y[:, K + T:])
    else:
        l = cross(out, y)
    return (l * weight).sum() / jnp.maximum(weight.sum(), 1)


class States:
    """The rows as sequences, with the states that the frozen layers give them."""

    def __init__(self, folder, rows):
        self.w, place, table = read_weights(folder)
        ids = json.load(open(folder + "/ids.json"))
        self.rows, self.seq, self.second = rows, [], []
        at = 0
        for task, _, a, b, _ in rows:
            first = ids[at][:LIMIT]; at += 1
            s, seg = [0] + first + [2], [0] * (len(first) + 2)
            if b is not None:
                other = ids[at][:LIMIT]; at += 1
                s, seg = s + [2] + other + [2], seg + [1] * (len(other) + 2)
            self.seq.append([place[i] for i in s]); self.second.append(seg)
        self.states = [None] * len(rows)
        frozen = stacked(self.w, range(FROZEN))
        norm = (self.w["embeddings.norm.weight"], self.w["embeddings.norm.bias"])

        @jax.jit
        def run(x, mask):
            x, _ = jax.lax.scan(lambda x, d: (block(x, mask, d), None), normal(x, norm), frozen)
            return x.astype(jnp.float16)

        fixed = self.w["embeddings.position"] + self.w["embeddings.type"]
        for batch in self.batches(range(len(rows)), 4096, random.Random(0)):
            size, n = self.shape(batch, 4096)
            x = np.zeros((size, n, HIDDEN), np.float32)
            for i, r in enumerate(batch):
                s = self.seq[r]; x[i, :len(s)] = table[s] + fixed[:len(s)]
            h = np.array(run(x, self.mask(batch, size, n)))
            for i, r in enumerate(batch):
                self.states[r] = h[i, :len(self.seq[r])]

    def shape(self, batch, tokens):
        """Rows and width of a batch, of which there are few to compile."""
        n = max(len(self.seq[r]) for r in batch)
        n = -(-n // 16) * 16 if n <= 64 else -(-n // 32) * 32
        return max(4, tokens // n), n

    def mask(self, batch, size, n):
        m = np.zeros((size, n), np.float32)
        m[:, 0] = 1
        for i, r in enumerate(batch):
            m[i, :len(self.seq[r])] = 1
        return m

    def batches(self, which, tokens, rnd):
        """Batches of one task and of about as many tokens, texts of like length together."""
        out = []
        for task in TASKS:
            some = [r for r in which if self.rows[r][0] == task]
            rnd.shuffle(some)
            for at in range(0, len(some), 1000):
                part = sorted(some[at:at + 1000], key=lambda r: len(self.seq[r]))
                while part:
                    size, _ = self.shape(part[-1:], tokens)
                    out.append(part[-size:]); part = part[:-size]
        rnd.shuffle(out)
        return out

    def batch(self, batch, tokens):
        size, n = self.shape(batch, tokens)
        x = np.zeros((size, n, HIDDEN), np.float32)
        second = np.zeros((size, n), np.int32)
        for i, r in enumerate(batch):
            k = len(self.seq[r]); x[i, :k] = self.states[r]; second[i, :k] = self.second[r]
        return x, self.mask(batch, size, n), second


def main():
    a = argparse.ArgumentParser()
    a.add_argument("prepared"); a.add_argument("out")
    a.add_argument("--without", default=""); a.add_argument("--only", default="")
    a.add_argument("--epochs", type=float, default=3); a.add_argument("--rank", type=int, default=32)
    a.add_argument("--rate", type=float, default=5e-4); a.add_argument("--tokens", type=int, default=2048)
    a.add_argument("--seed", type=int, default=0); a.add_argument("--tasks", default="pair,answer,text")
    a.add_argument("--begin", default="", help="a reader.npz to go on from")
    a.add_argument("--house", type=float, default=1, help="share of the house's rows in each epoch")
    o = a.parse_args()
    rows = [tuple(r) for r in map(json.loads, open(o.prepared + "/rows.jsonl"))]
    begun = time.time()
    s = States(o.prepared, rows)
    print("states", len(rows), round(time.time() - begun), flush=True)
    without = set(o.without.split(","))
    out = lambda who: who in without or who.startswith("eval")
    learn = [i for i, r in enumerate(rows) if not out(r[1]) and r[0] in o.tasks.split(",")]
    if o.only:
        learn = [i for i in learn if rows[i][1] in o.only.split(",")]
    test = [i for i, r in enumerate(rows) if out(r[1]) and r[0] in o.tasks.split(",")]
    layers = stacked(s.w, range(FROZEN, LAYERS))
    p = new_parameters(o.rank, o.seed)
    if o.begin:
        was = np.load(o.begin)
        p = jax.tree_util.tree_map_with_path(lambda path, v: jnp.array(was[name_of(path)]), p)
    rnd = random.Random(o.seed)
    plan = []
    for left in [1.0] * int(o.epochs) + [o.epochs % 1]:
        some = [i for i in learn if rows[i][1] != "house" or rnd.random() < o.house]
        batches = s.batches(some, o.tokens, rnd)
        plan += batches[:int(left * len(batches))]
    steps = len(plan)
    rate = optax.warmup_cosine_decay_schedule(0, o.rate, max(1, steps // 10), steps, o.rate * .05)
    opt = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=.01))
    st = opt.init(p)
    from functools import partial

    @partial(jax.jit, static_argnames="task")
    def step(p, st, x, mask, second, y, weight, task):
        l, g = jax.value_and_grad(loss)(p, layers, x, mask, second, y, weight, task)
        u, st = opt.update(g, st, p)
        return optax.apply_updates(p, u), st, l

    say = partial(jax.jit, static_argnames="task")(lambda p, x, mask, second, task: read(p, layers, x, mask, second, task))
    print("rows", len(learn), "tested", len(test), "steps", steps, flush=True)

    def evaluate(name):
        found = {}
        for b in s.batches(test, 4096, random.Random(1)):
            task = rows[b[0]][0]
            x, mask, second = s.batch(b, 4096)
            for r, l in zip(b, np.array(say(p, x, mask, second, task))):
                found[r] = l
        with open(o.out + "/odds.jsonl", "w") as f:
            for r in test:
                f.write(json.dumps([r, *rows[r], [round(float(v), 3) for v in found[r]]], ensure_ascii=False) + "\n")
        import board
        board.show(name, [(rows[r], found[r]) for r in test])

    os.makedirs(o.out, exist_ok=True)
    sums, begun = {t: [] for t in TASKS}, time.time()
    for n, b in enumerate(plan, 1):
        task = rows[b[0]][0]
        x, mask, second = s.batch(b, o.tokens)
        y = np.zeros((len(x), OUTPUTS[task]), np.float32)
        weight = np.zeros(len(x), np.float32)
        for i, r in enumerate(b):
            y[i], weight[i] = target(task, rows[r][4]), rows[r][4].get("weight", 1.0)
        p, st, l = step(p, st, x, mask, second, y, weight, task)
        sums[task].append(float(l))
        if n % 50 == 0:
            print(n, steps, {t: round(float(np.mean(v[-30:])), 3) for t, v in sums.items() if v}, round(time.time() - begun), flush=True)
        if n % 400 == 0 or n == steps:
            evaluate(f"step {n}")
    flat = {name_of(path): np.array(v) for path, v in jax.tree_util.tree_flatten_with_path(p)[0]}
    np.savez(o.out + "/reader.npz", **flat)


if __name__ == "__main__":
    main()
