package modelfile

// Options say what a converter writes. The zero value is the documented default
// of each converter.
type Options struct {
	// WeightBits is the size of a weight of the layers: 4, 8, 16 or 32.
	// [ConvertE5S1] keeps the published 4; [ConvertFolder] takes
	// [DefaultWeightBits] for 0.
	WeightBits int
	// EmbeddingBits is the size of a number in the token embeddings: 2, 4, 8,
	// 16 or 32. With 2, a file is smallest: [KindQ2Rows] with the first 8,192
	// rows in 4 bits. [ConvertE5S1] keeps the published 4 for 0 and takes 2;
	// [ConvertFolder] takes [DefaultEmbeddingBits] for 0.
	EmbeddingBits int
	// Name is the model's, such as "all-MiniLM-L6-v2"; of "publisher/model" the
	// last part counts. [ConvertFolder] needs it, [ConvertE5S1] knows it.
	Name string
	// Origin says where the folder was published; by default, for models that
	// are known, the address of their repository.
	Origin string
}
