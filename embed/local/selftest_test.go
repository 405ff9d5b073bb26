package local_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

// A model is compared with what is known of the name that it states. Other
// weights do not pass for all-MiniLM-L6-v2.
func TestSelfTestOfAName(t *testing.T) {
	folder := fstest.MapFS{}
	for name, data := range embedtest.Published(1) {
		folder[name] = &fstest.MapFile{Data: data}
	}
	for _, tt := range []struct{ name, want string }{{"tiny", ""}, {"all-MiniLM-L6-v2", "published vector"}} {
		file, err := modelfile.ConvertFolder(folder, modelfile.Options{Name: tt.name})
		if err != nil {
			t.Fatal(err)
		}
		e, err := local.New(file, local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.SelfTest(t.Context())
		if tt.want == "" && (err != nil || got.References != 0 || got.Kernels == "") {
			t.Errorf("%s: got %+v, error %v", tt.name, got, err)
		}
		if tt.want != "" && (!errors.Is(err, local.ErrSelfTest) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %v with %q", tt.name, err, local.ErrSelfTest, tt.want)
		}
	}
}
