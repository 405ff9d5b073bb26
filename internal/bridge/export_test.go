package bridge

import "encoding/json"

// Carry takes an error to the other side.
func Carry(err error) error {
	data, failed := json.Marshal(pack(err))
	if failed != nil {
		return failed
	}
	var f *failure
	if failed := json.Unmarshal(data, &f); failed != nil {
		return failed
	}
	return f.error()
}
