package weaviate

import "time"

// Unpack reads what is packed.
var Unpack = unpack

// StateID is what objects of states are of.
var StateID = stateID.String()

// IsState reports whether objects of something are states.
func IsState(of string) bool { return of == stateID.String() }

// Written returns a packed state as if it were written at a time.
func Written(data string, at time.Time) (string, error) {
	st, err := parseState(data)
	if err != nil {
		return "", err
	}
	st.Written = at
	return pack(st)
}
