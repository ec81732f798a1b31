package importing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/validation"
)

// LegacyField is the hidden field that keeps what has no place.
const LegacyField = "legacy"

// checker takes out of lines what the definitions do not admit, before anything is written.
type checker struct {
	schema  core.Schema
	files   map[string]FileRef // of the library, by the ids of the content; no hash: a dry run
	report  *Report
	publish bool // publish what was public
	legacy  bool // keep what has no place in LegacyField
	now     time.Time
}

// check changes l to what can be written, and counts it.
func (c *checker) check(l *Line) {
	count(c.report.Kinds, l.From.Kind).In++
	if l.Skipped != "" {
		return
	}
	collection := c.schema.BySlug(l.Collection)
	if collection == nil {
		l.Skipped = "no collection " + core.Clip(l.Collection)
		return
	}
	if l.Locale == "" {
		l.Locale = c.schema.Project.DefaultLocale
	}
	locale := c.schema.Project.LocaleNamed(l.Locale)
	if locale == "" {
		l.Skipped = "the project has no locale " + core.Clip(l.Locale)
		return
	}
	l.Locale = locale
	c.date(l)
	incomplete := c.version(l, collection, &l.Draft)
	c.translations(l, collection)
	if len(incomplete) > 0 {
		c.report.Incomplete++
	}
	for _, fault := range incomplete {
		l.lose(LostNothing, core.LocatedField(fault.Location), fault.Message, nil)
	}
	switch {
	case !c.publish:
		if l.Public != nil {
			l.withdraw("its published version differs from the draft, and is left out without --published", c.report)
		}
		l.unpublish()
	case l.Published && l.Public != nil:
		if faults := c.version(l, collection, l.Public); len(faults) > 0 {
			l.withdraw(phrase(faults), c.report)
		}
	case l.Published && len(incomplete) > 0:
		l.withdraw(phrase(incomplete), c.report)
	}
	if c.legacy {
		l.keepLegacy()
	}
}

// unpublish makes l a line of a draft.
func (l *Line) unpublish() {
	l.Published, l.Public, l.PublishAt, l.UnpublishAt, l.PublishedAt = false, nil, nil, nil, nil
}

func phrase(faults []core.FieldError) string {
	var texts []string
	for _, f := range faults {
		texts = append(texts, core.LocatedField(f.Location)+" "+f.Message)
	}
	return strings.Join(texts, "; ")
}

// date takes out dates that the store does not take.
func (c *checker) date(l *Line) {
	for name, at := range map[string]**time.Time{"createdAt": &l.CreatedAt, "publishedAt": &l.PublishedAt} {
		if *at != nil && ((*at).After(c.now) || !core.TimeInRange(**at) || (*at).IsZero()) {
			l.lose(LostState, name, "is not a date of the past from the year 1 on", canonical.Quote((*at).Format(time.RFC3339)))
			*at = nil
		}
	}
	if l.PublishAt != nil && !l.PublishAt.After(c.now) {
		l.PublishAt = nil
	}
	if l.PublishAt != nil {
		l.PublishedAt = nil
	}
}

// version checks one version of a line, and returns what keeps it from being published.
func (c *checker) version(l *Line, collection *core.Collection, v *Version) []core.FieldError {
	values, missing := map[string]json.RawMessage{}, c.resolveLinks(&v.Links)
	for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
		raw, ok := c.value(l, collection.Field(name), name, v.Fields[name], missing)
		if !ok {
			delete(v.Fields, name)
			continue
		}
		v.Fields[name], values[name] = raw, raw
	}
	for _, name := range slices.Sorted(maps.Keys(v.Relations)) {
		c.relation(l, collection.Field(name), name, v)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Media)) {
		c.media(l, collection.Field(name), name, v)
	}
	return validation.Document(collection, values, func(f *core.Field) bool {
		return len(v.Relations[f.Name])+len(v.Media[f.Name]) > 0 || f.Source != "" && f.Missing(values[f.Name]) && !f.Missing(values[f.Source])
	}).List
}

