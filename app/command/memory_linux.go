package command

import "syscall"

// forget gives what b holds back to the system, until it is touched again.
func forget(b []byte) {
	// It fails where b lies across no page of its own: then there is nothing to give.
	_ = syscall.Madvise(b, syscall.MADV_DONTNEED)
}
