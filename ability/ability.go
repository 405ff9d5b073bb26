// Package ability has what only some adapters of a port can do. An adapter has an
// ability when it has the methods. Ask for one with [memoir.As], which also finds it
// behind wrappers:
//
//	if healer, ok := memoir.As[ability.Healer](store); ok {
//
// The engine does without an ability that a part does not have.
package ability