// value returns the canonical value of a field. ok is false if the field was left out.
func (c *checker) value(l *Line, f *core.Field, name string, raw json.RawMessage, missing map[string]string) (value json.RawMessage, ok bool) {
	switch {
	case f == nil:
		l.lose(LostValue, name, "no such field in "+l.Collection, raw)
		return nil, false
	case !f.Readable():
		l.lose(LostValue, name, "passwords are not imported", nil)
		return nil, false
	case string(raw) == "null":
		return raw, true
	}
	raw, err := canonical.Arrange(raw)
	if err != nil {
		l.lose(LostValue, name, "is not JSON", nil)
		return nil, false
	}
	raw, unresolved := unlinked(f, raw, core.ToMedia, missing)
	for _, id := range unresolved {
		l.lose(LostPart, name, missing[id], nil)
	}
	var found core.Faults
	value = validation.Canonical(f, raw, &found)
	if len(found.List) > 0 && f.RefersInside() {
		raw = withoutPictures(l, f, raw)
		found = core.Faults{}
		value = validation.Canonical(f, raw, &found)
	}
	if len(found.List) > 0 && f.Multiple && !f.Structured() {
		raw = c.without(l, f, raw, found.List)
		found = core.Faults{}
		value = validation.Canonical(f, raw, &found)
	}
	if len(found.List) > 0 && (!f.Structured() || value == nil || string(value) == "null") {
		l.lose(LostValue, name, phrase(found.List), raw)
		return nil, false
	}
	for _, fault := range found.List { // in items, whose other values stay
		shown, _ := json.Marshal(fault.Value) // of JSON
		l.lose(LostPart, name, strings.TrimPrefix(fault.Location, "fields.")+" "+fault.Message, shown)
	}
	c.countMarkup(f, raw, value)
	for _, removed := range validation.Removed(f, raw, value) {
		l.lose(LostMarkup, name, "removed "+strings.Join(removed.Removed, ", "), nil)
	}
	if value == nil {
		return json.RawMessage("null"), true
	}
	return value, true
}

// withoutPictures returns a canonical value without the pictures in its rich text that no reader could load: those with
// their bytes in the text, and those without a source.
func withoutPictures(l *Line, f *core.Field, raw json.RawMessage) json.RawMessage {
	check := fieldtype.Of(core.TypeRichText).Check
	clean := func(text string) string {
		return EditTags(text, func(tag *html.Token) bool {
			if tag.Data != "img" {
				return false
			}
			if _, fault := check(canonical.Quote(tag.String())); fault != "" {
				l.lose(LostPart, f.Name, fault, canonical.Quote(tag.String()))
				tag.Data = ""
			}
			return tag.Data == ""
		})
	}
	return f.EditValues(raw, func(inner *core.Field, _ string, raw json.RawMessage) json.RawMessage {
		var text string
		var list []string
		switch {
		case !inner.HasLinks():
			return raw
		case json.Unmarshal(raw, &text) == nil:
			return canonical.Quote(clean(text))
		case json.Unmarshal(raw, &list) == nil:
			texts := make([]json.RawMessage, len(list))
			for i, text := range list {
				texts[i] = canonical.Quote(clean(text))
			}
			all, _ := json.Marshal(texts) // of JSON
			return all
		}
		return raw
	})
}

// without returns a list without the elements that have faults.
func (c *checker) without(l *Line, f *core.Field, raw json.RawMessage, faults []core.FieldError) json.RawMessage {
	var list, kept []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	bad := map[int]string{}
	for _, fault := range faults {
		if i, ok := indexIn(fault.Location, "fields."+f.Name); ok {
			bad[i] = fault.Message
		}
	}
	for i, element := range list {
		if message := bad[i]; message != "" {
			l.lose(LostPart, f.Name, "["+strconv.Itoa(i)+"] "+message, element)
			continue
		}
		kept = append(kept, element)
	}
	if kept == nil {
		return json.RawMessage("null")
	}
	text, _ := json.Marshal(kept) // parts of JSON
	return text
}

// indexIn returns the i of a location "prefix[i]…".
func indexIn(location, prefix string) (i int, ok bool) {
	rest, ok := strings.CutPrefix(location, prefix+"[")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	return i, err == nil
}

// resolveLinks resolves the files of links, and returns why the others, by their ids, have none.
func (c *checker) resolveLinks(links *Links) (missing map[string]string) {
	missing = map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(links.Media)) {
		ref, reason := c.resolve(links.Media[id])
		if links.Media[id] = ref; reason != "" {
			delete(links.Media, id)
			missing[id] = reason
		}
	}
	return missing
}

// unlinked returns a canonical value without the references of that kind to ids in missing. found has those that
// it had.
func unlinked(f *core.Field, raw json.RawMessage, to fieldtype.Target, missing map[string]string) (value json.RawMessage, found []string) {
	if !f.RefersInside() || len(missing) == 0 {
		return raw, nil
	}
	gone := func(r core.Reference) bool {
		id := strconv.FormatInt(r.ID, 10)
		if missing[id] == "" || r.Target != to {
			return false
		}
		found = append(found, id)
		return true
	}
	value = f.EditValues(raw, func(inner *core.Field, _ string, raw json.RawMessage) json.RawMessage {
		switch {
		case inner.HasLinks():
			return inner.EditLinks(raw, func(_ string, link *core.Link) {
				if gone(link.Ref) {
					link.Remove("data-media", "data-entry")
				}
			})
		case inner.Kind() == fieldtype.Reference:
			var ids []int64
			inner.EachReference(raw, func(r core.Reference) {
				if !gone(r) {
					ids = append(ids, r.ID)
				}
			})
			return core.ReferenceValue(inner, ids)
		}
		return raw
	})
	return value, found
}

