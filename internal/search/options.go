package search

import (
	"cmp"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// signalsOf returns the options of signals with their defaults.
func signalsOf(o memoir.SignalOptions) memoir.SignalOptions {
	setDefault(&o.DateWeight, memoir.DefaultDateWeight)
	if o.DateWindowDays == 0 {
		o.DateWindowDays = memoir.DefaultDateWindowDays
	}
	setDefault(&o.RecencyWeight, memoir.DefaultRecencyWeight)
	setDefault(&o.AssistantWeight, memoir.DefaultAssistantWeight)
	setDefault(&o.Decay.HalfLifeDays, memoir.DefaultHalfLifeDays)
	setDefault(&o.Decay.SessionHalfLifeDays, o.Decay.HalfLifeDays)
	setDefault(&o.Decay.Floor, memoir.DefaultDecayFloor)
	setDefault(&o.MMR.Lambda, memoir.DefaultMMRLambda)
	if o.Salience == "" {
		o.Salience = memoir.SalienceOff
	}
	return o
}

func setDefault(value *float64, to float64) {
	if *value == 0 {
		*value = to
	}
}

func checkSignals(o memoir.SignalOptions) error {
	for _, v := range []struct {
		name   string
		value  float64
		ok     bool
		wanted string
	}{
		{"date weight", o.DateWeight, o.DateWeight <= 1, "at most 1"},
		{"date window", float64(o.DateWindowDays), o.DateWindowDays > 0, "above 0 days"},
		{"recency weight", o.RecencyWeight, o.RecencyWeight <= 1, "at most 1"},
		{"assistant weight", o.AssistantWeight, o.AssistantWeight > 0 && o.AssistantWeight <= 1, "above 0 and at most 1"},
		{"half-life", o.Decay.HalfLifeDays, !math.IsNaN(o.Decay.HalfLifeDays), "a number of days"},
		{"half-life of sessions", o.Decay.SessionHalfLifeDays, !math.IsNaN(o.Decay.SessionHalfLifeDays), "a number of days"},
		{"decay floor", o.Decay.Floor, o.Decay.Floor < 1, "below 1"},
		{"lambda of MMR", o.MMR.Lambda, o.MMR.Lambda > 0 && o.MMR.Lambda <= 1, "above 0 and at most 1"},
		{"feedback weight", o.FeedbackWeight, o.FeedbackWeight >= 0 && o.FeedbackWeight < 1, "between 0 and less than 1"},
		{"adaptive threshold", o.AdaptiveThreshold, o.AdaptiveThreshold >= 0 && o.AdaptiveThreshold <= 1, "between 0 and 1"},
	} {
		if !v.ok {
			return fmt.Errorf("%s %v is not %s: %w", v.name, v.value, v.wanted, memoir.ErrInvalid)
		}
	}
	switch o.Salience {
	case memoir.SalienceOff, memoir.SalienceOpenClaw, memoir.SalienceSeed:
		return nil
	}
	return fmt.Errorf("salience %q is not one of off, openclaw, seed: %w", o.Salience, memoir.ErrInvalid)
}

// rankingOf returns the options of ranking with their defaults.
func rankingOf(o memoir.RankOptions) memoir.RankOptions {
	if o.Fusion == "" {
		o.Fusion = memoir.DefaultFusion
	}
	if o.TextWeight == 0 && o.VectorWeight == 0 {
		o.TextWeight, o.VectorWeight = memoir.DefaultTextWeight, memoir.DefaultVectorWeight
	}
	if o.CandidateMultiplier == 0 {
		o.CandidateMultiplier = memoir.DefaultCandidateMultiplier
	}
	if o.LinkWeight == 0 {
		o.LinkWeight = memoir.DefaultLinkWeight
	}
	o.Signals = signalsOf(o.Signals)
	return o
}

func checkRanking(o memoir.RankOptions) error {
	switch rank.Fusion(o.Fusion) {
	case rank.Convex, rank.WeightedSum, rank.RRF:
	default:
		return fmt.Errorf("fusion %q is not one of convex, weighted-sum, rrf: %w", o.Fusion, memoir.ErrInvalid)
	}
	weights := o.TextWeight + o.VectorWeight
	if o.TextWeight < 0 || o.VectorWeight < 0 || o.CandidateMultiplier < 0 || math.IsNaN(weights) || math.IsInf(weights, 0) {
		return fmt.Errorf("weights and candidate multiplier must be finite and not negative: %w", memoir.ErrInvalid)
	}
	if o.LinkWeight > 1 || math.IsNaN(o.LinkWeight) {
		return fmt.Errorf("link weight %v is above 1: %w", o.LinkWeight, memoir.ErrInvalid)
	}
	return checkSignals(o.Signals)
}

// rerankingOf returns the options of reranking with their defaults, or what is
// wrong with them.
func rerankingOf(o memoir.RerankOptions) (memoir.RerankOptions, error) {
	if o.Top < 0 || o.Top > memoir.MaxRerankTop || o.Timeout < 0 {
		return o, fmt.Errorf("rerank the first %d within %v: the number must be between 1 and %d, the time more than 0: %w", o.Top, o.Timeout, memoir.MaxRerankTop, memoir.ErrInvalid)
	}
	o.Top = cmp.Or(o.Top, memoir.DefaultRerankTop)
	o.Timeout = cmp.Or(o.Timeout, memoir.DefaultRerankTimeout)
	return o, nil
}
