package main

import "golang.org/x/sys/unix"

// mount makes dir a small disk of its own; it takes root.
func mount(dir string) error { return unix.Mount("tmpfs", dir, "tmpfs", 0, "size=192m,mode=700") }

func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }
