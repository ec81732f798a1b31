package comments

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/discussion"
	"imprimatur/core/fieldtype"
	"imprimatur/core/review"
)

// item is an item of the request as its readers see it.
type item struct {
	collection *core.Collection // nil: it was deleted
	shown      core.Document    // the fields, without those that are secret now, and the sealed media as core.MediaMember
}

// load reads the items of entries; 0 is none.
func (t *Thread) load(ctx context.Context, entryIDs []int64) error {
	var missing []int64
	for _, id := range entryIDs {
		if _, known := t.items[id]; !known && id != 0 && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found := t.request.Items
	if t.request.Release != nil {
		var err error
		if found, err = t.stores.Requests.Items(ctx, t.request.ProjectID, t.request.ID, missing...); err != nil {
			return err
		}
	}
	for _, id := range missing {
		t.items[id] = nil
	}
	for i := range found {
		collection, err := t.collection(ctx, found[i].CollectionID)
		if err != nil {
			return err
		}
		t.items[found[i].EntryID] = &item{collection, shownOf(&found[i], collection)}
	}
	return nil
}

func (t *Thread) collection(ctx context.Context, id int64) (*core.Collection, error) {
	if known, ok := t.collections[id]; ok {
		return known, nil
	}
	c, err := t.stores.Collections.Collection(ctx, t.request.ProjectID, id)
	if errors.Is(err, core.ErrNotFound) {
		c, err = nil, nil
	}
	if err == nil {
		t.collections[id] = c
	}
	return c, err
}

// shownOf returns item.shown.
func shownOf(i *review.RequestItem, c *core.Collection) core.Document {
	if len(i.Snapshot) == 0 { // the entry goes offline
		return core.NewDocument(nil)
	}
	fields, media := i.Fields(), i.Media()
	if c != nil {
		fields = c.Visible(fields)
		media = c.OnlyShown(media, fields)
	}
	return core.WithMedia(fields, media)
}

// value is the value at a place of an item.
type value struct {
	raw json.RawMessage // nil: none
	top *core.Field     // the field of the collection; nil: none, or it is unknown
	f   *core.Field     // the field; nil: none, or it is unknown
}

// at returns the value at path. ok is false if the item does not have the place; a field without a value is one.
func (i *item) at(path string) (v value, ok bool) {
	unknown := func(string) *core.Field { return nil }
	raw, field, known := []byte(i.shown), unknown, i.collection != nil
	if known {
		field = i.collection.Field
	}
	for first := true; ; first = false {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		name, rest := path[:end], path[end:]
		if first && name == core.MediaMember {
			field, known = unknown, false
		}
		f := field(name)
		if f != nil && f.Secret() || f == nil && known {
			return v, false
		}
		v.f = f
		if first {
			v.top = f
		}
		if raw = member(raw, name); raw == nil && (f == nil || rest != "") {
			return v, false
		}
		if strings.HasPrefix(rest, "[") {
			key, after, closed := strings.Cut(rest[1:], "]")
			if raw = keyed(raw, key); !closed || raw == nil {
				return v, false
			}
			if rest = after; rest == "" { // an item is named by a key beside the path
				return v, false
			}
		}
		if rest == "" {
			v.raw = raw
			return v, true
		}
		if rest[0] != '.' || len(rest) == 1 {
			return v, false
		}
		if path = rest[1:]; known {
			component := f.ComponentOf(core.Document(raw))
			if component == nil {
				return v, false
			}
			field = component.Field
		}
	}
}

// member returns a member of an object; nil: none.
func member(raw []byte, name string) []byte {
	if len(raw) == 0 || raw[0] != '{' || name == "" {
		return nil
	}
	if found := core.Document(raw).Value(name); string(found) != "null" {
		return found
	}
	return nil
}

// keyed returns the item of a list with a key, or the member of that name of the sealed media; nil: none.
func keyed(raw []byte, key string) (found []byte) {
	if len(raw) == 0 || raw[0] != '[' {
		return member(raw, key)
	}
	canonical.Elements(raw, func(element []byte) {
		if len(element) == 0 || element[0] != '{' {
			return
		}
		if of, ok := canonical.Text(core.Document(element).Value(core.ItemKey)); ok && of == key {
			found = element
		}
	})
	return found
}

// text returns the text of v without markup, a value on each line, and its text nodes if it has a single value.
func (v value) text() (text string, nodes []fieldtype.TextNode, ok bool) {
	var t *fieldtype.Type
	if v.f != nil {
		t = fieldtype.Of(v.f.Type)
	}
	var lines []string
	canonical.Elements(v.raw, func(element []byte) {
		line, is := canonical.Text(element)
		if !is {
			return
		}
		nodes = nil
		if t != nil {
			line, nodes = t.Nodes(line)
		}
		lines = append(lines, line)
	})
	if len(lines) > 1 {
		nodes = nil
	}
	return strings.Join(lines, "\n"), nodes, len(lines) > 0
}

// find returns where the quote begins in text, in bytes, or -1.
func find(text string, q *discussion.Quote) int {
	at := 0
	for n := 1; ; n++ {
		i := strings.Index(text[at:], q.Text)
		if i < 0 {
			return -1
		}
		if at += i; n == q.Occurrence {
			return at
		}
		at += len(q.Text)
	}
}

// suggestible are the types whose passages a comment may suggest to replace.
var suggestible = []core.FieldType{core.TypeText, core.TypeLongText, core.TypeRichText}

// place checks the place of c in the snapshot, and completes it.
func (t *Thread) place(ctx context.Context, at string, c *discussion.Comment, found *core.Faults) error {
	if err := t.load(ctx, []int64{c.EntryID}); err != nil {
		return err
	}
	i := t.items[c.EntryID]
	switch {
	case c.EntryID != 0 && i == nil:
		found.Add(at+"entryId", c.EntryID, "is not a member of the release")
		return nil
	case c.EntryID == 0 && c.Field != "":
		found.Add(at+"entryId", nil, "is required for a field")
		return nil
	case c.Field == "":
		if c.Key != "" || c.Quote != nil || c.Replace != nil {
			found.Add(at+"field", nil, "is required")
		}
		return nil
	}
	v, ok := i.at(c.Field)
	switch {
	case !ok:
		found.Add(at+"field", core.Clip(c.Field), "is not in the snapshot")
		return nil
	case v.top != nil:
		c.FieldID = v.top.ID
	}
	switch {
	case c.Key != "" && keyed(v.raw, c.Key) == nil:
		found.Add(at+"key", core.Clip(c.Key), "is not the key of an item of the field")
	case c.Key != "" && c.Quote != nil:
		found.Add(at+"quote", nil, "must be in a field, not in an item: name the field of the item")
	case c.Quote != nil:
		quoteFaults(at, c, v, found)
	case c.Replace != nil:
		found.Add(at+"quote", nil, "is required for a replacement")
	}
	return nil
}

// quoteFaults checks the quote and the replacement of c.
func quoteFaults(at string, c *discussion.Comment, v value, found *core.Faults) {
	q := c.Quote
	text, nodes, ok := v.text()
	if !core.ValidText(q.Text) || q.Text == "" || utf8.RuneCountInString(q.Text) > MaxText {
		found.Addf(at+"quote.text", nil, "must have 1 to %d characters", MaxText)
		return
	}
	if q.Occurrence < 1 || q.Occurrence > maxOccurrence {
		found.Add(at+"quote.occurrence", q.Occurrence, "must be at least 1")
		return
	}
	from := find(text, q)
	if !ok || from < 0 {
		found.Add(at+"quote", nil, "is not in the text of the field")
		return
	}
	if c.Replace == nil {
		return
	}
	inside := func(n fieldtype.TextNode) bool { return n.From <= from && from+len(q.Text) <= n.To }
	switch {
	case v.f == nil || v.f.Multiple || !slices.Contains(suggestible, v.f.Type):
		found.Add(at+"replace", nil, "is for a field with one text")
	case !slices.ContainsFunc(nodes, inside):
		found.Add(at+"replace", nil, "is for a passage without markup inside of it")
	case utf8.RuneCountInString(*c.Replace) > MaxText || !core.ValidText(*c.Replace):
		found.Addf(at+"replace", nil, "must be text of at most %d characters without the character U+0000", MaxText)
	}
}

// has reports whether the snapshot has the place of c, whose item was loaded.
func (t *Thread) has(c *discussion.Comment) bool {
	i := t.items[c.EntryID]
	switch {
	case c.EntryID == 0:
		return true
	case i == nil:
		return false
	case c.Field == "":
		return true
	}
	v, ok := i.at(c.Field)
	if !ok || c.Key != "" && keyed(v.raw, c.Key) == nil {
		return false
	}
	if c.Quote == nil {
		return true
	}
	text, _, _ := v.text()
	return find(text, c.Quote) >= 0
}

// reveals reports whether the user may see the passage of c: not if its field is secret now, or if that is unknown.
func (t *Thread) reveals(c *discussion.Comment) bool {
	return c.Quote == nil || t.items[c.EntryID] != nil && !t.hides(c)
}

// hides reports whether the field of c is known to be secret now.
func (t *Thread) hides(c *discussion.Comment) bool {
	i := t.items[c.EntryID]
	return i != nil && i.collection != nil && c.FieldID != 0 && i.collection.Hides(c.FieldID)
}
