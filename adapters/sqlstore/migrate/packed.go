package migrate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
)

// packedSuffix follows the name of a compressed file.
const packedSuffix = ".gz"

// Unpack returns files in which <name>.gz is <name> without compression: the baselines would be 140 kB of the program.
// Only fs.Glob and fs.ReadFile find these files.
func Unpack(files fs.FS) fs.FS { return unpacked{files} }

type unpacked struct{ fs.FS }

// Glob implements fs.GlobFS.
func (u unpacked) Glob(pattern string) (names []string, err error) {
	files, err := fs.ReadDir(u.FS, ".") // sorted by name
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
	return names, nil
}

// ReadFile implements fs.ReadFileFS.
func (u unpacked) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(u.FS, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if text, err = fs.ReadFile(u.FS, name+packedSuffix); err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
