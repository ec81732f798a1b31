package migrate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// packedSuffix follows the name of a compressed file.
const packedSuffix = ".gz"

// Unpack returns the files of all folders in which <name>.gz is <name> without compression: the baselines would be 140 kB of
// the program. Only fs.Glob and fs.ReadFile find these files.
func Unpack(folders ...fs.FS) fs.FS { return unpacked(folders) }

type unpacked []fs.FS

// Open implements fs.FS.
func (u unpacked) Open(name string) (file fs.File, err error) {
	for _, folder := range u {
		if file, err = folder.Open(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return file, err
}

// Glob implements fs.GlobFS.
func (u unpacked) Glob(pattern string) (names []string, err error) {
	for _, folder := range u {
		files, err := fs.ReadDir(folder, ".")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name := strings.TrimSuffix(file.Name(), packedSuffix)
			matches, err := path.Match(pattern, name)
			if err != nil {
				return nil, err
			}
			if matches {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// ReadFile implements fs.ReadFileFS.
func (u unpacked) ReadFile(name string) ([]byte, error) {
	text, err := u.read(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if text, err = u.read(name + packedSuffix); err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// read returns the text of a file as it is.
func (u unpacked) read(name string) ([]byte, error) {
	file, err := u.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(file)
}
