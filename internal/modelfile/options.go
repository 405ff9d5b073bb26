package modelfile

// Options say what a converter writes. The zero value is the documented default
// of each converter.
type Options struct {
	// WeightBits is the size of a weight of the layers: 4, 8, 16 or 32.
	// [ConvertE5S1] keeps the published 4; [ConvertFolder] takes
	// [DefaultWeightBits] for 0.
	WeightBits int
	// EmbeddingBits is the size of a number in the token embeddings: 2, 4, 8, 16
	// or 32. With 2 a file is smallest: [KindQ2Rows], whose first 8,192 rows have
	// 4 bits. For 0, [ConvertE5S1] keeps the published 4 and [ConvertFolder] takes
	// [DefaultEmbeddingBits]. ConvertE5S1 takes no size but 0, 2 and 4.
	EmbeddingBits int
	// Name is the name of the model, such as "all-MiniLM-L6-v2". Of
	// "publisher/model" the last part counts. [ConvertFolder] needs it;
	// [ConvertE5S1] knows it.
	Name string
	// Origin says where the folder was published. When it is empty, a known model
	// has the address of its repository.
	Origin string
}
