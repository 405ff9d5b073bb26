package search

import (
	"cmp"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/tune"
)

// signalsOf returns the options of signals with their defaults.
func signalsOf(o tune.Signals) tune.Signals {
	setDefault(&o.DateWeight, tune.DefaultDateWeight)
	o.DateWindowDays = cmp.Or(o.DateWindowDays, tune.DefaultDateWindowDays)
	setDefault(&o.RecencyWeight, tune.DefaultRecencyWeight)
	o.AssistantWeight = cmp.Or(o.AssistantWeight, tune.DefaultAssistantWeight)
	setDefault(&o.Decay.HalfLifeDays, tune.DefaultHalfLifeDays)
	setDefault(&o.Decay.SessionHalfLifeDays, *o.Decay.HalfLifeDays)
	setDefault(&o.Decay.Floor, tune.DefaultDecayFloor)
	o.MMR.Lambda = cmp.Or(o.MMR.Lambda, tune.DefaultMMRLambda)
	o.Salience = cmp.Or(o.Salience, tune.SalienceOff)
	return o
}

// setDefault sets an option that is not set.
func setDefault(option **float64, to float64) {
	if *option == nil {
		*option = new(to)
	}
}

func checkSignals(o tune.Signals) error {
	for _, v := range []struct {
		name   string
		value  float64
		ok     bool
		wanted string
	}{
		{"date weight", *o.DateWeight, *o.DateWeight >= 0 && *o.DateWeight <= 1, "between 0 and 1"},
		{"date window", float64(o.DateWindowDays), o.DateWindowDays > 0, "above 0 days"},
		{"recency weight", *o.RecencyWeight, *o.RecencyWeight >= 0 && *o.RecencyWeight <= 1, "between 0 and 1"},
		{"assistant weight", o.AssistantWeight, o.AssistantWeight > 0 && o.AssistantWeight <= 1, "above 0 and at most 1"},
		{"half-life", *o.Decay.HalfLifeDays, *o.Decay.HalfLifeDays >= 0, "0 days or more"},
		{"half-life of sessions", *o.Decay.SessionHalfLifeDays, *o.Decay.SessionHalfLifeDays >= 0, "0 days or more"},
		{"decay floor", *o.Decay.Floor, *o.Decay.Floor >= 0 && *o.Decay.Floor < 1, "between 0 and less than 1"},
		{"lambda of MMR", o.MMR.Lambda, o.MMR.Lambda > 0 && o.MMR.Lambda <= 1, "above 0 and at most 1"},
		{"feedback weight", o.FeedbackWeight, o.FeedbackWeight >= 0 && o.FeedbackWeight < 1, "between 0 and less than 1"},
		{"adaptive threshold", o.AdaptiveThreshold, o.AdaptiveThreshold >= 0 && o.AdaptiveThreshold <= 1, "between 0 and 1"},
	} {
		if !v.ok {
			return fmt.Errorf("%s %v is not %s: %w", v.name, v.value, v.wanted, memoir.ErrInvalid)
		}
	}
	switch o.Salience {
	case tune.SalienceOff, tune.SalienceOpenClaw, tune.SalienceSeed:
		return nil
	}
	return fmt.Errorf("salience %q is not one of off, openclaw, seed: %w", o.Salience, memoir.ErrInvalid)
}

// rankingOf returns the options of ranking with their defaults.
func rankingOf(o tune.Rank) tune.Rank {
	if o.Fusion == "" {
		o.Fusion = tune.DefaultFusion
	}
	if o.TextWeight == 0 && o.VectorWeight == 0 {
		o.TextWeight, o.VectorWeight = tune.DefaultTextWeight, tune.DefaultVectorWeight
	}
	if o.CandidateMultiplier == 0 {
		o.CandidateMultiplier = tune.DefaultCandidateMultiplier
	}
	setDefault(&o.LinkWeight, tune.DefaultLinkWeight)
	o.Signals = signalsOf(o.Signals)
	return o
}

func checkRanking(o tune.Rank) error {
	switch rank.Fusion(o.Fusion) {
	case rank.Convex, rank.WeightedSum, rank.RRF:
	default:
		return fmt.Errorf("fusion %q is not one of convex, weighted-sum, rrf: %w", o.Fusion, memoir.ErrInvalid)
	}
	weights := o.TextWeight + o.VectorWeight
	if o.TextWeight < 0 || o.VectorWeight < 0 || o.CandidateMultiplier < 0 || math.IsNaN(weights) || math.IsInf(weights, 0) {
		return fmt.Errorf("weights and candidate multiplier must be finite and not negative: %w", memoir.ErrInvalid)
	}
	if w := *o.LinkWeight; !(w >= 0 && w <= 1) {
		return fmt.Errorf("link weight %v is not between 0 and 1: %w", w, memoir.ErrInvalid)
	}
	return checkSignals(o.Signals)
}

// rerankingOf returns the options of reranking with their defaults, or an error
// that says what is wrong with them.
func rerankingOf(o tune.Rerank) (tune.Rerank, error) {
	if o.Top < 0 || o.Top > tune.MaxRerankTop || o.Timeout < 0 {
		return o, fmt.Errorf("rerank the first %d within %v: the number must be between 1 and %d, the time more than 0: %w", o.Top, o.Timeout, tune.MaxRerankTop, memoir.ErrInvalid)
	}
	o.Top = cmp.Or(o.Top, tune.DefaultRerankTop)
	o.Timeout = cmp.Or(o.Timeout, tune.DefaultRerankTimeout)
	return o, nil
}
