package memoir

import (
	"fmt"
	"math"
)

// SignalOptions say what counts beside the two lists and links. The zero value
// is what measurement chose (docs/design/signals.md): notes near to a day that
// the question names rise, and the newest when it asks for the latest, and what
// only an assistant says falls; all else is off.
type SignalOptions struct {
	// DateWeight is how much a note gains whose day is near to one that the
	// question names, 0 to 1; 0 means [DefaultDateWeight], negative none.
	DateWeight float64
	// DateWindowDays is how far from the day named a note still gains; 0 means
	// [DefaultDateWindowDays].
	DateWindowDays int
	// RecencyWeight is how much the newest of the first passages gains when the
	// question asks for the latest, 0 to 1; 0 means [DefaultRecencyWeight], negative none.
	RecencyWeight float64
	// AssistantWeight is how much a passage counts that only an assistant says,
	// in a talk with a user, beside others, above 0 to 1; 0 means
	// [DefaultAssistantWeight]. Where the question asks for what the assistant
	// said, it counts in full.
	AssistantWeight float64
	Decay           DecayOptions
	// Salience says how front matter counts: "" and "off" not at all,
	// "openclaw" as its importance does, "seed" as a mean of relevance,
	// importance, reinforcement and access.
	Salience string
	MMR      MMROptions
	// FeedbackWeight is the share that words of the first passages have in a
	// second search by words (pseudo-relevance feedback), 0 to less than 1; 0 is
	// no second search.
	FeedbackWeight float64
	// AdaptiveThreshold leaves out hits below this share of the usual best
	// score, the median of the engine's last 64 searches; 0 to 1, 0 leaves none
	// out. The answer to a query then depends on those before.
	AdaptiveThreshold float64
}

// DecayOptions let scores fall with age. Documents without a date, MEMORY.md and
// USER.md do not age, and nothing does for a question that names a day or
// an identifier or holds a phrase in quotes.
type DecayOptions struct {
	Enabled bool
	// HalfLifeDays is the age at which a note has lost half of what it can
	// lose; 0 means [DefaultHalfLifeDays], negative never.
	HalfLifeDays float64
	// SessionHalfLifeDays is that of sessions; 0 means HalfLifeDays, negative never.
	SessionHalfLifeDays float64
	// Floor is the share of its score that the oldest keeps, below 1; 0 means
	// [DefaultDecayFloor], negative none.
	Floor float64
}

// MMROptions make room for passages that say something else (maximal marginal
// relevance). The score of a passage is lowered by how much of its words one
// before it has. A larger limit then only appends up to 50 hits.
type MMROptions struct {
	Enabled bool
	// Lambda is how little that counts, above 0 to 1, where 1 changes nothing;
	// 0 means [DefaultMMRLambda].
	Lambda float64
}

// The defaults of [SignalOptions].
const (
	DefaultDateWeight      = 1
	DefaultDateWindowDays  = 30
	DefaultRecencyWeight   = 1
	DefaultAssistantWeight = 0.7
	DefaultHalfLifeDays    = 30
	DefaultDecayFloor      = 0.5
	DefaultMMRLambda       = 0.7
)

// The profiles of SignalOptions.Salience.
const (
	SalienceOff      = "off"
	SalienceOpenClaw = "openclaw"
	SalienceSeed     = "seed"
)

func (o SignalOptions) withDefaults() SignalOptions {
	setDefault(&o.DateWeight, DefaultDateWeight)
	if o.DateWindowDays == 0 {
		o.DateWindowDays = DefaultDateWindowDays
	}
	setDefault(&o.RecencyWeight, DefaultRecencyWeight)
	setDefault(&o.AssistantWeight, DefaultAssistantWeight)
	setDefault(&o.Decay.HalfLifeDays, DefaultHalfLifeDays)
	setDefault(&o.Decay.SessionHalfLifeDays, o.Decay.HalfLifeDays)
	setDefault(&o.Decay.Floor, DefaultDecayFloor)
	setDefault(&o.MMR.Lambda, DefaultMMRLambda)
	if o.Salience == "" {
		o.Salience = SalienceOff
	}
	return o
}

func setDefault(value *float64, to float64) {
	if *value == 0 {
		*value = to
	}
}

func (o SignalOptions) validate() error {
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
			return fmt.Errorf("%s %v is not %s: %w", v.name, v.value, v.wanted, ErrInvalid)
		}
	}
	switch o.Salience {
	case SalienceOff, SalienceOpenClaw, SalienceSeed:
		return nil
	}
	return fmt.Errorf("salience %q is not one of off, openclaw, seed: %w", o.Salience, ErrInvalid)
}
