// Package scratch has temporary files that no process leaves behind where the system allows it.
package scratch

import (
	"errors"
	"os"
)

// File is an open temporary file. It is closed once.
type File struct {
	*os.File

	left bool // its name is still in the folder of temporary files
}

// New returns an empty file whose name begins with prefix. Its name goes at once, so that the file disappears with the
// process; where a file that is open cannot be removed, as on Windows, Close removes it.
func New(prefix string) (*File, error) {
	file, err := os.CreateTemp("", prefix)
	if err != nil {
		return nil, err
	}
	return &File{File: file, left: os.Remove(file.Name()) != nil}, nil
}

// Close closes the file, which is gone then.
func (f *File) Close() error {
	err := f.File.Close()
	if f.left {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
