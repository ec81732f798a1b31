package endpoint

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
)

// maxDepth is the largest nesting depth of a body.
const maxDepth = 64

// scan rejects JSON that encoding/json would accept: a second document, duplicate
// members, and text that is not Unicode (invalid UTF-8, a lone surrogate) or contains
// U+0000. Lone surrogates and U+0000 are reported together with their locations; every
// other error ends the scan.
func scan(raw []byte) error {
	if !utf8.Valid(raw) {
		return malformed("the body is not UTF-8")
	}
	if !json.Valid(raw) {
		return malformed("the body is not one JSON document")
	}
	s := scanner{raw: raw}
	if err := s.value("", 0); err != nil {
		return err
	}
	return s.faults.Err()
}

func malformed(format string, args ...any) error {
	return core.BadRequest("malformed_json", format, args...)
}

// scanner scans a valid JSON document.
type scanner struct {
	raw    []byte
	at     int
	faults core.Faults
}

func (s *scanner) value(path string, depth int) error {
	if depth > maxDepth {
		return malformed("the body nests deeper than %d levels", maxDepth)
	}
	s.space()
	switch s.raw[s.at] {
	case '{':
		return s.object(path, depth)
	case '[':
		return s.array(path, depth)
	case '"':
		s.text(path)
	default: // a number, true, false or null
		for s.at < len(s.raw) && strings.IndexByte(",]} \t\r\n", s.raw[s.at]) < 0 {
			s.at++
		}
	}
	return nil
}

func (s *scanner) object(path string, depth int) error {
	seen := map[string]bool{}
	for s.open('}') {
		literal := s.text(path)
		var name string
		if err := json.Unmarshal(literal, &name); err != nil {
			return malformed("the body is not one JSON document")
		}
		member := name
		if path != "" {
			member = path + "." + name
		}
		if seen[name] {
			return malformed("member %s must not be repeated", core.Clip(member))
		}
		seen[name] = true
		s.space()
		s.at++ // the colon
		if err := s.value(member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) array(path string, depth int) error {
	for i := 0; s.open(']'); i++ {
		if err := s.value(path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	return nil
}

// open skips the opening bracket or a comma. It returns false if the closing bracket follows,
// and skips it, too.
func (s *scanner) open(closing byte) bool {
	s.space()
	if s.raw[s.at] == closing {
		s.at++
		return false
	}
	s.at++
	s.space()
	if s.raw[s.at] == closing {
		s.at++
		return false
	}
	return true
}

// text skips and returns a string literal. It records invalid text.
func (s *scanner) text(path string) []byte {
	start := s.at
	for s.at++; s.raw[s.at] != '"'; s.at++ {
		if s.raw[s.at] != '\\' {
			continue
		}
		s.at++
		if s.raw[s.at] == 'u' {
			s.escape(path)
		}
	}
	s.at++
	return s.raw[start:s.at]
}

// escape checks the \u escape at s.at.
func (s *scanner) escape(path string) {
	code := s.hex(s.at + 1)
	s.at += 4
	switch {
	case code == 0:
		s.fault(path, "must not contain U+0000")
	case code >= 0xDC00 && code <= 0xDFFF:
		s.fault(path, "contains an unpaired surrogate")
	case code >= 0xD800 && code <= 0xDBFF:
		rest := s.raw[s.at+1:]
		if len(rest) > 6 && rest[0] == '\\' && rest[1] == 'u' {
			if low := s.hex(s.at + 3); low >= 0xDC00 && low <= 0xDFFF {
				s.at += 6
				return
			}
		}
		s.fault(path, "contains an unpaired surrogate")
	}
}

func (s *scanner) hex(at int) uint64 {
	code, _ := strconv.ParseUint(string(s.raw[at:at+4]), 16, 32)
	return code
}

func (s *scanner) fault(path, message string) {
	s.faults.Add(core.Clip(path), nil, message)
}

func (s *scanner) space() {
	for s.at < len(s.raw) && strings.IndexByte(" \t\r\n", s.raw[s.at]) >= 0 {
		s.at++
	}
}
