package search

import (
	"errors"
	"math"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/tune"
)

func TestNewRefuses(t *testing.T) {
	tests := map[string]Config{
		"fusion":            {Ranking: tune.Rank{Fusion: "mean"}},
		"weight":            {Ranking: tune.Rank{TextWeight: -1}},
		"infinite weight":   {Ranking: tune.Rank{TextWeight: math.Inf(1)}},
		"link weight":       {Ranking: tune.Rank{LinkWeight: new(1.5)}},
		"no link weight":    {Ranking: tune.Rank{LinkWeight: new(math.NaN())}},
		"date weight":       {Ranking: tune.Rank{Signals: tune.Signals{DateWeight: new(-.1)}}},
		"date window":       {Ranking: tune.Rank{Signals: tune.Signals{DateWindowDays: -1}}},
		"assistant weight":  {Ranking: tune.Rank{Signals: tune.Signals{AssistantWeight: 2}}},
		"half-life":         {Ranking: tune.Rank{Signals: tune.Signals{Decay: tune.Decay{HalfLifeDays: new(-1.0)}}}},
		"decay floor":       {Ranking: tune.Rank{Signals: tune.Signals{Decay: tune.Decay{Floor: new(1.0)}}}},
		"lambda":            {Ranking: tune.Rank{Signals: tune.Signals{MMR: tune.MMR{Lambda: 1.1}}}},
		"feedback weight":   {Ranking: tune.Rank{Signals: tune.Signals{FeedbackWeight: 1}}},
		"threshold":         {Ranking: tune.Rank{Signals: tune.Signals{AdaptiveThreshold: 1.1}}},
		"salience":          {Ranking: tune.Rank{Signals: tune.Signals{Salience: "much"}}},
		"passages reranked": {Rerank: tune.Rerank{Top: tune.MaxRerankTop + 1}},
		"time to rerank":    {Rerank: tune.Rerank{Timeout: -1}},
	}
	for name, cfg := range tests {
		if _, err := New(cfg); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%s: New returned %v, want %v", name, err, memoir.ErrInvalid)
		}
	}
	if _, err := New(Config{}); err != nil {
		t.Errorf("New with no options: %v", err)
	}
}
