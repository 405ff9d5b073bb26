package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

func TestParseOverlay(t *testing.T) {
	got, err := config.ParseOverlay("query.fusion=rrf, query.textWeight=0.3,exclude=drafts/,*.tmp.md,日记/,model=a=b")
	want := config.Flags{"query.fusion": "rrf", "query.textWeight": "0.3", "exclude": "drafts/,*.tmp.md,日记/", "model": "a=b"}
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("error %v; -got +want:\n%s", err, diff)
	}
}

func TestParseOverlayMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "no list of settings"},
		{"query.fusion", "no list of settings"},
		{"=rrf", "no list of settings"},
		{"rrf,query.fusion=rrf", "no list of settings"},
		{"query.fusoin=rrf", `the nearest known one is "query.fusion"`},
		{"query=1", "query is a table"},
		{"query.fusion=rrf,query.fusion=convex", "set twice"},
		{"stateDir=/tmp", "cannot be part of a comparison"},
		{"openai.apiKey=12345", "openai.apiKey cannot be part of a comparison"},
		{"\xff\x00=1", "no list of settings"},
	} {
		_, err := config.ParseOverlay(tt.text)
		var mistake *config.Error
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), tt.want) || mistake.Hint == "" && tt.text != "query=1" {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "12345") {
			t.Errorf("%q: %v shows a secret", tt.text, err)
		}
	}
}
