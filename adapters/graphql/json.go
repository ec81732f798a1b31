package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of the JSON of a request, besides its length.
const (
	maxJSONDepth  = 64     // of lists and objects
	maxJSONValues = 15_000 // as many as a query has tokens
)

// decodeJSON decodes exactly one JSON value with numbers as json.Number. It rejects what
// encoding/json accepts: duplicate members, trailing data, invalid UTF-8 and lone
// surrogates.
func decodeJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errNotUTF8
	}
	if bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`)) {
		// A backslash only occurs in strings.
		if err := joinInString(new(strings.Builder), string(text)); err != nil {
			return nil, err
		}
	}
	reader := jsonReader{decoder: json.NewDecoder(bytes.NewReader(text))}
	reader.decoder.UseNumber()
	value, err := reader.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := reader.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected data after the JSON value")
	}
	return value, nil
}

// jsonFault says where an error of decodeJSON is, in our words.
func jsonFault(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return "byte " + strconv.FormatInt(syntax.Offset, 10) + " is not expected there"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends too early"
	}
	return err.Error()
}

var (
	errNotUTF8       = errors.New("invalid UTF-8")
	errLoneSurrogate = errors.New("lone surrogate")
)

// jsonReader decodes values and counts them.
type jsonReader struct {
	decoder *json.Decoder
	values  int
}

func (r *jsonReader) value(depth int) (any, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, syntax(err)
	}
	if r.values++; r.values > maxJSONValues {
		return nil, fmt.Errorf("more than %d values", maxJSONValues)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth == maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxJSONDepth)
	}
	if delim == '[' {
		return r.list(depth + 1)
	}
	return r.object(depth + 1)
}

func (r *jsonReader) list(depth int) (any, error) {
	list := []any{}
	for r.decoder.More() {
		value, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := r.decoder.Token()
	return list, syntax(err)
}

func (r *jsonReader) object(depth int) (any, error) {
	object := map[string]any{}
	for r.decoder.More() {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, syntax(err)
		}
		name, ok := token.(string)
		if !ok {
			return nil, errors.New("member names must be strings")
		}
		if _, twice := object[name]; twice {
			return nil, errors.New("duplicate member " + quote(name))
		}
		if object[name], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := r.decoder.Token()
	return object, syntax(err)
}

// syntax replaces the end-of-input errors of the decoder.
func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("unexpected end")
	}
	return err
}
