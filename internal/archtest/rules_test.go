package archtest

// A layer says what packages of this module a package may import. Names are
// folders below the root of the module, "." is the root package itself, and a
// name that ends in a slash stands for everything below it.
type layer struct {
	pkg     string
	imports []string
	reason  string // said when the rule is broken
}

const (
	leaf    = "a leaf knows no other package: text and numbers go in and come out, so that the root can use it"
	adapter = "stores, embedders, rerankers and sources know the root and leaves, never each other"
	front   = "a front end knows the engine and the wire; internal/app alone names adapters"
)

// layers is read from the top: the first rule whose pkg fits counts.
var layers = []layer{
	{".", []string{"tune", "explain", "internal/analyze", "internal/chunk", "internal/rank"},
		"the root holds words and ports; what works with them stands above it"},
	{"ability", []string{"."}, "it says what only some parts can do, and has none"},
	{"tune", nil, leaf},
	{"explain", nil, leaf},
	{"engine", []string{".", "ability", "tune", "internal/indexing", "internal/search", "internal/joined", "internal/show", "internal/remember", "internal/prime", "internal/notebook", "internal/judge", "internal/layout", "internal/querylang", "internal/reader", "internal/secret", "internal/sentinel"},
		"the engine joins both sides; it reaches files, databases and models only through its ports"},
	{"memorytool", []string{".", "engine", "internal/layout"}, "it answers the verbs of one tool; notes are the engine's"},
	{"internal/indexing", []string{".", "ability", "tune", "internal/analyze", "internal/chunk", "internal/entry", "internal/giveway", "internal/layout", "internal/name", "internal/script", "internal/trace"},
		"the side that writes the index knows nothing of who reads it"},
	{"internal/search", []string{".", "ability", "tune", "explain", "internal/show", "internal/analyze", "internal/chunk", "internal/entry", "internal/judge", "internal/layout", "internal/link", "internal/name", "internal/querylang", "internal/rank", "internal/script", "internal/search/roles", "internal/trace", "internal/typo"},
		"the side that reads the index is handed what it needs of the one that writes it"},
	{"internal/joined", []string{".", "ability"}, "it makes one index of several, and knows none of them"},
	{"internal/remember", []string{".", "internal/access", "internal/analyze", "internal/atomicfile", "internal/chunk", "internal/digest", "internal/entry", "internal/judge", "internal/layout", "internal/lines", "internal/link", "internal/name", "internal/notebook", "internal/reader", "internal/regular", "internal/script", "internal/secret", "internal/syserr", "internal/tag", "internal/typo"},
		"it judges and writes; what is there is searched for it"},
	{"internal/prime", []string{"internal/analyze", "internal/chunk", "internal/entry", "internal/judge", "internal/layout", "internal/tag"}, "it chooses among entries, and reads what it is handed"},
	{"internal/show", []string{".", "internal/analyze", "internal/blocks", "internal/chunk", "internal/layout"}, "it shows what was found, and finds nothing"},
	{"internal/name", []string{"internal/analyze", "internal/link"}, "names are folded as terms are"},
	{"internal/script", []string{".", "ability"}, "it asks models what they read"},

	{"store/internal/rowfile", []string{"internal/vecmath", "internal/mapped", "internal/regular"}, "it reads numbers in a file and compares them"},
	{"store/internal/", nil, leaf},
	{"store/storetest", []string{".", "ability", "tune", "internal/rank", "store/memstore", "store/internal/"}, "the contract of stores compares with the one in memory and knows no other"},
	{"store/weaviate/weaviatetest", nil, leaf},
	{"store/weaviate", []string{".", "ability", "tune", "internal/rank", "store/internal/vector"}, adapter},
	{"store/", []string{".", "ability", "tune", "internal/rank", "internal/vecmath", "internal/atomicfile", "internal/regular", "internal/sentinel", "internal/syserr", "store/internal/"}, adapter},
	{"embed/local/weights", nil, leaf},
	{"embed/local", []string{".", "internal/bert", "internal/modelfile", "internal/reader", "internal/reader/weights", "internal/vecmath"}, adapter},
	{"embed/internal/", nil, leaf},
	{"embed/remote", []string{".", "ability", "internal/atomicfile", "internal/regular"}, "what providers have in common knows none of them"},
	{"embed/remote/remotetest", []string{".", "embed/remote"}, "the contract of providers knows none of them"},
	{"embed/", []string{".", "embed/remote", "embed/internal/"}, adapter},
	{"rerank/crossencoder", []string{".", "ability", "internal/bert", "internal/modelfile"}, adapter},
	{"rerank/endpoint", []string{".", "embed/remote"}, adapter},
	{"source/bucket", []string{".", "ability", "internal/atomicfile", "internal/layout", "internal/objects", "internal/regular", "internal/sentinel", "internal/statedir", "internal/syserr"}, adapter + "; the folder of a copy is read by another one, which it is handed"},
	{"source/session", []string{".", "ability", "internal/digest", "internal/lines", "internal/regular", "internal/secret", "internal/syserr", "internal/tag"}, adapter + "; a transcript is cleaned before anybody sees it"},
	{"source/", []string{".", "ability", "internal/charset", "internal/layout", "internal/atomicfile", "internal/regular", "internal/syserr", "internal/typo", "internal/watch"}, adapter},

	{"internal/safetensors", []string{"internal/half"}, "a reader of one format knows numbers alone"},
	{"internal/trie", nil, leaf},
	{"internal/unigram", []string{"internal/trie"}, "a tokenizer knows its lookup alone"},
	{"internal/wordpiece", []string{"internal/trie"}, "a tokenizer knows its lookup alone"},
	{"internal/modelfile", []string{"internal/half", "internal/safetensors", "internal/unigram", "internal/wordpiece"}, "a model file holds a tokenizer and knows nothing of who runs it"},
	{"internal/bert", []string{"internal/giveway", "internal/vecmath", "internal/modelfile", "internal/unigram", "internal/wordpiece"}, "the encoder stands on kernels, the model file and tokenizers alone"},
	{"internal/modeldir", []string{"internal/atomicfile", "internal/mapped", "internal/modelfile", "internal/regular"}, "the folder of models knows their files, and nobody who brings or runs them"},
	{"internal/notegen/", []string{"internal/notegen"}, leaf},
	{"internal/wire", []string{".", "explain", "engine", "internal/citation", "internal/querylang", "internal/show", "internal/syserr", "internal/trace"}, "the wire is the JSON form of what the root and the engine say"},
	{"internal/mcpserver", []string{".", "engine", "internal/citation", "internal/lines", "internal/typo", "internal/wire"}, front},
	{"internal/httpapi", []string{".", "engine", "internal/entry", "internal/layout", "internal/markup", "internal/syserr", "internal/token", "internal/wire", "internal/wording"}, front},
	{"internal/bridge", []string{".", "engine", "internal/statedir", "internal/syserr"}, "what is asked over it is an engine's, whoever has it"},
	{"internal/browse", []string{".", "engine", "internal/cells", "internal/editor", "internal/wording"}, front},
	{"internal/ptytest", nil, leaf},
	{"internal/mounttest", nil, leaf},
	{"internal/page", []string{"internal/wording"}, "the page asks the API for everything, as anybody does"},
	{"internal/models", []string{".", "embed/local", "embed/local/weights", "rerank/crossencoder", "internal/config", "internal/hub", "internal/modeldir", "internal/modelfile", "internal/regular", "internal/statedir", "internal/syserr", "internal/vecmath"},
		"it runs the models of this machine, and reaches no server but to download one"},
	{"internal/statedir", []string{".", "internal/regular", "internal/sentinel", "internal/syserr"}, "it guards a folder and knows nothing of what stands in it"},
	{"internal/token", []string{".", "internal/atomicfile", "internal/regular", "internal/sentinel", "internal/statedir"}, "it keeps tokens, and knows nothing of what they open"},
	{"internal/objects/s3test", nil, leaf},
	{"internal/objects", []string{"."}, "it speaks to a server, and knows nothing of notes"},
	{"internal/lease", []string{".", "internal/objects", "internal/objects/s3test"}, "it takes turns, and knows nothing of what is done in them"},
	{"internal/access", []string{".", "internal/atomicfile", "internal/behind", "internal/digest", "internal/entry", "internal/judge", "internal/querylang", "internal/regular", "internal/statedir"}, "it counts answers and gives none"},
	{"internal/querylog", []string{".", "internal/atomicfile", "internal/behind", "internal/regular", "internal/secret", "internal/statedir"}, "it keeps questions and asks none"},
	{"internal/setup", []string{".", "internal/atomicfile", "internal/regular", "internal/statedir", "internal/syserr"}, "it changes the settings of other programs, and reads no notes"},
	{"internal/hook", []string{".", "engine", "internal/atomicfile", "internal/entry", "internal/layout", "internal/notebook", "internal/prime", "internal/regular", "internal/secret", "internal/statedir", "internal/syserr", "internal/tag"},
		"a front end of agents: notes are opened for it, and no model is"},
	{"internal/transfer", []string{".", "engine", "internal/atomicfile", "internal/blocks", "internal/entry", "internal/layout", "internal/regular", "internal/secret", "internal/syserr"},
		"it reads other memories and hands what they have to the engine, which writes"},
	{"internal/doctor", []string{".", "engine", "internal/app", "store/sqlite", "embed/", "internal/atomicfile", "internal/config", "internal/hook", "internal/layout", "internal/mcpserver", "internal/notebook", "internal/setup", "internal/regular", "internal/statedir", "internal/vecmath"},
		"it looks at every part, also at those behind a port"},
	{"internal/chat", []string{".", "embed/remote"}, "it asks one server, and knows nothing of notes"},
	{"internal/app", []string{".", "tune", "engine", "store/", "embed/", "rerank/", "source/", "internal/access", "internal/archive", "internal/chat", "internal/config", "internal/hook", "internal/models", "internal/notebook", "internal/querylog", "internal/regular", "internal/sentinel", "internal/statedir", "internal/syserr", "internal/vecmath", "internal/objects", "internal/lease", "internal/power"},
		"the composition root joins adapters and settings; what it needs beyond belongs into one of them"},
	{"internal/cli", []string{".", "explain", "engine", "internal/analyze", "internal/app", "internal/doctor", "internal/models", "internal/querylog", "internal/config", "internal/wire", "internal/mcpserver", "memorytool", "internal/blocks", "internal/browse", "internal/cells", "internal/citation", "internal/editor", "internal/eval", "internal/hook", "internal/httpapi", "internal/hub", "internal/layout", "internal/lines", "internal/modelfile", "internal/notebook", "internal/page", "internal/prime", "internal/querylang", "internal/regular", "internal/secret", "internal/sentinel", "internal/setup", "internal/show", "internal/syserr", "internal/token", "internal/trace", "internal/transfer", "internal/typo", "internal/bridge", "internal/otlp", "internal/wording"}, front},
	{"cmd/", []string{"internal/cli"}, "a command is ten lines; what it does is internal/cli"},

	{"bench/internal/", nil, leaf},
	{"bench/search/plot", nil, leaf},
	{"bench/hooks", []string{"bench/internal/", "internal/hook", "internal/notegen"}, "it asks the program from outside"},
	{"bench/serve", []string{"bench/internal/", "internal/notegen"}, "it asks the program from outside"},
	{"bench/soak", []string{"bench/internal/", "internal/notegen"}, "it lives with the program from outside"},
	{"bench/scale", nil, "what one tenant takes is put in as a figure; nothing of the program is asked"},
	{"bench/idle", []string{"bench/internal/"}, "it looks at the program from outside"},
	{"bench/archive", []string{"bench/internal/"}, "it asks the program from outside"},
	{"bench/search", []string{".", "tune", "engine", "store/sqlite", "store/memstore", "embed/embedtest", "source/mdfile", "internal/analyze", "internal/notegen", "internal/vecmath", "bench/internal/", "bench/search/plot"},
		"a bench puts parts together as a program would, and no program may need it"},

	{"internal/analyze", nil, leaf},
	{"internal/analyze/hangen", nil, leaf},
	{"internal/archtest", nil, leaf},
	{"internal/archive", []string{".", "engine", "internal/atomicfile", "internal/blocks", "internal/layout", "internal/regular"}, "it is handed what was said, and who keeps it"},
	{"internal/assistant", nil, leaf},
	{"internal/atomicfile", []string{"internal/regular"}, "it replaces files, which must be ordinary ones"},
	{"internal/blocks", nil, leaf},
	{"internal/chunk", []string{"internal/assistant", "internal/blocks"}, leaf},
	{"internal/citation", nil, leaf},
	{"internal/config", []string{"internal/atomicfile", "internal/layout", "internal/regular", "internal/syserr", "internal/typo"}, "settings are read and written; they know nobody who uses them"},
	{"internal/digest", []string{"internal/atomicfile", "internal/lines", "internal/regular"}, "it keeps a salt and digests in files, and nothing of the texts"},
	{"internal/editor", []string{"."}, "it knows editors, and no notes"},
	{"internal/entry", []string{"internal/blocks"}, "entries stand in blocks"},
	{"internal/eval/relevance", []string{".", "internal/app", "internal/config", "internal/eval", "internal/eval/linear", "internal/notegen", "internal/rank"}, "it fits a model to what a whole engine answers"},
	{"internal/eval/answers", []string{".", "internal/app", "internal/config", "internal/eval", "internal/mcpserver", "internal/wire"}, "it counts what front ends show"},
	{"internal/eval/prompts", []string{".", "internal/app", "internal/config", "internal/eval", "internal/hook", "internal/notegen"}, "it asks as agents do"},
	{"internal/eval/manuals", []string{".", "internal/app", "internal/config", "internal/eval"}, "it measures what front ends open"},
	{"internal/eval/occasions", []string{"internal/notegen"}, "it writes generated logs, and memoir eval asks"},
	{"internal/eval/folds", []string{"internal/wire"}, "it reads what memoir eval wrote"},
	{"internal/eval/order", []string{".", "engine", "store/memstore", "source/mdfile", "internal/config", "internal/eval", "internal/link", "internal/models"}, "it puts parts together as a program would"},
	{"internal/eval/scopes", []string{".", "internal/app", "internal/config", "internal/eval"}, "it measures what front ends open"},
	{"internal/eval", []string{"."}, "it scores answers, whoever gives them"},
	{"internal/behind", nil, leaf},
	{"internal/giveway", nil, leaf},
	{"internal/half", nil, leaf},
	{"internal/hub", []string{"internal/atomicfile", "internal/regular"}, "downloads end in files, and know nobody who asks for them"},
	{"internal/judge", []string{"internal/analyze", "internal/lazyregexp", "internal/reader"}, "what was read decides, with texts folded as terms are"},
	{"internal/reader", []string{"internal/bert", "internal/modelfile"}, "it reads with the encoder, and knows nothing of notes"},
	{"internal/reader/weights", nil, leaf},
	{"internal/search/roles", []string{"internal/analyze"}, "words are folded as terms are"},
	{"internal/eval/linear", nil, leaf},
	{"lab/reader/ask", []string{"embed/local/weights", "internal/bert", "internal/modelfile", "internal/reader", "internal/reader/weights"}, "the lab asks what the program asks"},
	{"lab/reader/near", []string{".", "embed/local", "embed/local/weights"}, "the lab compares as the program does"},
	{"lab/reader/pack", []string{"embed/local/weights", "internal/modelfile"}, "the lab writes what the program reads"},
	{"lab/reader/prepare", []string{"embed/local/weights", "internal/modelfile"}, "the lab reads what the program reads"},
	{"internal/charset", nil, leaf},
	{"internal/layout", nil, leaf},
	{"internal/lazyregexp", nil, leaf},
	{"internal/order", nil, leaf},
	{"internal/lines", nil, leaf},
	{"internal/link", nil, leaf},
	{"internal/mapped", nil, leaf},
	{"internal/markup", []string{"internal/blocks"}, "it shows blocks"},
	{"internal/notegen", nil, leaf},
	{"internal/notebook", []string{"internal/atomicfile", "internal/charset", "internal/layout", "internal/regular", "internal/sentinel", "internal/syserr"}, "it writes files and knows nothing of what stands in them"},
	{"internal/power", nil, leaf},
	{"internal/querylang", []string{"internal/assistant"}, leaf},
	{"internal/rank", nil, leaf},
	{"internal/regular", nil, leaf},
	{"internal/remember", []string{".", "internal/analyze", "internal/atomicfile", "internal/entry", "internal/judge", "internal/layout", "internal/notebook", "internal/regular", "internal/secret"},
		"it decides what becomes of a text and writes through the notebook; search and the model are handed in"},
	{"internal/secret", nil, leaf},
	{"internal/tag", nil, leaf},
	{"internal/sentinel", nil, leaf},
	{"internal/syserr", nil, leaf},
	{"internal/trace", nil, leaf},
	{"internal/otlp", []string{"internal/trace"}, "it hands on how long stages took, and knows nothing else"},
	{"internal/cells", nil, leaf},
	{"internal/typo", nil, leaf},
	{"internal/vecmath", nil, leaf},
	{"internal/vecmath/", nil, leaf},
	{"internal/watch", nil, leaf},
	{"internal/wording", nil, leaf},
}

