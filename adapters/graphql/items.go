package graphql

import (
	"bytes"
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/adapters/graphql/model"
)

// resolve wraps every field resolver. It writes entries itself. For a list the executor would start
// a goroutine for each entry, which costs more than the rest of the list; for one entry it would
// take a tenth of the processor time of the request (BenchmarkQueries).
func resolve(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	if err != nil {
		return value, err
	}
	switch found := value.(type) {
	case []model.Entry:
		if fields := selectedFields(ctx); fields != nil {
			return &itemList{entries: found, fields: fields}, nil
		}
	case *model.Entry:
		if fields := selectedFields(ctx); fields != nil && found != nil {
			return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(fields.append(make([]byte, 0, fields.size(found)), found)) }), nil
		}
	}
	return value, nil
}

// itemList writes the selected fields of entries.
type itemList struct {
	entries []model.Entry
	fields  itemFields
}

// itemFields are the selected fields of an entry.
type itemFields []itemField

// itemField is one selected field: the bytes before its value, and one of itemWriters.
type itemField struct {
	head  string // `,"alias":`
	value func(b []byte, entry *model.Entry) []byte
}

// itemWriters append the values of the fields of an Entry. All fields are leaves without
// arguments.
var itemWriters = map[string]func(b []byte, entry *model.Entry) []byte{
	"__typename":  func(b []byte, _ *model.Entry) []byte { return append(b, `"Entry"`...) },
	"id":          func(b []byte, e *model.Entry) []byte { return e.ID.Append(b) },
	"locale":      func(b []byte, e *model.Entry) []byte { return appendTag(b, e.Locale) },
	"createdAt":   func(b []byte, e *model.Entry) []byte { return appendMoment(b, e.CreatedAt) },
	"updatedAt":   func(b []byte, e *model.Entry) []byte { return appendMoment(b, e.UpdatedAt) },
	"publishedAt": func(b []byte, e *model.Entry) []byte { return appendMoment(b, e.PublishedAt) },
	"data":        func(b []byte, e *model.Entry) []byte { return append(b, e.Data.Raw...) },
}

// appendTag appends a locale. It consists of letters, digits and hyphens and needs no
// escapes.
func appendTag(b []byte, locale *string) []byte {
	if locale == nil {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), *locale...), '"')
}

func appendMoment(b []byte, t *model.DateTime) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return t.Append(b)
}

// selectedFields returns the selected fields of the resolved entries. It returns nil when
// itemWriters lacks one of them; the executor then writes the entries.
func selectedFields(ctx context.Context) itemFields {
	selected := graphql.CollectFields(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, []string{"Entry"})
	fields := make(itemFields, len(selected))
	for i, field := range selected {
		value, known := itemWriters[field.Name]
		if !known {
			return nil
		}
		fields[i] = itemField{head: `,"` + field.Alias + `":`, value: value}
	}
	if len(selected) > 0 {
		fields[0].head = fields[0].head[1:]
	}
	return fields
}

func (f itemFields) append(b []byte, entry *model.Entry) []byte {
	b = append(b, '{')
	for _, field := range f {
		b = field.value(append(b, field.head...), entry)
	}
	return append(b, '}')
}

// size returns the approximate length of an entry in bytes.
func (f itemFields) size(entry *model.Entry) int {
	const small = 40 // a field that is not data
	return len(f)*small + len(entry.Data.Raw)
}

// MarshalGQL implements graphql.Marshaler. It appends to the memory of the executor's buffer, in which a Write of the
// list would copy it.
func (l *itemList) MarshalGQL(w io.Writer) {
	var b []byte
	if buffer, ok := w.(*bytes.Buffer); ok {
		buffer.Grow(l.size())
		b = buffer.AvailableBuffer()
	}
	b = append(b, '[')
	for i := range l.entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.fields.append(b, &l.entries[i])
	}
	_, _ = w.Write(append(b, ']'))
}

// size returns the approximate length of the list in bytes.
func (l *itemList) size() int {
	total := 64
	for i := range l.entries {
		total += l.fields.size(&l.entries[i])
	}
	return total
}
