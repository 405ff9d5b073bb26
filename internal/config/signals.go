package config

// signalKeys are the settings of what counts besides words, vectors and links.
// The names of MMR and of temporal decay are OpenClaw's.
func signalKeys() []Key {
	unit := "between 0 and 1"
	of := func(s *Settings) *Signals { return &s.Query.Signals }
	return []Key{
		{Name: "query.dateWeight", Default: "1", Doc: "How much a note gains whose day is near to one that the question names, in words or numbers; 0 is nothing.",
			at: func(s *Settings) any { return &of(s).DateWeight }, want: unit,
			ok: func(s *Settings) bool { return inUnit(of(s).DateWeight) }},
		{Name: "query.dateWindowDays", Default: "30", Doc: "How many days from the day named a note still gains; the nearer it is, the more.",
			at: func(s *Settings) any { return &of(s).DateWindowDays }, want: "1 or more",
			ok: func(s *Settings) bool { return of(s).DateWindowDays >= 1 }},
		{Name: "query.recencyWeight", Default: "1", Doc: "How much the newest of the first results gains when the question asks for the latest (latest, current, 最新, 目前, 現在); 0 is nothing, also where it asks for the last or the first time.",
			at: func(s *Settings) any { return &of(s).RecencyWeight }, want: unit,
			ok: func(s *Settings) bool { return inUnit(of(s).RecencyWeight) }},
		{Name: "query.assistantWeight", Default: "0.7", Doc: "How much a passage counts that only an assistant says, in a talk with a user, unless the question asks for what the assistant said (you recommended, your answer, 你说过, アシスタント); 1 is as much as others.",
			at: func(s *Settings) any { return &of(s).AssistantWeight }, want: "above 0 and at most 1",
			ok: func(s *Settings) bool { return inUnit(of(s).AssistantWeight) && of(s).AssistantWeight > 0 }},
		{Name: "query.temporalDecay.enabled", Default: "false", Doc: "Lets scores fall with the age of notes. Undated notes, MEMORY.md and USER.md never age, and nothing does for a question that names a day or an identifier or has quotes.",
			at: func(s *Settings) any { return &of(s).TemporalDecay.Enabled }},
		{Name: "query.temporalDecay.halfLifeDays", Default: "30", Doc: "Age in days at which a note has lost half of what it can lose; 0 is never.",
			at: func(s *Settings) any { return &of(s).TemporalDecay.HalfLifeDays }, want: "0 or more",
			ok: func(s *Settings) bool { return atLeastZero(of(s).TemporalDecay.HalfLifeDays) }},
		{Name: "query.temporalDecay.sessionHalfLifeDays", Default: "30", Doc: "The same for sessions; 0 is never.",
			at: func(s *Settings) any { return &of(s).TemporalDecay.SessionHalfLifeDays }, want: "0 or more",
			ok: func(s *Settings) bool { return atLeastZero(of(s).TemporalDecay.SessionHalfLifeDays) }},
		{Name: "query.temporalDecay.floor", Default: "0.5", Doc: "Share of its score that the oldest note keeps.",
			at: func(s *Settings) any { return &of(s).TemporalDecay.Floor }, want: "0 or more and less than 1",
			ok: func(s *Settings) bool { return inUnit(of(s).TemporalDecay.Floor) && of(s).TemporalDecay.Floor < 1 }},
		{Name: "query.salience", Default: "off", OneOf: []string{"off", "openclaw", "seed"}, Doc: "How the importance of a note counts, which its front matter says, and for seed its entries. openclaw multiplies the score by 0.75 + 0.05 × importance (1 to 10); seed makes the score of 0.5 relevance, 0.2 importance, 0.2 reinforcement (field reinforced, or how often an entry was told again) and 0.1 access (field accessed, or how often an entry was found), as far as they are known.",
			at: func(s *Settings) any { return &of(s).Salience }},
		{Name: "query.mmr.enabled", Default: "false", Doc: "Lowers results that repeat the words of one before them, so that others come up (maximal marginal relevance).",
			at: func(s *Settings) any { return &of(s).MMR.Enabled }},
		{Name: "query.mmr.lambda", Default: "0.7", Doc: "How little repetition counts: 1 changes nothing.",
			at: func(s *Settings) any { return &of(s).MMR.Lambda }, want: "above 0 and at most 1",
			ok: func(s *Settings) bool { return inUnit(of(s).MMR.Lambda) && of(s).MMR.Lambda > 0 }},
		{Name: "query.feedbackWeight", Default: "0", Doc: "Share of words of the first passages in a second search by words (pseudo-relevance feedback); 0 is no second search.",
			at: func(s *Settings) any { return &of(s).FeedbackWeight }, want: "0 or more and less than 1",
			ok: func(s *Settings) bool { return inUnit(of(s).FeedbackWeight) && of(s).FeedbackWeight < 1 }},
		{Name: "query.adaptiveThreshold", Default: "0", Doc: "Leaves out results below this share of the usual best score, the median of the last 64 searches of a running server; 0 leaves none out.",
			at: func(s *Settings) any { return &of(s).AdaptiveThreshold }, want: unit,
			ok: func(s *Settings) bool { return inUnit(of(s).AdaptiveThreshold) }},
	}
}

func atLeastZero(x float64) bool { return x >= 0 && x <= 1e9 }