// resolve returns a file of the library, or why it has none.
func (c *checker) resolve(ref FileRef) (found FileRef, missing string) {
	if ref.File == "" {
		return ref, ""
	}
	found, ok := c.files[ref.File]
	if !ok {
		return ref, core.Clip(ref.File) + " is not in the library"
	}
	return found, ""
}

func (c *checker) relation(l *Line, f *core.Field, name string, v *Version) {
	targets := v.Relations[name]
	shown, _ := json.Marshal(targets) // of JSON
	switch {
	case f == nil || f.Type != core.TypeRelation:
		l.lose(LostValue, name, "no such relation in "+l.Collection, shown)
		delete(v.Relations, name)
		return
	case !f.Multiple && len(targets) > 1:
		rest, _ := json.Marshal(targets[1:]) // of JSON
		l.lose(LostPart, name, "has one target", rest)
		targets = targets[:1]
	}
	kept := []Target{}
	for _, t := range targets {
		if t.Collection == "" && !f.ToSeveral() {
			t.Collection = f.Collection
		}
		if !slices.Contains(f.TargetSlugs(), t.Collection) {
			one, _ := json.Marshal(t) // of JSON
			l.lose(LostPart, name, "cannot point to "+core.Clip(t.Collection), one)
			continue
		}
		kept = append(kept, t)
	}
	v.Relations[name] = kept
}

func (c *checker) media(l *Line, f *core.Field, name string, v *Version) {
	refs := v.Media[name]
	shown, _ := json.Marshal(refs) // of JSON
	switch {
	case f == nil || f.Type != core.TypeMedia:
		l.lose(LostValue, name, "no such media field in "+l.Collection, shown)
		delete(v.Media, name)
		return
	case !f.Multiple && len(refs) > 1:
		rest, _ := json.Marshal(refs[1:]) // of JSON
		l.lose(LostPart, name, "has one file", rest)
		refs = refs[:1]
	}
	kept := []FileRef{}
	for _, ref := range refs {
		found, missing := c.resolve(ref)
		if missing != "" {
			l.lose(LostPart, name, missing, canonical.Quote(ref.File))
			continue
		}
		kept = append(kept, found)
	}
	v.Media[name] = kept
}

// translations takes out what the definitions do not admit of the fields of translations.
func (c *checker) translations(l *Line, collection *core.Collection) {
	for _, tag := range slices.Sorted(maps.Keys(l.Translations)) {
		fields := l.Translations[tag]
		locale := c.schema.Project.LocaleNamed(tag)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if locale == "" {
				l.lose(LostValue, name, "the project has no locale "+core.Clip(tag), fields[name])
				continue
			}
			if value, ok := c.value(l, collection.Field(name), name, fields[name], nil); ok {
				fields[name] = value
			} else {
				delete(fields, name)
			}
		}
		if locale == "" {
			delete(l.Translations, tag)
		}
	}
}

// countMarkup counts the elements of rich text before and after the check.
func (c *checker) countMarkup(f *core.Field, raw, value json.RawMessage) {
	before, after := elements(f, raw), elements(f, value)
	for name, n := range before {
		counts := count(c.report.Markup, name)
		counts.In += n
		counts.Out += min(n, after[name])
		counts.Listed += max(0, n-after[name])
	}
}

// elements counts the elements of rich text in a value, by their names.
func elements(f *core.Field, value json.RawMessage) map[string]int64 {
	found := map[string]int64{}
	if !f.RefersInside() {
		return found
	}
	f.EachValue(value, func(inner *core.Field, raw []byte) {
		if t := fieldtype.Of(inner.Type); t == nil || t.EditLinks == nil {
			return
		}
		canonical.Elements(raw, func(element []byte) {
			text, _ := canonical.Text(element)
			for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
				kind := tokens.Next()
				if kind == html.ErrorToken {
					return
				}
				if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
					name, _ := tokens.TagName()
					found[clipName(string(name))]++
				}
			}
		})
	})
	return found
}

// maxElementName is the longest name of an element that a report counts by itself.
const maxElementName = 40

func clipName(name string) string {
	if len(name) > maxElementName {
		return name[:maxElementName] + "…"
	}
	return name
}

// keepLegacy puts what has no place into LegacyField.
func (l *Line) keepLegacy() {
	kept := map[string][]json.RawMessage{}
	for _, row := range l.Lost {
		if (row.What == LostValue || row.What == LostPart) && row.Value != nil {
			kept[row.Field] = append(kept[row.Field], row.Value)
		}
	}
	if len(kept) == 0 {
		return
	}
	text, err := json.Marshal(kept)
	if err != nil {
		l.lose(LostState, LegacyField, fmt.Sprintf("cannot be kept: %v", err), nil)
		return
	}
	if l.Draft.Fields == nil {
		l.Draft.Fields = map[string]json.RawMessage{}
	}
	l.Draft.Fields[LegacyField] = text
	if l.Public != nil {
		if l.Public.Fields == nil {
			l.Public.Fields = map[string]json.RawMessage{}
		}
		l.Public.Fields[LegacyField] = text
	}
}
