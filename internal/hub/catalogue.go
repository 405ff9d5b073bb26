package hub

// A Published is a model of the catalogue, which memoir is known to read.
type Published struct {
	Name string // by which it is pulled, and installed
	Ref  Ref
	// Weights is the SHA-256 of model.safetensors at that revision. When it is
	// "", only the hub's checksum counts.
	Weights    string
	Bytes      int64 // of model.safetensors; 0 when unknown
	Dimensions int
	Reranks    bool   // it reranks, and gives no vectors
	Languages  string // what the model was made for, for people
	Licence    string // SPDX identifier
}

// Catalogue returns the known models, small ones first and those that rerank
// last. The pinned checksums were compared with at least two other places that
// publish them.
func Catalogue() []Published {
	const english, many = "English", "93 languages"
	return []Published{
		{"all-MiniLM-L6-v2", Ref{"sentence-transformers", "all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"},
			"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 90_868_376, 384, false, english, "Apache-2.0"},
		{"snowflake-arctic-embed-xs", Ref{"Snowflake", "snowflake-arctic-embed-xs", "d8c86521100d3556476a063fc2342036d45c106f"},
			"ee789e0b1d6ecbbd5ce37b474af556cc1a1319cee4417d9e3b11f82e90300706", 90_272_656, 384, false, english, "Apache-2.0"},
		{"gte-small", Ref{"thenlper", "gte-small", "17e1f347d17fe144873b1201da91788898c639cd"},
			"9a1eb90bbac323ea08aa5629b624fe6ae75db121b904799c2266a1e2c2de22d2", 66_746_168, 384, false, english, "MIT"},
		{"all-MiniLM-L12-v2", Ref{"sentence-transformers", "all-MiniLM-L12-v2", "main"}, "", 0, 384, false, english, "Apache-2.0"},
		{"bge-small-en-v1.5", Ref{"BAAI", "bge-small-en-v1.5", "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"},
			"3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad", 133_466_304, 384, false, english, "MIT"},
		{"e5-small-v2", Ref{"intfloat", "e5-small-v2", "ffb93f3bd4047442299a41ebb6fa998a38507c52"},
			"45bfa60070649aae2244fbc9d508537779b93b6f353c17b0f95ceccb1c5116c1", 133_466_304, 384, false, english, "MIT"},
		{"snowflake-arctic-embed-s", Ref{"Snowflake", "snowflake-arctic-embed-s", "main"}, "", 0, 384, false, english, "Apache-2.0"},
		{"multilingual-e5-small", Ref{"intfloat", "multilingual-e5-small", "614241f622f53c4eeff9890bdc4f31cfecc418b3"},
			"1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477", 470_641_600, 384, false, many, "MIT"},
		{"bge-base-en-v1.5", Ref{"BAAI", "bge-base-en-v1.5", "a5beb1e3e68b9ab74eb54cfd186867f64f240e1a"},
			"c7c1988aae201f80cf91a5dbbd5866409503b89dcaba877ca6dba7dd0a5167d7", 437_955_512, 768, false, english, "MIT"},
		{"snowflake-arctic-embed-m", Ref{"Snowflake", "snowflake-arctic-embed-m", "main"}, "", 0, 768, false, english, "Apache-2.0"},
		{"multilingual-e5-base", Ref{"intfloat", "multilingual-e5-base", "main"}, "", 0, 768, false, many, "MIT"},

		{"ms-marco-MiniLM-L6-v2", Ref{"cross-encoder", "ms-marco-MiniLM-L6-v2", "main"}, "", 0, 384, true, english, "Apache-2.0"},
		{"mmarco-mMiniLMv2-L12-H384-v1", Ref{"cross-encoder", "mmarco-mMiniLMv2-L12-H384-v1", "main"}, "", 0, 384, true, "14 languages", "Apache-2.0"},
		{"bge-reranker-base", Ref{"BAAI", "bge-reranker-base", "main"}, "", 0, 768, true, "English, Chinese", "MIT"},
	}
}

// Weights is the file that holds a model's numbers.
const Weights = "model.safetensors"

// Files returns the files of a published model that a converter may need, small
// ones first, so that a model that cannot be read fails early. weights is the
// SHA-256 of the weights, or "".
func Files(weights string) []File {
	return []File{
		{Path: "config.json"},
		{Path: "modules.json", Optional: true},
		{Path: "1_Pooling/config.json", Optional: true},
		{Path: "sentence_bert_config.json", Optional: true},
		{Path: "config_sentence_transformers.json", Optional: true},
		{Path: "tokenizer_config.json", Optional: true},
		{Path: "special_tokens_map.json", Optional: true},
		{Path: "README.md", Optional: true},
		{Path: "LICENSE", Optional: true},
		{Path: "vocab.txt", Optional: true},
		{Path: "tokenizer.json", Optional: true},
		{Path: Weights, SHA256: weights},
	}
}
