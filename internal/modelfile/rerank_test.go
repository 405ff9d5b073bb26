package modelfile_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

func folderOf(files map[string][]byte) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	return folder
}

// A cross-encoder keeps its head, and how it reads two texts as one.
func TestCrossEncoders(t *testing.T) {
	bert, roberta := embedtest.PublishedCrossEncoder(1), embedtest.PublishedRobertaCrossEncoder(1)
	for _, tt := range []struct {
		name    string
		files   map[string][]byte
		markers int
		typed   bool
	}{{"bert", bert, 1, true}, {"xlm-roberta", roberta, 2, false}} {
		data, err := modelfile.ConvertFolder(folderOf(tt.files), modelfile.Options{Name: "x/tiny"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if info := f.Info(); !info.Reranks || info.PairMarkers != tt.markers || f.Has(modelfile.SecondType) != tt.typed || info.Pooling != modelfile.PoolCLS {
			t.Errorf("%s: got %+v, a second type: %v", tt.name, info, f.Has(modelfile.SecondType))
		}
		if dense, err := f.Float32s(modelfile.HeadDense + ".weight"); err != nil || len(dense) != 128*128 {
			t.Errorf("%s: got a head of %d numbers, %v", tt.name, len(dense), err)
		}
	}
}

// A folder that is not a reranker that memoir can read is refused, with the
// reason.
func TestCrossEncoderMistakes(t *testing.T) {
	classes := map[string][]byte{"config.json": []byte(strings.Replace(string(embedtest.Published(1)["config.json"]), "BertModel", "BertForSequenceClassification", 1))}
	encoder := embedtest.Published(1)
	maps.Copy(encoder, classes)
	roberta := embedtest.PublishedRobertaCrossEncoder(1)
	alone := strings.Replace(string(roberta["tokenizer.json"]), `"pair":`, `"other":`, 1)
	swapped := strings.Replace(string(roberta["tokenizer.json"]), `{"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B"`, `{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "B"`, 1)
	for _, tt := range []struct {
		name, tokenizer, want string
		files                 map[string][]byte
	}{
		{"no head", "", `tensor "pooler.dense.weight": the tensor is missing`, encoder},
		{"no pairs", alone, "does not say how two texts are read as one", roberta},
		{"other pairs", swapped, "in a form that is not supported", roberta},
	} {
		files := maps.Clone(tt.files)
		if tt.tokenizer != "" {
			files["tokenizer.json"] = []byte(tt.tokenizer)
		}
		if _, err := modelfile.ConvertFolder(folderOf(files), modelfile.Options{Name: "tiny"}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want …%s…", tt.name, err, tt.want)
		}
	}
}

// A model of several classes gives no number to order by.
func TestClassifier(t *testing.T) {
	all := newTensors()
	all.shapes["pooler.dense.weight"], all.values["pooler.dense.weight"] = []int{128, 128}, make([]float32, 128*128)
	all.shapes["pooler.dense.bias"], all.values["pooler.dense.bias"] = []int{128}, make([]float32, 128)
	all.shapes["classifier.weight"], all.values["classifier.weight"] = []int{3, 128}, make([]float32, 3*128)
	all.shapes["classifier.bias"], all.values["classifier.bias"] = []int{3}, make([]float32, 3)
	config := strings.Replace(bertConfig, `"model_type":"bert"`, `"model_type":"bert","architectures":["BertForSequenceClassification"]`, 1)
	_, err := modelfile.ConvertFolder(folderOf(map[string][]byte{
		"config.json": []byte(config), "vocab.txt": []byte("[UNK]\n[CLS]\n[SEP]\ncafe\n##s\n"), "model.safetensors": all.file("F32"),
	}), modelfile.Options{Name: "tiny"})
	if err == nil || !strings.Contains(err.Error(), "sorts texts into 3 classes") {
		t.Errorf("got %v", err)
	}
}
