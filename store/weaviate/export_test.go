package weaviate

// Unpack reads what is packed.
var Unpack = unpack

// IsState reports whether objects of something are states.
func IsState(of string) bool { return of == stateID.String() }