// A technology is a package from outside that only some may name; a path that
// ends in a slash stands for everything below it.
type technology struct {
	path  string
	users []string
}

var technologies = []technology{
	// Some agents keep their sessions in databases of SQLite, which source/session reads.
	{"database/sql", []string{"source/session", "store/sqlite", "bench/search"}},
	{"database/sql/", []string{"store/sqlite", "bench/search"}},
	{"modernc.org/sqlite", []string{"source/session", "store/sqlite", "bench/search"}},
	{"modernc.org/sqlite/", []string{"source/session", "store/sqlite", "bench/search"}},
	{"net/http", []string{"bench/search", "bench/serve", "bench/soak", "embed/", "store/weaviate", "store/weaviate/weaviatetest", "internal/hub", "internal/bridge", "internal/httpapi", "internal/mcpserver", "internal/page", "internal/cli", "internal/objects", "internal/objects/s3test", "internal/otlp"}},
	{"net/http/", []string{"embed/", "internal/hub", "internal/objects/s3test", "store/weaviate/weaviatetest"}},
	// With them the linker keeps every exported method of everything: 2.5 MB.
	{"html/template", nil},
	{"text/template", nil},
	{"github.com/modelcontextprotocol/", []string{"internal/mcpserver", "internal/doctor"}},
	{"github.com/spf13/", []string{"internal/cli"}},
	{"github.com/schollz/", []string{"internal/cli"}},
	{"github.com/pelletier/", []string{"internal/blocks", "internal/config", "internal/setup"}},
	{"github.com/tailscale/", []string{"internal/setup"}},
	{"github.com/titanous/", []string{"internal/transfer", "internal/setup"}},
	{"github.com/gofrs/", []string{"internal/notebook", "internal/statedir", "store/sqlite"}},
	{"github.com/klauspost/", []string{"source/session"}},
	{"testing", []string{"internal/objects/s3test", "store/weaviate/weaviatetest", "internal/ptytest", "internal/mounttest", "store/storetest", "embed/embedtest", "embed/remote/remotetest"}},
}

