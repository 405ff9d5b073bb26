package config

import "time"

// Summaries say which language model may write summaries of months.
type Summaries struct {
	BaseURL     string // "": none
	Model       string // "": whichever the server has
	APIKey      string // secret, as [Remote.APIKey]
	DailyTokens int    // how many tokens may be taken in one day, UTC
	Timeout     time.Duration
}

func summaryKeys() []Key {
	return []Key{
		{Name: "summaries.baseURL", Doc: "Address of a server with OpenAI's interface, up to the part before /chat/completions, whose language model may write summaries of months (memoir tidy --summaries). When not set, nobody is asked. It is permission to send the logs of days there, without private entries and with secrets masked.", yours: never,
			at: func(s *Settings) any { return &s.Summaries.BaseURL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return s.Summaries.BaseURL == "" || isWebAddress(s.Summaries.BaseURL) }},
		{Name: "summaries.model", Doc: "Model that writes summaries; when not set, whichever the server has.", yours: never,
			at: func(s *Settings) any { return &s.Summaries.Model }},
		{Name: "summaries.apiKey", Secret: true, Doc: "Key of that server. Write \"${NAME}\" to take it from a variable instead of keeping it in a file.", yours: never,
			at: func(s *Settings) any { return &s.Summaries.APIKey }},
		{Name: "summaries.dailyTokens", Default: "50000", Doc: "How many tokens summaries may take in one day (UTC), questions and answers together, estimated beforehand. What is beyond waits for the next run on another day.", yours: never,
			at: func(s *Settings) any { return &s.Summaries.DailyTokens }, want: "1 or more",
			ok: func(s *Settings) bool { return s.Summaries.DailyTokens >= 1 }},
		{Name: "summaries.timeout", Default: "2m", Doc: "How long one answer of that server may take.", yours: never,
			at: func(s *Settings) any { return &s.Summaries.Timeout }, want: "more than 0",
			ok: func(s *Settings) bool { return s.Summaries.Timeout > 0 }},
	}
}
