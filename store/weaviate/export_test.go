package weaviate

// Unpack reads what is packed.
var Unpack = unpack

// StateID is what objects of states are of.
var StateID = stateID.String()

// IsState reports whether objects of something are states.
func IsState(of string) bool { return of == stateID.String() }
