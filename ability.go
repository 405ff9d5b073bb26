package memoir

// A Wrapper is a part that stands before another one: it counts its calls, or
// opens it when it is needed. It says so, that the abilities of the other one
// are not lost.
type Wrapper interface {
	// Unwrap returns the part behind; nil while there is none.
	Unwrap() any
}

// As returns an ability of a part, an interface that only some implement such as
// [Packer] or [Healer]: its own, or that of the part which it wraps. Abilities are
// asked for in no other way, when they are needed: a part may come to have one.
func As[T any](part any) (ability T, ok bool) {
	for part != nil {
		if ability, ok = part.(T); ok {
			return ability, true
		}
		wrapper, wraps := part.(Wrapper)
		if !wraps {
			break
		}
		part = wrapper.Unwrap()
	}
	return ability, false
}
