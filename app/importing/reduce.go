package importing

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// wasRefused is what package transfer adds to the fault of a target whose line it refused.
var wasRefused = regexp.MustCompile(`: line \d+ was refused$`)

// reduce takes out of a line what a write refused, and lists it. It returns false if nothing can be taken out. Targets
// whose lines were refused, and may be written by the next attempt, are taken out only if final is true.
func (l *Line) reduce(c *core.Collection, fault *core.Error, report *Report, final bool) (changed bool) {
	elements := map[string]map[int]string{} // reasons by the name of the field of a relation or media, and the index
	for _, f := range fault.Fields {
		if wasRefused.MatchString(f.Message) && !final {
			continue
		}
		f.Message = wasRefused.ReplaceAllString(f.Message, "")
		switch at := f.Location; {
		case f.Unpublished != 0: // another attempt may find its target public
		case strings.HasPrefix(at, "publishedVersion."), at == "published", at == "publishAt", at == "unpublishAt":
			changed = l.withdraw(f.Location+" "+f.Message, report) || changed
		case at == "createdAt" && l.CreatedAt != nil:
			l.lose(LostState, at, f.Message, nil)
			l.CreatedAt, changed = nil, true
		case at == "publishedAt" && l.PublishedAt != nil:
			l.lose(LostState, at, f.Message, nil)
			l.PublishedAt, changed = nil, true
		case at == "key":
			changed = l.dropKey(c, "is that of another entry of the source") || changed
		case strings.HasPrefix(at, "relations."), strings.HasPrefix(at, "media."):
			_, name, _ := strings.Cut(at, ".")
			name, _, _ = strings.Cut(name, "[")
			i, _ := indexIn(at, at[:strings.Index(at, ".")+1]+name) // 0: it has no list
			if elements[name] == nil {
				elements[name] = map[int]string{}
			}
			elements[name][i] = f.Message
		case strings.HasPrefix(at, "links."):
			changed = l.unlink(c, at, f.Message) || changed
		case strings.HasPrefix(at, "translations."):
			changed = l.dropTranslated(at, f.Message) || changed
		case l.Published && !l.unique(c, core.LocatedField(at)):
			changed = l.withdraw(core.LocatedField(at)+" "+f.Message, report) || changed
		default:
			changed = l.drop(core.LocatedField(at), f.Message) || changed
		}
	}
	for name, gone := range elements {
		changed = l.dropElements(name, gone) || changed
	}
	return changed
}

// withdraw makes a line one of a draft, which is listed.
func (l *Line) withdraw(reason string, report *Report) bool {
	if !l.Published {
		return false
	}
	if l.Public != nil {
		l.Public.eachField(func(name string) { count(report.Fields, l.From.Kind+"."+name).Listed++ })
	}
	l.lose(LostState, "", "not published: "+reason, nil)
	l.unpublish()
	return true
}

func (l *Line) unique(c *core.Collection, name string) bool {
	f := c.Field(name)
	return f != nil && f.Unique && l.Draft.Fields[name] != nil
}

// drop takes out a field.
func (l *Line) drop(name, reason string) bool {
	raw, there := l.Draft.Fields[name]
	switch {
	case there:
		delete(l.Draft.Fields, name)
	case l.Draft.Relations[name] != nil:
		raw, _ = json.Marshal(l.Draft.Relations[name]) // of JSON
		delete(l.Draft.Relations, name)
	case l.Draft.Media[name] != nil:
		raw, _ = json.Marshal(l.Draft.Media[name]) // of JSON
		delete(l.Draft.Media, name)
	default:
		return false
	}
	l.lose(LostValue, name, reason, raw)
	return true
}

// dropKey takes out the value by which another line has an entry.
func (l *Line) dropKey(c *core.Collection, reason string) bool {
	f, key := l.key(c)
	if key == nil || l.ByKey {
		return false
	}
	l.Key = nil
	return l.drop(f.Name, reason)
}

func (l *Line) dropTranslated(at, reason string) bool {
	tag, name, _ := strings.Cut(strings.TrimPrefix(at, "translations."), ".")
	if i := strings.IndexAny(name, "[."); i >= 0 {
		name = name[:i]
	}
	raw, there := l.Translations[tag][name]
	if !there {
		return false
	}
	delete(l.Translations[tag], name)
	l.lose(LostValue, name, tag+": "+reason, raw)
	return true
}

// dropElements takes out elements of a relation or a media field.
func (l *Line) dropElements(name string, gone map[int]string) (changed bool) {
	v := &l.Draft
	for i := len(v.Relations[name]) - 1; i >= 0; i-- {
		if reason := gone[i]; reason != "" {
			raw, _ := json.Marshal(v.Relations[name][i]) // of JSON
			l.lose(LostPart, name, reason, raw)
			v.Relations[name], changed = slices.Delete(v.Relations[name], i, i+1), true
		}
	}
	for i := len(v.Media[name]) - 1; i >= 0; i-- {
		if reason := gone[i]; reason != "" {
			raw, _ := json.Marshal(v.Media[name][i]) // of JSON
			l.lose(LostPart, name, reason, raw)
			v.Media[name], changed = slices.Delete(v.Media[name], i, i+1), true
		}
	}
	return changed
}

// unlink takes out a link, "links.entries.5" or "links.media.5", whose target does not exist.
func (l *Line) unlink(c *core.Collection, at, reason string) bool {
	parts := strings.Split(at, ".")
	if len(parts) != 3 {
		return false
	}
	id, to := parts[2], fieldtype.EntryGroup
	shown, _ := json.Marshal(l.Draft.Links.Entries[id]) // of JSON
	if parts[1] == "media" {
		to = fieldtype.MediaItem
		shown, _ = json.Marshal(l.Draft.Links.Media[id]) // of JSON
		delete(l.Draft.Links.Media, id)
	} else {
		delete(l.Draft.Links.Entries, id)
	}
	gone, changed := map[string]string{id: reason}, false
	for _, fields := range append([]map[string]json.RawMessage{l.Draft.Fields}, l.translated()...) {
		for name, raw := range fields {
			f := c.Field(name)
			if f == nil {
				continue
			}
			value, found := unlinked(f, raw, to, gone)
			if len(found) > 0 {
				l.lose(LostPart, name, reason, shown)
				fields[name], changed = value, true
			}
		}
	}
	return changed
}

func (l *Line) translated() (all []map[string]json.RawMessage) {
	for _, fields := range l.Translations {
		all = append(all, fields)
	}
	return all
}
