// Package ptytest runs programs in a pseudo-terminal for tests, and shows what a person
// would see. It is for Linux.
package ptytest
