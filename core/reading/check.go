package reading

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// check returns the selection and the shape of q, or one error with all faults of q. For a state
// that the caller may not see it returns core.KindForbidden instead.
func check(schema core.Schema, drafts bool, q query.Query) (query.Selection, shape, error) {
	c := checker{schema: schema}
	sel := query.Selection{
		Schema:   schema,
		State:    c.state(q.State),
		Status:   c.status(q.Status),
		EditedBy: q.EditedBy,
		Outdated: c.outdated(q.Outdated),
		Locale:   c.locale(q.Locale),
		Search:   c.search(q.Search),
		Offset:   c.within("offset", q.Offset, 0, 0, query.MaxOffset),
		Limit:    c.within("limit", q.Limit, query.DefaultLimit, 1, query.MaxLimit),
	}
	sel.Sort = c.sort(q.Sort, sel.Search != nil)
	q.Where, sel.Member = c.member(q.Where)
	sel.Where, sel.Or = c.conditions(q, sel.Locale)
	shown := c.shape(q.Shape)
	if !drafts && sel.State != core.StatePublished {
		return query.Selection{}, shape{}, core.Forbidden("the state %q needs the permission to read drafts", q.State)
	}
	if q.After != "" {
		c.after(&sel, q)
	}
	return sel, shown, c.err()
}

// checker collects the faults of one query.
type checker struct {
	schema core.Schema
	hidden bool // hidden fields can be shown
	ids    bool // references are shown as ids
	faults []core.FieldError
}

// fault adds a fault at a location. The message must name the faulty thing, because GraphQL
// shows only the message.
func (c *checker) fault(location string, value any, format string, args ...any) {
	c.faults = append(c.faults, core.FieldError{
		Location: location, Message: fmt.Sprintf(format, args...), Value: presentable(value),
	})
}

func (c *checker) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	messages := make([]string, len(c.faults))
	for i, f := range c.faults {
		messages[i] = f.Location + ": " + f.Message
	}
	err := core.BadRequest("invalid_query", "%s", strings.Join(messages, "; "))
	err.Fields = c.faults
	return err
}

func (c *checker) state(name string) core.State {
	if name == "" {
		return core.StatePublished
	}
	state, ok := core.States[name]
	if !ok {
		c.fault("state", name, "unknown state %s: published, only_draft or with_draft", quoted(name))
	}
	return state
}

func (c *checker) status(name string) entrystatus.Status {
	if name == "" {
		return ""
	}
	status, listed := entrystatus.Status(name), entrystatus.Listed()
	if !slices.Contains(listed, status) {
		c.fault("status", name, "unknown status %s: one of %s", quoted(name), core.Joined(listed))
	}
	return status
}

func (c *checker) locale(tag string) string {
	switch tag {
	case "":
		return c.schema.Project.DefaultLocale
	case query.AllLocales:
		return tag
	}
	return c.oneLocale("locale", tag)
}

// outdated returns the locale whose translations are compared; "": none.
func (c *checker) outdated(tag string) string {
	if tag == "" {
		return ""
	}
	return c.oneLocale("outdated", tag)
}

// oneLocale returns the locale of the Project that a parameter names.
func (c *checker) oneLocale(parameter, tag string) string {
	locale, ok := "", wellFormedTag(tag)
	if ok {
		locale, ok = c.schema.Project.ResolveLocale(tag)
	}
	if !ok {
		c.fault(parameter, tag, "unknown locale %s", quoted(tag))
	}
	return locale
}

func (c *checker) search(text string) *words.Search {
	if text == "" {
		return nil
	}
	search, fault := words.ParseSearch(text)
	switch {
	case fault != "":
		c.fault("search", text, "%s", fault)
	case !c.schema.Collection.Searches():
		c.fault("search", text, "%s", notSearched(c.schema.Collection.Slug))
	}
	return search
}

