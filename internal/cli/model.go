package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/wire"
)

// maxModel bounds a published model, in bytes.
const maxModel = 4 << 30

func (s *session) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "model", Short: "Work with models of the local provider",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(s.listCommand(), s.pullCommand(), s.useCommand(), s.verifyCommand(), s.removeCommand(), s.convertCommand())
	return cmd
}

func (s *session) convertCommand() *cobra.Command {
	var opts modelfile.Options
	cmd := &cobra.Command{
		Use: "convert IN OUT", Short: "Turn a published model into a file that the local provider reads",
		Long:    "Convert writes one file with the weights, tokenizer, origin and licence of a model. It\nreads e5-small-q4.bin, or a folder as models of the BERT family are published on the\nHugging Face hub (config.json, model.safetensors, tokenizer.json). Name the file in\nthe setting model, or for a cross-encoder in rerank.model. The same input gives the\nsame file. A file that exists is not replaced.",
		Example: "  memoir model convert ~/Downloads/all-MiniLM-L6-v2 minilm.memoir\n  memoir model convert --weights-bits 4 --embedding-bits 4 bge-small-en-v1.5 bge.memoir",
		Args:    positional(2, 2, "the published model, or the file to write,"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.convert(cmd.Context(), args[0], args[1], opts)
		},
	}
	bitFlags(cmd, &opts)
	cmd.Flags().StringVar(&opts.Name, "name", "", "the model's name (default the folder's)")
	return cmd
}

// bitFlags adds the flags for the size of a converted model.
func bitFlags(cmd *cobra.Command, opts *modelfile.Options) {
	f := cmd.Flags()
	f.IntVar(&opts.WeightBits, "weights-bits", 0, fmt.Sprintf("bits of a weight: 4, 8, 16 or 32 (default %d; e5-small-q4.bin has 4)", modelfile.DefaultWeightBits))
	f.IntVar(&opts.EmbeddingBits, "embedding-bits", 0, fmt.Sprintf("bits of one value of a token's embedding: 2, 4, 8, 16 or 32 (default %d; 2 for e5-small-q4.bin)", modelfile.DefaultEmbeddingBits))
}

func (s *session) convert(ctx context.Context, in, out string, opts modelfile.Options) error {
	file, err := convertModel(ctx, in, opts)
	if err != nil {
		return memoir.WithHint(fmt.Errorf("convert %s: %w", in, err), "memoir help model convert")
	}
	model, err := modelfile.Parse(file)
	if err != nil {
		return fmt.Errorf("check the converted model: %w", err)
	}
	if err := createFile(out, string(file)); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	answer := wire.ConvertAnswer{Path: out, Model: model.Info().Name, Bytes: len(file)}
	if s.json {
		return writeJSON(s.out, answer)
	}
	_, err = fmt.Fprintf(s.out, "%s: %s, %s\n", named(answer.Path), answer.Model, s.said("%s", count(answer.Bytes, "byte")))
	return err
}

// convertModel converts a published folder or file.
func convertModel(ctx context.Context, in string, opts modelfile.Options) ([]byte, error) {
	info, err := os.Stat(in)
	if err != nil {
		return nil, syserr.Reason(err) // the path is already in the caller's message
	}
	if !info.IsDir() {
		opts.EmbeddingBits = cmp.Or(opts.EmbeddingBits, 2)
		published, err := readBounded(in, maxModel)
		if err != nil {
			return nil, syserr.Reason(err)
		}
		return modelfile.ConvertE5S1(published, opts)
	}
	if opts.Name == "" {
		path, err := filepath.Abs(in)
		if err != nil {
			return nil, err
		}
		opts.Name = filepath.Base(path)
	}
	return models.Convert(ctx, regular.DirFS(in), opts)
}

// readBounded reads a file of at most limit bytes, which a person names.
func readBounded(path string, limit int64) (data []byte, err error) {
	f, err := regular.Follow(path)
	if err != nil {
		return nil, err
	}
	defer closing(&err, f)
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("the file is too large")
	}
	return data, err
}
