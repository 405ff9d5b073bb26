package modelfile

import (
	"slices"
	"strings"
)

// knownModel holds facts from a model's card. They are used for folders that
// hold only the weights and the vocabulary.
type knownModel struct {
	repository      string // on the Hugging Face hub
	pooling         string
	tokens          int
	query, document string  // prefixes
	unrelated       float64 // see [Info.UnrelatedCosine]; 0 where it was not measured
	languages       []string
	licence         string // SPDX identifier
}

// findPassages is the prefix of queries for English models trained by BAAI's
// recipe.
const findPassages = "Represent this sentence for searching relevant passages: "

// knownModels has the models by their names, in lower case.
var knownModels = map[string]knownModel{
	"all-minilm-l6-v2":          {repository: "sentence-transformers/all-MiniLM-L6-v2", pooling: PoolMean, tokens: 256, unrelated: miniLMUnrelated, languages: english, licence: "Apache-2.0"},
	"all-minilm-l12-v2":         {repository: "sentence-transformers/all-MiniLM-L12-v2", pooling: PoolMean, tokens: 128, languages: english, licence: "Apache-2.0"},
	"bge-small-en-v1.5":         {repository: "BAAI/bge-small-en-v1.5", pooling: PoolCLS, tokens: 512, query: findPassages, languages: english, licence: "MIT"},
	"bge-base-en-v1.5":          {repository: "BAAI/bge-base-en-v1.5", pooling: PoolCLS, tokens: 512, query: findPassages, languages: english, licence: "MIT"},
	"gte-small":                 {repository: "thenlper/gte-small", pooling: PoolMean, tokens: 512, languages: english, licence: "MIT"},
	"e5-small-v2":               {repository: "intfloat/e5-small-v2", pooling: PoolMean, tokens: 512, query: "query: ", document: "passage: ", languages: english, licence: "MIT"},
	"multilingual-e5-small":     {repository: "intfloat/multilingual-e5-small", pooling: PoolMean, tokens: 512, query: "query: ", document: "passage: ", unrelated: e5Unrelated, languages: e5Languages(), licence: "MIT"},
	"multilingual-e5-base":      {repository: "intfloat/multilingual-e5-base", pooling: PoolMean, tokens: 512, query: "query: ", document: "passage: ", languages: e5Languages(), licence: "MIT"},
	"snowflake-arctic-embed-xs": {repository: "Snowflake/snowflake-arctic-embed-xs", pooling: PoolCLS, tokens: 512, query: findPassages, languages: english, licence: "Apache-2.0"},
	"snowflake-arctic-embed-s":  {repository: "Snowflake/snowflake-arctic-embed-s", pooling: PoolCLS, tokens: 512, query: findPassages, languages: english, licence: "Apache-2.0"},
	"ms-marco-minilm-l6-v2":     {repository: "cross-encoder/ms-marco-MiniLM-L6-v2", tokens: 512, languages: english, licence: "Apache-2.0"},
	"bge-reranker-base":         {repository: "BAAI/bge-reranker-base", tokens: 512, languages: []string{"en", "zh"}, licence: "MIT"},
	"mmarco-mminilmv2-l12-h384-v1": {repository: "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", tokens: 512,
		languages: strings.Fields("ar de en es fr hi id it ja nl pt ru vi zh"), licence: "Apache-2.0"},
	"snowflake-arctic-embed-m": {repository: "Snowflake/snowflake-arctic-embed-m", pooling: PoolCLS, tokens: 512, query: findPassages, languages: english, licence: "Apache-2.0"},
}

var english = []string{"en"}

// Mean cosines of unrelated texts, as measured; docs/design/model-files.md says
// how.
const (
	e5Unrelated     = 0.757 // 200,000 random pairs of questions and passages in English and Chinese
	miniLMUnrelated = 0.07  // as many of 422 questions and 399 passages in English
)

// origin returns where the model was published, "" for one that is not known.
func (k knownModel) origin() string {
	if k.repository == "" {
		return ""
	}
	return "https://huggingface.co/" + k.repository
}

// e5Languages returns what XLM-RoBERTa was trained on.
func e5Languages() []string {
	return strings.Fields(`af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu
		ha he hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps
		pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh`)
}

// scriptLanguages has the languages that are written in each script, by their
// ISO 639 codes. A language that is in no line is written in Latin.
var scriptLanguages = map[string]string{
	"Arabic":     "ar fa ps sd ug ur ku",
	"Armenian":   "hy",
	"Bengali":    "as bn",
	"Cyrillic":   "be bg kk ky mk mn ru sr tg tt uk",
	"Devanagari": "hi mr ne sa",
	"Ethiopic":   "am ti",
	"Georgian":   "ka",
	"Greek":      "el",
	"Gujarati":   "gu",
	"Gurmukhi":   "pa",
	"Han":        "ja zh yue",
	"Hangul":     "ko",
	"Hebrew":     "he yi",
	"Hiragana":   "ja",
	"Kannada":    "kn",
	"Katakana":   "ja",
	"Khmer":      "km",
	"Lao":        "lo",
	"Malayalam":  "ml",
	"Myanmar":    "my",
	"Oriya":      "or",
	"Sinhala":    "si",
	"Tamil":      "ta",
	"Telugu":     "te",
	"Thai":       "th",
}

// latinToo has the languages of scriptLanguages that are also written in Latin.
const latinToo = "ku sr"

// scriptsOf returns the scripts of the languages, by name.
func scriptsOf(languages []string) []string {
	var scripts []string
	other := make(map[string]bool)
	for script, list := range scriptLanguages {
		for _, language := range strings.Fields(list) {
			other[language] = true
			if slices.Contains(languages, language) && !slices.Contains(scripts, script) {
				scripts = append(scripts, script)
			}
		}
	}
	if slices.ContainsFunc(languages, func(l string) bool { return !other[l] || slices.Contains(strings.Fields(latinToo), l) }) {
		scripts = append(scripts, "Latin")
	}
	slices.Sort(scripts)
	return scripts
}
