package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir/internal/modelfile"
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
	cmd.AddCommand(s.convertCommand())
	return cmd
}

// convertAnswer is the JSON of model convert.
type convertAnswer struct {
	Path  string `json:"path"`
	Model string `json:"model"`
	Bytes int    `json:"bytes"`
}

func (s *session) convertCommand() *cobra.Command {
	var bits int
	cmd := &cobra.Command{
		Use: "convert IN OUT", Short: "Turn a published model into a file that the local provider reads",
		Long: "Convert reads e5-small-q4.bin as it was published and writes the compact file\nthat memoir holds, to be named by the setting model. The same input gives the\nsame file. A file that exists is not replaced.",
		Args: positional(2, 2, "the published file, or the file to write,"),
		RunE: func(_ *cobra.Command, args []string) error {
			if bits != 2 && bits != 4 {
				return usage("memoir help model convert", "--embedding-bits %d is not 2 or 4", bits)
			}
			return s.convert(args[0], args[1], bits)
		},
	}
	cmd.Flags().IntVar(&bits, "embedding-bits", 2, "bits of one value of a token's embedding, 2 or 4")
	return cmd
}

func (s *session) convert(in, out string, bits int) error {
	published, err := readBounded(in, maxModel)
	if err != nil {
		return fmt.Errorf("read the published model: %w", err)
	}
	file, err := modelfile.ConvertE5S1(published, modelfile.Options{EmbeddingBits: bits})
	if err != nil {
		return fmt.Errorf("convert %s: %w", in, err)
	}
	model, err := modelfile.Parse(file)
	if err != nil {
		return fmt.Errorf("check the converted model: %w", err)
	}
	if err := createFile(out, string(file)); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	answer := convertAnswer{Path: out, Model: model.Info().Name, Bytes: len(file)}
	if s.json {
		return writeJSON(s.out, answer)
	}
	_, err = fmt.Fprintf(s.out, "%s: %s, %d bytes\n", answer.Path, answer.Model, answer.Bytes)
	return err
}

// readBounded reads a file of at most limit bytes.
func readBounded(path string, limit int64) (data []byte, err error) {
	f, err := os.Open(path)
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