// notSearched says why a search in a collection would find nothing, and how it would.
func notSearched(slug string) string {
	return "no field of the collection " + quoted(slug) + " is searchable: set searchable of a text field to true"
}

// ranked is the order of a search that names none.
var ranked = []query.SortKey{{Field: query.RankField, Desc: true}, {Field: query.MomentField, Desc: true}, {Field: core.SystemID, Desc: true}}

// sort reads "f:asc,g:desc". The result always ends with the id, which breaks ties
// in the direction of the last key; keys after an id could not change the order.
func (c *checker) sort(text string, searches bool) []query.SortKey {
	switch {
	case text == "" && searches:
		return ranked
	case text == "":
		return []query.SortKey{{Field: core.SystemID, Desc: true}}
	}
	parts := strings.SplitN(text, ",", query.MaxSortKeys+1)
	if len(parts) > query.MaxSortKeys {
		c.fault("sort", text, "takes at most %d keys", query.MaxSortKeys)
		return nil
	}
	keys := make([]query.SortKey, 0, query.MaxSortKeys+1)
	for _, part := range parts {
		if key, ok := c.sortKey(part); ok {
			if slices.ContainsFunc(keys, func(k query.SortKey) bool { return k.Field == key.Field }) {
				c.fault("sort", text, "names %q twice", key.Field.Name)
			}
			keys = append(keys, key)
		}
	}
	if id := slices.IndexFunc(keys, func(k query.SortKey) bool { return k.Field == core.SystemID }); id >= 0 {
		return keys[:id+1]
	}
	if len(keys) == 0 {
		return nil
	}
	return append(keys, query.SortKey{Field: core.SystemID, Desc: keys[len(keys)-1].Desc})
}

func (c *checker) sortKey(part string) (query.SortKey, bool) {
	name, direction, directed := strings.Cut(part, ":")
	key := query.SortKey{Field: c.schema.Collection.Queryable(name), Desc: direction == "desc"}
	if directed && direction != "asc" && direction != "desc" {
		c.fault("sort", part, "unknown direction %s: asc or desc", quoted(direction))
		return key, false
	}
	if unusable := c.unusable(key.Field, name); unusable != "" {
		c.fault("sort", part, "%s", unusable)
		return key, false
	}
	if !key.Field.Sortable() {
		c.fault("sort", part, "entries cannot be sorted by %q of type %s", name, key.Field.Type)
		return key, false
	}
	return key, true
}

// within returns the value of n, or none if n is nil. A value out of range is a fault.
func (c *checker) within(name string, n *int64, none, least, most int64) int64 {
	if n == nil {
		return none
	}
	if *n < least || *n > most {
		c.fault(name, *n, "must be between %d and %d", least, most)
	}
	return *n
}

// after reads the cursor of the page before. Only a valid selection has cursors.
func (c *checker) after(sel *query.Selection, q query.Query) {
	if q.Offset != nil {
		c.fault("offset", *q.Offset, "must be omitted beside after")
	}
	if len(c.faults) > 0 {
		return
	}
	if sel.After = positionOf(sel, q.After); sel.After == nil {
		c.fault("after", q.After, "must be the meta.next of a list with the same other parameters")
	}
}

// wellFormedTag reports whether tag has the form of a language tag: subtags of one
// to eight letters and digits, joined by hyphens.
func wellFormedTag(tag string) bool {
	for subtag := range strings.SplitSeq(tag, "-") {
		if len(subtag) < 1 || len(subtag) > 8 {
			return false
		}
		for i := range len(subtag) {
			if !isLetter(subtag[i]) && !isDigit(subtag[i]) {
				return false
			}
		}
	}
	return true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// quoted returns text in quotes for a message, and cuts a long text.
func quoted(text string) string {
	const most = 64
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// presentable returns value for an error, or nil for a long or invalid text.
func presentable(value any) any {
	const most = 100
	if text, ok := value.(string); ok && (len(text) > most || !utf8.ValidString(text)) {
		return nil
	}
	return value
}
