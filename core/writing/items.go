package writing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/slug"
)

// newKey returns a random key of an item, of 60 bits.
func newKey() string {
	const length = 12
	return strings.ToLower(rand.Text()[:length])
}

// completeItems gives the items in values their keys, and the slugs that are derived from siblings.
// stored has the present values of e.
func (k *work) completeItems(e *core.Entry, values, stored map[string]json.RawMessage) {
	for _, f := range k.schema.Collection.Fields {
		if raw := values[f.Name]; raw != nil && f.Structured() {
			keyed := f.WithKeys(raw, stored[f.Name], newKey)
			values[f.Name] = f.EditItems(keyed, func(c *core.Component, _ string, item core.Document) core.Document {
				return withSlugs(c, item, e.Locale)
			})
		}
	}
}

// keepWithheld sets the values that show the same as those in stored to the stored ones: these can also have
// items, values of removed fields and references that their field does not admit any more, which a client
// that writes back what it has read does not know.
func (k *work) keepWithheld(ctx context.Context, values, stored map[string]json.RawMessage) error {
	for _, f := range k.schema.Collection.Fields {
		value, before := values[f.Name], stored[f.Name]
		if value == nil || before == nil || string(value) == string(before) {
			continue
		}
		shown := before
		switch {
		case f.Structured():
			shown = f.Present(before)
		case f.ToSeveral() && len(f.Former) > 0:
			members, err := k.groupMembers(ctx, map[string]json.RawMessage{f.Name: before})
			if err != nil {
				return err
			}
			shown = core.ReferenceValue(f, slices.DeleteFunc(core.ReferenceIDs(before), func(group int64) bool {
				return !slices.ContainsFunc(f.Collections, func(slug string) bool { return members[groupIn{group, slug}] != 0 })
			}))
		}
		if string(value) == string(shown) {
			values[f.Name] = before
		}
	}
	return nil
}

// withSlugs returns an item of c with its missing slugs. Slugs of items are not unique.
func withSlugs(c *core.Component, item core.Document, locale string) core.Document {
	var values map[string]json.RawMessage
	for _, f := range c.Fields {
		if f.Source == "" || !f.Missing(item.Value(f.Name)) {
			continue
		}
		if base := f.DeriveSlug(unquote(item.Value(f.Source)), locale); base != "" {
			if values == nil {
				values = item.Values()
			}
			values[f.Name] = canonical.Quote(slug.Numbered(base, 1, f.MaxSlug()))
		}
	}
	if values == nil {
		return item
	}
	return core.NewDocument(values)
}

// takeItems sets the items of values to those of doc.
func (k *work) takeItems(values map[string]json.RawMessage, doc core.Document) {
	for _, f := range k.schema.Collection.Fields {
		if items := doc.Value(f.Name); items != nil && f.Structured() {
			values[f.Name] = items
		}
	}
}

// countItems adds a fault to the written fields with items if doc has too many of them.
func (k *work) countItems(doc, written map[string]json.RawMessage, found *core.Faults) {
	n := 0
	for _, f := range k.schema.Collection.Fields {
		if f.Structured() {
			n += f.CountItems(doc[f.Name])
		}
	}
	if n <= core.MaxItems {
		return
	}
	for _, f := range k.schema.Collection.Fields {
		if f.Structured() && written[f.Name] != nil && !found.HasField(f.Name) {
			found.Add(core.FieldLocation(f.Name), nil, "makes an entry of "+strconv.Itoa(n)+" items; the most are "+strconv.Itoa(core.MaxItems))
		}
	}
}