// barred is what the root package may not import directly.
var barred = []string{"os", "os/exec", "io/fs", "io/ioutil", "path/filepath", "net", "syscall", "unsafe"}

// blank is who may import what for its effect alone.
var blank = map[string][]string{
	"modernc.org/sqlite":     {"store/sqlite", "bench/search"}, // registers the driver
	"modernc.org/sqlite/vec": {"bench/search"},                 // registers sqlite-vec
	"embed":                  {"embed/local/weights", "embed/local", "internal/analyze", "internal/indexing", "internal/reader/weights", "internal/search", "internal/search/roles", "internal/wording", "store/sqlite"},
}

// embedders is who may embed files, and which.
var embedders = map[string]string{
	"store/sqlite":            "schema.sql",
	"embed/local":             "references.json",
	"embed/local/weights":     "multilingual-e5-small.memoir",
	"internal/reader/weights": "reader.memoir",
	"internal/search/roles":   "roles.txt",
	"internal/page":           "shell.html static",
	"internal/wording":        "zh.txt",
	"internal/analyze":        "data/*.txt",
	"internal/indexing":       "data/placeholders.txt",
	"internal/secret":         "data/*.txt",
	"internal/search":         "data/*.txt",
	"internal/querylang":      "data/*.txt",
	"internal/eval/occasions": "testdata/*.tsv",
}
