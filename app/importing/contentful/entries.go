package contentful

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
)

// Entries implements importing.Source.
func (s *Source) Entries(ctx context.Context, each func(*importing.Entry) error) error {
	seen := map[string]bool{}
	return s.read(ctx, map[string]func(json.RawMessage) error{
		"contentTypes": func(json.RawMessage) error { return nil },
		"entries": func(raw json.RawMessage) error {
			var e entry
			if err := json.Unmarshal(raw, &e); err != nil {
				return err
			}
			id, kind := e.Sys.ID, e.Sys.ContentType.Sys.ID
			reason := skipped(&e.Sys)
			switch {
			case seen[id]:
				reason = "another entry of the export has the same id"
			case s.types[kind] == nil:
				reason = "its content type is not in the export"
			}
			if seen[id] = true; reason != "" {
				return each(&importing.Entry{Ref: importing.Ref{Kind: cmp.Or(kind, "entry"), ID: id}, Skipped: reason})
			}
			for i, l := range s.locales {
				if i > 0 && !s.translated(&e, l.Code) {
					continue
				}
				if err := each(s.entry(&e, l.Code, i == 0)); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// translated reports whether an entry has a value of its own in a locale.
func (s *Source) translated(e *entry, code string) bool {
	for _, values := range e.Fields {
		if raw, there := values[code]; there && string(raw) != "null" {
			return true
		}
	}
	return false
}

// entry returns an entry in a locale. The first one has the tags.
func (s *Source) entry(e *entry, code string, first bool) *importing.Entry {
	t := s.types[e.Sys.ContentType.Sys.ID]
	out := &importing.Entry{Ref: importing.Ref{Kind: t.Sys.ID, ID: e.Sys.ID}, Locale: code, Draft: map[string]importing.Value{}}
	defined := map[string]bool{}
	for _, f := range t.Fields {
		defined[f.ID] = true
		raw := s.valueIn(e.Fields[f.ID], f.Localized, code)
		if raw == nil || string(raw) == "null" {
			continue
		}
		if value, ok := s.value(out, f, raw, code); ok {
			out.Draft[f.ID] = value
		}
	}
	for name, values := range e.Fields {
		if raw, there := values[code]; there && !defined[name] {
			out.Lose(importing.LostValue, name, "is no field of the content type", raw)
		}
	}
	var tags []string
	for _, tag := range e.Metadata.Tags {
		tags = append(tags, cmp.Or(s.tags[tag.Sys.ID], tag.Sys.ID))
	}
	if len(tags) > 0 {
		raw, _ := json.Marshal(tags) // texts
		out.Draft[tagsField] = importing.Value{JSON: raw}
	}
	out.CreatedAt, _ = timeOf(e.Sys.CreatedAt)
	if e.Sys.PublishedVersion == nil && e.Sys.PublishedAt == "" {
		return out
	}
	if e.Sys.PublishedVersion != nil && e.Sys.Version > *e.Sys.PublishedVersion+1 {
		if first {
			out.Lose(importing.LostState, "", "was published, and changed since: the export has only the draft", nil)
		}
		return out
	}
	out.Published = true
	if out.PublishedAt, _ = timeOf(e.Sys.FirstPublishedAt); out.PublishedAt.IsZero() {
		out.PublishedAt, _ = timeOf(e.Sys.PublishedAt)
	}
	return out
}

// valueIn returns the value of a field that readers see in a locale.
func (s *Source) valueIn(values map[string]json.RawMessage, localized bool, code string) json.RawMessage {
	for n := 0; code != "" && n <= len(s.locales); n++ {
		if raw, there := values[code]; there {
			return raw
		}
		code = s.fallback(code)
	}
	if localized {
		return nil
	}
	return values[s.locales[0].Code]
}

var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// timeOf reads a time. Without a zone it is in UTC.
func timeOf(text string) (time.Time, bool) {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// link is a link to an entry or asset.
type link struct {
	Sys system `json:"sys"`
}

// value returns a value of a field. It lists links to nothing.
func (s *Source) value(e *importing.Entry, f field, raw json.RawMessage, code string) (value importing.Value, ok bool) {
	kind, linked := f.Type, f.LinkType
	if kind == "Array" && f.Items != nil {
		kind, linked = f.Items.Type, f.Items.LinkType
	}
	switch kind {
	case "Link":
		return s.links(e, f, raw, linked, code)
	case "RichText":
		var doc node
		if json.Unmarshal(raw, &doc) != nil {
			e.Lose(importing.LostValue, f.ID, "is not rich text", raw)
			return value, false
		}
		return importing.Value{Markup: s.markup(e, f.ID, &doc, code)}, true
	case "Date":
		return importing.Value{JSON: s.date(e, f, raw)}, true
	}
	return importing.Value{JSON: raw}, true
}

// date returns a date in the form that fields here have.
func (s *Source) date(e *importing.Entry, f field, raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	at, ok := timeOf(text)
	if !ok {
		return raw
	}
	if s.help[e.Kind][f.ID].Settings.Format == "dateonly" {
		return canonical.Quote(text[:len(time.DateOnly)]) // the day that editors saw
	}
	return canonical.Quote(at.Format(time.RFC3339Nano))
}

func (s *Source) links(e *importing.Entry, f field, raw json.RawMessage, linked, code string) (value importing.Value, ok bool) {
	var list []link
	if f.Type == "Array" {
		if json.Unmarshal(raw, &list) != nil {
			e.Lose(importing.LostValue, f.ID, "is no list of links", raw)
			return value, false
		}
	} else {
		var one link
		if json.Unmarshal(raw, &one) != nil || one.Sys.ID == "" {
			e.Lose(importing.LostValue, f.ID, "is no link", raw)
			return value, false
		}
		list = []link{one}
	}
	for _, l := range list {
		switch id := l.Sys.ID; {
		case linked == "Asset" && s.assets[id] != nil:
			value.Files = append(value.Files, s.fileID(s.assets[id], code))
		case linked != "Asset" && s.entries[id] != nil:
			value.Refs = append(value.Refs, importing.Ref{Kind: s.entries[id].kind, ID: id})
		case len(list) == 1:
			e.Lose(importing.LostValue, f.ID, "points to nothing: "+strings.ToLower(cmp.Or(linked, "entry")), canonical.Quote(id))
			return value, false
		default:
			e.Lose(importing.LostPart, f.ID, "points to nothing: "+strings.ToLower(cmp.Or(linked, "entry")), canonical.Quote(id))
		}
	}
	if linked == "Asset" && value.Files == nil {
		value.Files = []string{}
	} else if linked != "Asset" && value.Refs == nil {
		value.Refs = []importing.Ref{}
	}
	return value, true
}
