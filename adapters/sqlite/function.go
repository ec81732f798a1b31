package sqlite

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"imprimatur/core"
	"imprimatur/core/words"
)

// init registers the SQL functions that queries call. In Postgres, migrations create the functions
// of documents; the others are expressions in the statements.
func init() {
	register("document_text", 2, valueReader(typeOfText, func(v core.Value) driver.Value { return v.Text }))
	register("document_number", 2, valueReader(typeOfNumber, func(v core.Value) driver.Value { return v.Num }))
	register("document_time", 2, valueReader(typeOfTime, func(v core.Value) driver.Value { return int64(v.Num) }))
	register("document_has", 3, documentHas)
	register("text_key", 2, textKey)
	register("other_fields", 3, otherFields)
	register("reworded", 8, reworded)
}

func register(name string, args int32, call func(args []driver.Value) driver.Value) {
	sqlite.MustRegisterDeterministicScalarFunction(name, args, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return call(args), nil
	})
}

// valueReader returns a SQL function that takes a document and a field name and returns the value
// of the field, or NULL.
func valueReader(typeOf func(raw []byte) core.FieldType, result func(core.Value) driver.Value) func([]driver.Value) driver.Value {
	return func(args []driver.Value) driver.Value {
		raw := member(args)
		v, ok := core.DecodeValue(typeOf(raw), raw)
		if !ok {
			return nil
		}
		return result(v)
	}
}

func typeOfText([]byte) core.FieldType { return core.TypeText }

func typeOfNumber(raw []byte) core.FieldType {
	if len(raw) > 0 && (raw[0] == 't' || raw[0] == 'f') {
		return core.TypeBoolean
	}
	return core.TypeNumber
}

// typeOfTime distinguishes dates, times and date-times by the length of their stored form.
func typeOfTime(raw []byte) core.FieldType {
	switch len(raw) - len(`""`) {
	case len("2006-01-02"):
		return core.TypeDate
	case len("2006-01-02T15:04:05.000Z"):
		return core.TypeDateTime
	default:
		return core.TypeTime
	}
}

// documentHas returns whether the document has a value of the field. args are the document, the
// field name and whether the field has several values.
func documentHas(args []driver.Value) driver.Value {
	raw := member(args)
	several, _ := args[2].(int64)
	return raw != nil && (several == 0 || string(raw) != "[]")
}

// textKey returns the sort key of a text, or NULL. args are its folded form and the text.
func textKey(args []driver.Value) driver.Value {
	folded, _ := args[0].(string)
	text, ok := args[1].(string)
	if !ok {
		return nil
	}
	return folded + words.Separator + text
}

// otherFields returns whether two documents differ in a field that is not removed. args are the
// documents, the second may be NULL, and the names of removed fields joined by commas.
func otherFields(args []driver.Value) driver.Value {
	var documents [2]map[string]json.RawMessage
	names, _ := args[2].(string)
	for i := range documents {
		text, _ := args[i].(string)
		documents[i] = core.Document(text).Values()
		for name := range strings.SplitSeq(names, ",") {
			delete(documents[i], name)
		}
	}
	return !maps.EqualFunc(documents[0], documents[1], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// reworded returns whether a sealed media item differs from the item in the library. args are the
// sealed media, the id, and the hash, file name, caption, tags, alt text and focal point of the item,
// which are NULL if the library does not have it.
func reworded(args []driver.Value) driver.Value {
	sealed, _ := args[0].(string)
	id, _ := args[1].(int64)
	name := strconv.FormatInt(id, 10)
	var now []byte
	if hash, found := args[2].(string); found {
		item := core.MediaItem{ID: id, Hash: hash}
		item.FileName, _ = args[3].(string)
		item.Caption, _ = args[4].(string)
		tags, _ := args[5].(string)
		if err := json.Unmarshal([]byte(tags), &item.Tags); err != nil {
			return true // a damaged row
		}
		item.Alt, _ = args[6].(string)
		if point, _ := args[7].(string); json.Unmarshal([]byte(point), &item.FocalPoint) != nil {
			return true
		}
		now = core.Seal([]core.MediaItem{item}).Value(name)
	}
	return !bytes.Equal(core.Document(sealed).Value(name), now)
}

// member returns the raw value of the member args[1] of the document args[0], or nil.
func member(args []driver.Value) (value []byte) {
	document, _ := args[0].(string)
	wanted, _ := args[1].(string)
	core.Document(document).Each(func(name, raw []byte) {
		if string(name) == wanted {
			value = raw
		}
	})
	return value
}
