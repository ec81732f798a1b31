package graphql

import (
	"bytes"
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/adapters/graphql/model"
)

// resolve wraps every field resolver. It writes the entries of a list with writeItems,
// because the executor would start a goroutine for each entry, which costs more than the
// rest of the list.
func resolve(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	if entries, ok := value.([]model.Entry); ok && err == nil {
		if list := writeItems(ctx, entries); list != nil {
			return list, nil
		}
	}
	return value, err
}

// itemList writes the selected fields of entries.
type itemList struct {
	memory  *memory
	entries []model.Entry
	fields  []itemField
}

// itemField is one selected field: the bytes before its value, and the writer of the
// value.
type itemField struct {
	head  string // `,"alias":`
	value itemWriter
}

// itemWriter appends the value of a field.
type itemWriter func(b []byte, entry *model.Entry) []byte

// itemWriters are the writers of the fields of an Entry. All fields are leaves without
// arguments.
var itemWriters = map[string]itemWriter{
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

// writeItems returns a Marshaler for the selected fields of entries, or nil when it does
// not know a field. The executor then writes the list.
func writeItems(ctx context.Context, entries []model.Entry) graphql.Marshaler {
	selected := graphql.CollectFields(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, []string{"Entry"})
	list := &itemList{memory: callerOf(ctx).memory, entries: entries, fields: make([]itemField, len(selected))}
	for i, field := range selected {
		value, known := itemWriters[field.Name]
		if !known {
			return nil
		}
		list.fields[i] = itemField{head: `,"` + field.Alias + `":`, value: value}
	}
	if len(selected) > 0 {
		list.fields[0].head = list.fields[0].head[1:]
	}
	return list
}

// MarshalGQL implements graphql.Marshaler. It gives pooled memory to the buffer of the
// executor, because a list is nearly the whole response. response.release returns it.
func (l *itemList) MarshalGQL(w io.Writer) {
	var room []byte
	if buffer, ok := w.(*bytes.Buffer); ok {
		pooled := buffers.Get().(*bytes.Buffer)
		pooled.Write(buffer.Bytes())
		pooled.Grow(l.size())
		*buffer = *pooled
		l.memory.pooled = true
		room = buffer.AvailableBuffer()
	}
	_, _ = w.Write(l.append(room))
}

func (l *itemList) append(b []byte) []byte {
	b = append(b, '[')
	for i := range l.entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		for _, field := range l.fields {
			b = field.value(append(b, field.head...), &l.entries[i])
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// size returns the approximate length of the list in bytes.
func (l *itemList) size() int {
	const small = 40 // a field that is not data
	total := 64 + len(l.entries)*len(l.fields)*small
	for i := range l.entries {
		total += len(l.entries[i].Data.Raw)
	}
	return total
}
