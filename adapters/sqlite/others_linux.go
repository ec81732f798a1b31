package sqlite

import (
	"io"
	"syscall"
)

// Where SQLite keeps its locks on a database: each process that has one in WAL mode open
// holds these bytes shared, whether it reads, writes, waits or does nothing.
const (
	sharedFirst = 0x40000002
	sharedSize  = 510
)

// others never closes the file: a process that closes a file loses all locks that it has
// there, those of SQLite among them.
func others(path string) (there func() bool, err error) {
	file, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return func() bool {
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: sharedFirst, Len: sharedSize}
		err := syscall.FcntlFlock(uintptr(file), syscall.F_GETLK, &lock) // the process's own locks do not count
		return err != nil || lock.Type != syscall.F_UNLCK
	}, nil
}
