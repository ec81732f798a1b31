package importing

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"imprimatur/app/scratch"
)

// spool keeps the lines of one collection in a file that disappears with the process.
type spool struct {
	file    *scratch.File
	out     *bufio.Writer
	offsets []int64 // of the lines
	size    int64
}

func newSpool() (*spool, error) {
	file, err := scratch.New("imprimatur-import-")
	if err != nil {
		return nil, err
	}
	return &spool{file: file, out: bufio.NewWriterSize(file, 64<<10)}, nil
}

// add appends a line and returns its index.
func (s *spool) add(l *Line) (int, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return 0, err
	}
	s.offsets = append(s.offsets, s.size)
	n, err := s.out.Write(text)
	s.size += int64(n)
	return len(s.offsets) - 1, err
}

// at returns the line of that index.
func (s *spool) at(i int) (*Line, error) {
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	end := s.size
	if i+1 < len(s.offsets) {
		end = s.offsets[i+1]
	}
	text := make([]byte, end-s.offsets[i])
	if _, err := s.file.ReadAt(text, s.offsets[i]); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var l Line
	return &l, json.Unmarshal(text, &l)
}

func (s *spool) close() { _ = s.file.Close() } // its content is not needed any more
