package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of the JSON of a request, besides its length.
const (
	maxJSONDepth  = 64     // of lists and objects
	maxJSONValues = 15_000 // as many as a query has tokens
)

var (
	errNotUTF8       = errors.New("invalid UTF-8")
	errLoneSurrogate = errors.New("lone surrogate")
)

// decodeJSON decodes exactly one JSON value with numbers as json.Number. It rejects duplicate members,
// invalid UTF-8 and lone surrogates. Its errors say what is wrong, and where.
func decodeJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errNotUTF8
	}
	reader := jsonReader{decoder: jsontext.NewDecoder(bytes.NewBuffer(text))}
	value, err := reader.value()
	if err != nil {
		return nil, jsonFault(text, err)
	}
	if _, err := reader.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected data after the JSON value")
	}
	return value, nil
}

// jsonFault says an error of the decoder of text in our words.
func jsonFault(text []byte, err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("it ends too early")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("duplicate member " + quote(syntax.JSONPointer.LastToken()))
	case ok && isSurrogate(text[syntax.ByteOffset:]):
		return errLoneSurrogate
	case ok:
		return errors.New("byte " + strconv.FormatInt(syntax.ByteOffset, 10) + " is not expected there")
	}
	return err
}

// isSurrogate reports whether a text begins with an escaped surrogate.
func isSurrogate(text []byte) bool {
	_, ok := surrogate(string(text[:min(len(text), len(`\ud800`))]), 1)
	return ok && text[0] == '\\'
}

// jsonReader decodes values and counts them.
type jsonReader struct {
	decoder *jsontext.Decoder
	values  int
}

func (r *jsonReader) value() (any, error) {
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > maxJSONValues {
		return nil, fmt.Errorf("more than %d values", maxJSONValues)
	}
	if r.decoder.StackDepth() > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxJSONDepth)
	}
	switch token.Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return json.Number(token.String()), nil
	case jsontext.KindBeginArray:
		return r.list()
	default:
		return r.object()
	}
}

func (r *jsonReader) list() (any, error) {
	list := []any{}
	for r.decoder.PeekKind() != jsontext.KindEndArray {
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := r.decoder.ReadToken()
	return list, err
}

func (r *jsonReader) object() (any, error) {
	object := map[string]any{}
	for r.decoder.PeekKind() != jsontext.KindEndObject {
		name, err := r.decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		if object[member], err = r.value(); err != nil {
			return nil, err
		}
	}
	_, err := r.decoder.ReadToken()
	return object, err
}
