package graphql

import (
	"bytes"
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/adapters/graphql/model"
)

// resolve is around every field. The entries of a list are written by writeItems,
// in one go: the executor would start a goroutine for each of them, which costs more
// than all the rest of a list does.
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
	entries []model.Entry
	fields  []itemField
}

// itemField is one selected field: what comes before its value, and the value.
type itemField struct {
	head  string // `,"alias":`
	write func(w io.Writer, entry *model.Entry)
}

// itemWriters write the fields of an Entry. All of them are leaves without arguments.
var itemWriters = map[string]func(w io.Writer, entry *model.Entry){
	"__typename":  func(w io.Writer, _ *model.Entry) { _, _ = io.WriteString(w, `"Entry"`) },
	"id":          func(w io.Writer, e *model.Entry) { e.ID.MarshalGQL(w) },
	"locale":      func(w io.Writer, e *model.Entry) { writeOptional(w, e.Locale, graphql.MarshalString) },
	"createdAt":   func(w io.Writer, e *model.Entry) { writeOptional(w, e.CreatedAt, itself) },
	"updatedAt":   func(w io.Writer, e *model.Entry) { writeOptional(w, e.UpdatedAt, itself) },
	"publishedAt": func(w io.Writer, e *model.Entry) { writeOptional(w, e.PublishedAt, itself) },
	"data":        func(w io.Writer, e *model.Entry) { e.Data.MarshalGQL(w) },
}

func itself(t model.DateTime) graphql.Marshaler { return t }

func writeOptional[T any](w io.Writer, value *T, marshaler func(T) graphql.Marshaler) {
	if value == nil {
		_, _ = io.WriteString(w, "null")
		return
	}
	marshaler(*value).MarshalGQL(w)
}

// writeItems returns what writes the selected fields of entries, or nil when a field
// is selected that it does not know: the executor knows them all.
func writeItems(ctx context.Context, entries []model.Entry) graphql.Marshaler {
	selected := graphql.CollectFields(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, []string{"Entry"})
	list := &itemList{entries: entries, fields: make([]itemField, len(selected))}
	for i, field := range selected {
		write, known := itemWriters[field.Name]
		if !known {
			return nil
		}
		list.fields[i] = itemField{head: `,"` + field.Alias + `":`, write: write}
	}
	if len(selected) > 0 {
		list.fields[0].head = list.fields[0].head[1:]
	}
	return list
}

// MarshalGQL writes the list.
func (l *itemList) MarshalGQL(w io.Writer) {
	if buffer, ok := w.(*bytes.Buffer); ok {
		buffer.Grow(l.size())
	}
	for i := range l.entries {
		if i == 0 {
			_, _ = io.WriteString(w, "[{")
		} else {
			_, _ = io.WriteString(w, "},{")
		}
		for _, field := range l.fields {
			_, _ = io.WriteString(w, field.head)
			field.write(w, &l.entries[i])
		}
	}
	if len(l.entries) == 0 {
		_, _ = io.WriteString(w, "[]")
	} else {
		_, _ = io.WriteString(w, "}]")
	}
}

// size is about how many bytes the list takes.
func (l *itemList) size() int {
	const small = 40 // a field that is not data
	total := 64 + len(l.entries)*len(l.fields)*small
	for i := range l.entries {
		total += len(l.entries[i].Data.Raw)
	}
	return total
}
