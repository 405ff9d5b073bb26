package judge

import "github.com/memoir-ai/memoir/internal/judge/feature"

// OfTeller reports whether a text speaks of who tells it: "I live in Oslo", "My name is
// Lin", 我住在余杭区, 杭州に住んでいます. "My boss is Ann" and "We moved" do not.
func OfTeller(text string) bool { return feature.Read(text).OfTeller() }

// OfUser reports whether a text says of the user what [OfTeller] does of who tells it, as
// an agent tells it: "The user's name is Lin", 用户住在余杭区.
func OfUser(text string) bool { return feature.Read(text).OfUserAlone() }
