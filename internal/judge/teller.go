package judge

import "github.com/memoir-ai/memoir/internal/judge/feature"

// OfUser reports whether a text speaks of the user: who tells it of himself, as in "I live in
// Oslo" and 我住在余杭区, or whom an agent tells it of, as in "The user's name is Lin".
func OfUser(text string) bool {
	t := feature.Read(text)
	return t.OfTeller() || t.OfUserAlone()
}
