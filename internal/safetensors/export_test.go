package safetensors

import "slices"

// Names lists the tensors by name.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.tensors))
	for name := range f.tensors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
