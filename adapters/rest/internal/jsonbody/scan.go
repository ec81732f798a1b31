package jsonbody

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"imprimatur/core"
)

const (
	maxDepth     = 64     // of a body
	decoderDepth = 10_000 // of the decoder, to which a deeper document is invalid
)

// scan rejects JSON that encoding/json would accept: a second document, duplicate
// members, and text that is not Unicode (invalid UTF-8, a lone surrogate) or contains
// U+0000. Lone surrogates and U+0000 are reported together with their locations; every
// other error ends the scan.
func scan(raw []byte) error {
	loneSurrogates := jsontext.AllowInvalidUTF8(true) // scanner.text reports all of them
	switch repeats := jsontext.AllowDuplicateNames(true); {
	case !utf8.Valid(raw):
		return malformed("the body is not UTF-8")
	case jsontext.Value(raw).IsValid(loneSurrogates, repeats):
	case readableDepth(raw, loneSurrogates, repeats) >= decoderDepth:
		return tooDeep()
	default:
		return malformed("the body is not one JSON document")
	}
	s := scanner{Decoder: jsontext.NewDecoder(bytes.NewBuffer(raw), loneSurrogates)}
	var repeated *jsontext.SyntacticError
	for {
		depth, start := s.StackDepth(), s.InputOffset()
		if kind := s.PeekKind(); depth > maxDepth && kind != jsontext.KindEndObject && kind != jsontext.KindEndArray {
			return tooDeep()
		}
		token, err := s.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return s.faults.Err()
		case errors.As(err, &repeated): // no other fault of the syntax is left
			s.names[depth] = repeated.JSONPointer.LastToken()
			return malformed("member %s must not be repeated", s.location(depth))
		case token.Kind() == jsontext.KindString:
			s.text(token, raw[start:s.InputOffset()])
		}
	}
}

func tooDeep() error { return malformed("the body nests deeper than %d levels", maxDepth) }

// readableDepth returns the depth at which the decoder stops to read an invalid document.
func readableDepth(raw []byte, options ...jsontext.Options) int {
	for d := jsontext.NewDecoder(bytes.NewReader(raw), options...); ; {
		if _, err := d.ReadToken(); err != nil {
			return d.StackDepth()
		}
	}
}

func malformed(format string, args ...any) error {
	return core.BadRequest("malformed_json", format, args...)
}

// scanner reads a valid JSON document.
type scanner struct {
	*jsontext.Decoder

	names  [maxDepth + 1]string // by depth, the name of the member that was read last
	faults core.Faults
}

// text reports lone surrogates and U+0000 in a string, which has just been read: each once. Those in the
// name of a member are reported at its object.
func (s *scanner) text(token jsontext.Token, literal []byte) {
	depth := s.StackDepth()
	if kind, n := s.StackIndex(depth); kind == jsontext.KindBeginObject && n%2 == 1 {
		s.names[depth] = token.String()
		depth--
	}
	hasNUL, hasLone := false, false
	for !hasNUL || !hasLone {
		_, escape, found := bytes.Cut(literal, []byte{'\\'})
		switch {
		case !found:
			return
		case escape[0] != 'u':
			literal = escape[1:]
			continue
		}
		unit := codeUnit(escape)
		literal = escape[5:]
		switch {
		case unit == 0 && !hasNUL:
			hasNUL = true
			s.fault(depth, "must not contain U+0000")
		case !utf16.IsSurrogate(unit):
		case bytes.HasPrefix(literal, []byte(`\u`)) && utf16.DecodeRune(unit, codeUnit(literal[1:])) != utf8.RuneError:
			literal = literal[6:]
		case !hasLone:
			hasLone = true
			s.fault(depth, "contains an unpaired surrogate")
		}
	}
}

// fault adds a fault at the location in the outermost depth levels, unless it is known: names of one object share a
// location.
func (s *scanner) fault(depth int, message string) {
	if len(s.faults.List) == core.MaxFaults {
		return
	}
	location := s.location(depth)
	if !slices.ContainsFunc(s.faults.List, func(f core.FieldError) bool { return f.Location == location && f.Message == message }) {
		s.faults.Add(location, nil, message)
	}
}

// codeUnit returns the code unit of an escape like u00e9.
func codeUnit(escape []byte) rune {
	unit, _ := strconv.ParseUint(string(escape[1:5]), 16, 16) // the document is valid
	return rune(unit)
}

// location returns the path to what has been read in the outermost depth levels, such as
// fields.tags[2], clipped.
func (s *scanner) location(depth int) string {
	at := ""
	for level := 1; level <= depth; level++ {
		kind, n := s.StackIndex(level)
		switch {
		case kind == jsontext.KindBeginArray:
			at += "[" + strconv.FormatInt(n-1, 10) + "]"
		case at == "":
			at = s.names[level]
		default:
			at += "." + s.names[level]
		}
		if clipped := core.Clip(at); clipped != at {
			return clipped // names can be megabytes long
		}
	}
	return at
}
