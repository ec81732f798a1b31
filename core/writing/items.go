package writing

import (
	"bytes"
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
func completeItems(c *core.Collection, e *core.Entry, values, stored map[string]json.RawMessage) {
	for _, f := range c.Fields {
		if raw := values[f.Name]; raw != nil && f.Structured() {
			keyed := f.WithKeys(raw, f.Present(stored[f.Name]), newKey)
			values[f.Name] = f.EditItems(keyed, func(c *core.Component, _ string, item core.Document) core.Document {
				return withSlugs(c, item, e.Locale)
			})
		}
	}
}

// keepWithheld adds to values what is withheld in stored, the present values of the entry: items, values of
// removed fields and references that their field does not admit any more, which a client that writes back what
// it has read does not know. A field that fields clears keeps nothing, and no list an item that fields drops.
func (c *composer) keepWithheld(ctx context.Context, values, stored map[string]json.RawMessage, fields core.WrittenFields, found *core.Faults) error {
	for _, f := range c.schema.Collection.Fields {
		value, before, drop := values[f.Name], stored[f.Name], fields.Drop[f.Name]
		if _, named := values[f.Name]; !named && len(drop) > 0 {
			value = f.Present(before)
		}
		if value == nil || before == nil || string(bytes.TrimSpace(fields.Raw[f.Name])) == "null" {
			continue
		}
		references, err := c.narrowedReferences(ctx, f, before)
		if err != nil {
			return err
		}
		values[f.Name] = f.Retain(value, before, core.Retention{
			Keep:       func(w core.Withheld) bool { return !w.IsItem() || !slices.Contains(drop, w.Key) },
			References: references,
			Clash: func(w core.Withheld) {
				found.Add(core.FieldLocation(f.Name), w.Key, `has the key of an item that is withheld: use another one, or name the key in "drop"`)
			},
		})
		for i, key := range drop {
			if f.HasKey(value, key) && !slices.ContainsFunc(f.Withheld(before), func(w core.Withheld) bool { return w.Key == key }) {
				found.Add("drop."+f.Name+"["+strconv.Itoa(i)+"]", key, "is the key of an item that is not withheld: leave the item out of the field")
			}
		}
	}
	return nil
}

// narrowedReferences returns the Retention.References for stored, a value of f; nil if stored has no references
// that f or a field inside of its items may not admit any more.
func (c *composer) narrowedReferences(
	ctx context.Context, f *core.Field, stored json.RawMessage,
) (func(*core.Field, json.RawMessage) (shown, former []int64), error) {
	narrowed := false
	f.EachValue(stored, func(f *core.Field, _ []byte) { narrowed = narrowed || f.ToSeveral() && len(f.Former) > 0 })
	if !narrowed {
		return nil, nil
	}
	members, err := c.groupMembers(ctx, map[string]json.RawMessage{f.Name: stored})
	if err != nil {
		return nil, err
	}
	return func(f *core.Field, stored json.RawMessage) (shown, former []int64) {
		for _, group := range core.ReferenceIDs(stored) {
			switch {
			case slices.ContainsFunc(f.Collections, func(slug string) bool { return members[groupIn{group, slug}] != 0 }):
				shown = append(shown, group)
			case members[groupIn{group, ""}] != 0:
				former = append(former, group)
			}
		}
		return shown, former
	}, nil
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
func takeItems(c *core.Collection, values map[string]json.RawMessage, doc core.Document) {
	for _, f := range c.Fields {
		if items := doc.Value(f.Name); items != nil && f.Structured() {
			values[f.Name] = items
		}
	}
}

// countItems adds a fault to the written fields with items if doc has too many of them.
func countItems(c *core.Collection, doc, written map[string]json.RawMessage, found *core.Faults) {
	n := 0
	for _, f := range c.Fields {
		if f.Structured() {
			n += f.CountItems(doc[f.Name])
		}
	}
	if n <= core.MaxItems {
		return
	}
	for _, f := range c.Fields {
		if f.Structured() && written[f.Name] != nil && !found.HasField(f.Name) {
			found.Add(core.FieldLocation(f.Name), nil, "makes an entry of "+strconv.Itoa(n)+" items; the most are "+strconv.Itoa(core.MaxItems))
		}
	}
}
