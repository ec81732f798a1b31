package content

import (
	"context"

	"imprimatur/core"
)

// AddField appends a field. A name that the collection once had comes back only
// with the type it had, and with its values.
func (c *Collections) AddField(ctx context.Context, project *core.Project, id int64, in FieldInput) (*core.Collection, error) {
	return nil, nil
}

// UpdateField replaces all options of the field of that name. Its name, type and
// multiple must be what they are; in.Name and in.Type may be empty.
func (c *Collections) UpdateField(ctx context.Context, project *core.Project, id int64, name string, in FieldInput) (*core.Collection, error) {
	return nil, nil
}

// RemoveField takes a field out of the definition. Its values stay with the
// entries, unseen.
func (c *Collections) RemoveField(ctx context.Context, project *core.Project, id int64, name string) (*core.Collection, error) {
	return nil, nil
}
