//go:build !linux

package giveway

// lower does nothing: elsewhere setpriority would change the whole process, and with it
// the searches.
func lower() {}
