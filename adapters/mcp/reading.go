package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

type pageInput struct {
	Project int64  `json:"project,omitempty" jsonschema:"id of a project; all by default"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"cursor of the answer before"`
}

// projectShown is a Project of the assistant.
type projectShown struct {
	ID            int64             `json:"id"`
	Name          string            `json:"name"`
	DefaultLocale string            `json:"defaultLocale"`
	Locales       []string          `json:"locales"`
	Collections   []collectionShown `json:"collections"`
}

type collectionShown struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Singleton   bool   `json:"singleton"`
}

func (c *call) listCollections(in pageInput) (list, error) {
	ids := c.actor.Assistant.ProjectIDs
	if in.Project != 0 {
		ids = []int64{in.Project}
	}
	var all []projectShown
	for _, id := range ids {
		p, err := c.project(id)
		if err != nil {
			return list{}, err
		}
		var found wire.List[collectionShown]
		if err := c.read(public(p, "collections"), nil, &found); err != nil {
			if f, refused := errors.AsType[*fault](err); refused && f.Status == http.StatusNotFound && in.Project == 0 {
				continue // its user has no role there any more
			}
			return list{}, err
		}
		all = append(all, projectShown{p.ID, p.Name, p.DefaultLocale, p.Locales, found.Data})
	}
	return window(all, in.Cursor)
}

// described is a collection with what a writer of entries needs to know.
type described struct {
	Slug        string                 `json:"slug"`
	Name        string                 `json:"name"`
	Description string                 `json:"description,omitempty"`
	Singleton   bool                   `json:"singleton"`
	Locales     []string               `json:"locales"`
	Fields      []fieldShown           `json:"fields"`
	Components  []wire.PublicComponent `json:"components,omitempty"`
	Count       int                    `json:"count" jsonschema:"number of fields in the answer"`
	Total       int                    `json:"total" jsonschema:"number of all fields"`
	Cursor      string                 `json:"cursor,omitempty"`
	// Example has an example of each field in the answer.
	Example map[string]json.RawMessage `json:"example"`
}

// fieldShown is a field with the rules that the definition has for all writers.
type fieldShown struct {
	wire.PublicField

	Form    string   `json:"form" jsonschema:"how a value is written in JSON"`
	Unique  bool     `json:"unique"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
}

type describeInput struct {
	place

	Cursor string `json:"cursor,omitempty" jsonschema:"cursor of the answer before"`
}

func (c *call) describeCollection(in describeInput) (described, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return described{}, err
	}
	var shown wire.PublicCollection
	if err := c.read(public(p, "collections", in.Collection), nil, &shown); err != nil {
		return described{}, err
	}
	var components wire.List[wire.PublicComponent]
	if err := c.read(public(p, "components"), nil, &components); err != nil {
		return described{}, err
	}
	from := 0
	if in.Cursor != "" {
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 || from > len(shown.Fields) {
			return described{}, badArgument("cursor", "is none of this collection")
		}
	}
	out := described{
		Slug: shown.Slug, Name: shown.Name, Description: shown.Description, Singleton: shown.Singleton, Locales: p.Locales,
		Fields: []fieldShown{}, Total: len(shown.Fields), Example: map[string]json.RawMessage{},
	}
	definition, err := c.collection(p, in.Collection)
	if err != nil {
		return described{}, err
	}
	for _, f := range shown.Fields[from:] {
		next := ruled(f, definition.Field(f.Name))
		if t := fieldtype.Of(fieldtype.Name(f.Type)); t != nil {
			out.Example[f.Name] = exampleOf(t, f)
		}
		used := out.unknown(f, components.Data)
		out.Fields, out.Components = append(out.Fields, next), append(out.Components, used...)
		if size(out) > maxAnswer-100 {
			out.Fields, out.Components = out.Fields[:len(out.Fields)-1], out.Components[:len(out.Components)-len(used)]
			delete(out.Example, f.Name)
			if len(out.Fields) == 0 {
				return described{}, tooLong(size(next)+size(used), "the field "+f.Name+" is longer")
			}
			out.Cursor = strconv.Itoa(from + len(out.Fields))
			break
		}
	}
	out.Count = len(out.Fields)
	return out, nil
}

// ruled returns a field with its form and the rules of its definition; nil: there is none any more.
func ruled(f wire.PublicField, definition *core.Field) fieldShown {
	shown := fieldShown{PublicField: f}
	if t := fieldtype.Of(fieldtype.Name(f.Type)); t != nil {
		shown.Form = t.Form
		if t.Name == richTextType {
			shown.Form += ", or of Markdown with richText: markdown"
		}
		if f.Multiple {
			shown.Form = "a list, each " + shown.Form
		}
	}
	if definition != nil {
		shown.Unique, shown.Min, shown.Max, shown.Pattern = definition.Unique, definition.Min, definition.Max, definition.Pattern
	}
	return shown
}

// unknown returns the components of the items of a field that d does not have yet.
func (d *described) unknown(f wire.PublicField, all []wire.PublicComponent) (components []wire.PublicComponent) {
	for _, component := range all {
		named := component.Slug == f.Component || slices.Contains(f.Components, component.Slug)
		known := slices.ContainsFunc(d.Components, func(c wire.PublicComponent) bool { return c.Slug == component.Slug })
		if named && !known {
			components = append(components, component)
		}
	}
	return components
}

// exampleOf returns an example of the value of a field.
func exampleOf(t *fieldtype.Type, f wire.PublicField) json.RawMessage {
	example := json.RawMessage(t.Example)
	if len(f.Choices) > 0 {
		if choice, err := json.Marshal(f.Choices[0]); err == nil {
			example = choice
		}
	}
	if len(example) == 0 {
		example = json.RawMessage("null")
	}
	if f.Multiple {
		example = slices.Concat([]byte("["), example, []byte("]"))
	}
	return example
}

type searchInput struct {
	Project     int64    `json:"project,omitempty" jsonschema:"id of the project; may be left out if there is only one"`
	Query       string   `json:"query" jsonschema:"words that an entry must have; words in quotation marks are a phrase"`
	Collections []string `json:"collections,omitempty" jsonschema:"slugs of the collections to search; all by default"`
	Locale      string   `json:"locale,omitempty" jsonschema:"language of the entries; the default language of the project by default, * for all"`
	Cursor      string   `json:"cursor,omitempty" jsonschema:"cursor of the answer before"`
}

func (c *call) search(in searchInput) (list, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return list{}, err
	}
	query := url.Values{"q": {in.Query}, "limit": {"50"}}
	if len(in.Collections) > 0 {
		query.Set("collections", strings.Join(in.Collections, ","))
	}
	if in.Locale != "" {
		query.Set("locale", in.Locale)
	}
	var found wire.Data[wire.FoundPublic]
	if err := c.read(public(p, "search"), query, &found); err != nil {
		return list{}, err
	}
	return window(found.Data, in.Cursor)
}

type entriesInput struct {
	place
	richTextInput

	Where  map[string]json.RawMessage `json:"where,omitempty" jsonschema:"conditions that must all hold, by field: a value, or an object of values by operator: like, not, in, not_in, lt, lte, gt, gte, between, not_between, null, not_null"`
	Sort   string                     `json:"sort,omitempty" jsonschema:"field, field:asc or field:desc, up to three joined by commas"`
	Fields []string                   `json:"fields,omitempty" jsonschema:"fields that each entry shows; all by default"`
	Locale string                     `json:"locale,omitempty" jsonschema:"language of the entries, with its fallbacks; * for all languages"`
	Drafts bool                       `json:"drafts,omitempty" jsonschema:"whether to read the drafts of all entries instead of what is public"`
	Limit  int                        `json:"limit,omitempty" jsonschema:"largest number of entries, 1 to 100; 20 by default"`
	Cursor string                     `json:"cursor,omitempty" jsonschema:"cursor of the answer before; the other arguments must be the same"`
}

const (
	defaultEntries = 20
	mostEntries    = 100
)

func (c *call) readEntries(in entriesInput) (list, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return list{}, err
	}
	if in.Limit == 0 {
		in.Limit = defaultEntries
	}
	if in.Limit < 1 || in.Limit > mostEntries {
		return list{}, badArgument("limit", "must be from 1 to 100")
	}
	texts, err := c.converter(in.place, in.richTextInput)
	if err != nil {
		return list{}, err
	}
	query := in.query()
	for limit := in.Limit; ; {
		query.Set("limit", strconv.Itoa(limit))
		var page wire.CursorPage[json.RawMessage]
		if err := c.read(public(p, "collections", in.Collection, "entries"), query, &page); err != nil {
			return list{}, err
		}
		base := 200 + len(page.Meta.Next)
		total := base
		for i := 0; i < len(page.Data) && total <= maxAnswer; i++ {
			page.Data[i] = texts.showEntry(page.Data[i])
			total += size(page.Data[i]) + 1
		}
		n := fitting(page.Data, base)
		if n == len(page.Data) {
			out := list{Items: []any{}, Count: n, Cursor: page.Meta.Next}
			if page.Meta.Total != nil {
				out.Total = new(int(*page.Meta.Total))
			}
			for _, entry := range page.Data {
				out.Items = append(out.Items, entry)
			}
			return out, nil
		}
		if n == 0 {
			return list{}, tooLong(size(page.Data[0]), "name the fields to read in fields, or read a long text by read_entry with field and from")
		}
		limit = n
	}
}

// query returns the parameters of the list of entries.
func (in *entriesInput) query() url.Values {
	query := url.Values{"count": {"true"}, "depth": {"0"}}
	for field, raw := range in.Where {
		var operators map[string]json.RawMessage
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Unmarshal(raw, &operators) == nil {
			for operator, value := range operators {
				addCondition(query, "where["+field+"]["+operator+"]", value)
			}
			continue
		}
		addCondition(query, "where["+field+"]", raw)
	}
	for name, value := range map[string]string{"sort": in.Sort, "locale": in.Locale, "fields": strings.Join(in.Fields, ","), "after": in.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if in.Drafts {
		query.Set("state", "with_draft")
	}
	return query
}

// addCondition adds a value, or the values of a list.
func addCondition(query url.Values, name string, raw json.RawMessage) {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		for _, value := range values {
			query.Add(name+"[]", plain(value))
		}
		return
	}
	query.Set(name, plain(raw))
}

// plain returns a JSON value as in a query string.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(raw))
}

type entryInput struct {
	place
	richTextInput

	ID      int64    `json:"id" jsonschema:"id of the entry"`
	Version string   `json:"version,omitempty" jsonschema:"published (default) or draft"`
	Locale  string   `json:"locale,omitempty" jsonschema:"of the published version: the translation in this language instead"`
	Fields  []string `json:"fields,omitempty" jsonschema:"fields to show; all by default"`
	Field   string   `json:"field,omitempty" jsonschema:"with from: only the text of this field"`
	From    int      `json:"from,omitempty" jsonschema:"with field: the character from which on to read, from 0"`
}

// entryShown is one version of an entry, or a part of one of its texts.
type entryShown struct {
	ID int64 `json:"id"`
	// Version is that of the draft, for update_draft.
	Version string                     `json:"version,omitempty"`
	Locale  string                     `json:"locale"`
	State   string                     `json:"state,omitempty" jsonschema:"of the draft: draft or published"`
	Changed bool                       `json:"hasUnpublishedChanges,omitempty"`
	Fields  map[string]json.RawMessage `json:"fields"`
	Faults  []wire.DraftFault          `json:"faults,omitempty" jsonschema:"of the draft: what prevents its publication"`
	Count   int                        `json:"count" jsonschema:"number of fields in the answer"`
	Total   int                        `json:"total" jsonschema:"number of fields of the entry"`
	Part    *part                      `json:"part,omitempty"`
}

// part is a part of a text, in characters.
type part struct {
	Field string `json:"field"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Of    int    `json:"of"`
	Text  string `json:"text"`
}

// partLength is the number of characters of a part.
const partLength = 2500

func (c *call) readEntry(in entryInput) (entryShown, error) {
	var whole entryShown
	texts, err := c.converter(in.place, in.richTextInput)
	if err != nil {
		return entryShown{}, err
	}
	switch in.Version {
	case "", "published":
		whole, err = c.published(in.place, in.ID, in.Locale)
	case "draft":
		whole, err = c.draft(in.place, in.ID)
	default:
		err = badArgument("version", "must be published or draft")
	}
	if err != nil {
		return entryShown{}, err
	}
	whole.Total = len(whole.Fields)
	if in.Field != "" {
		whole.Fields[in.Field] = texts.shown(in.Field, whole.Fields[in.Field])
		return whole.partOf(in.Field, in.From)
	}
	if len(in.Fields) > 0 {
		chosen := map[string]json.RawMessage{}
		for _, name := range in.Fields {
			value, known := whole.Fields[name]
			if !known {
				return entryShown{}, badArgument("fields", "has "+strconv.Quote(name)+", which is no field of the entry")
			}
			chosen[name] = value
		}
		whole.Fields = chosen
	}
	texts.showAll(whole.Fields)
	whole.Count = len(whole.Fields)
	if n := size(whole); n > maxAnswer {
		return entryShown{}, tooLong(n, "name some of its fields in fields, or read a long text with field and from. "+whole.lengths())
	}
	return whole, nil
}

// lengths says how long the fields of the entry are.
func (e *entryShown) lengths() string {
	var all []string
	for name, value := range e.Fields {
		all = append(all, name+" "+strconv.Itoa(len(value)))
	}
	slices.Sort(all)
	return "The fields have these lengths in bytes: " + strings.Join(all[:min(len(all), 100)], ", ")
}

// partOf returns the part of a text that begins at a character.
func (e *entryShown) partOf(field string, from int) (entryShown, error) {
	var text string
	value, known := e.Fields[field]
	if !known || json.Unmarshal(value, &text) != nil {
		return entryShown{}, badArgument("field", "is no field of the entry with a text")
	}
	runes := []rune(text)
	if from < 0 || from > len(runes) {
		return entryShown{}, badArgument("from", "must be from 0 to "+strconv.Itoa(len(runes)))
	}
	to := min(from+partLength, len(runes))
	shown := entryShown{ID: e.ID, Version: e.Version, Locale: e.Locale, Fields: map[string]json.RawMessage{}, Total: e.Total}
	shown.Part = &part{Field: field, From: from, To: to, Of: utf8.RuneCountInString(text), Text: string(runes[from:to])}
	return shown, nil
}

// published reads the published version of an entry.
func (c *call) published(at place, id int64, locale string) (entryShown, error) {
	p, err := c.project(at.Project)
	if err != nil {
		return entryShown{}, err
	}
	query := url.Values{"depth": {"0"}}
	if locale != "" {
		query.Set("locale", locale)
	}
	var fields map[string]json.RawMessage
	if err := c.read(public(p, "collections", at.Collection, "entries", strconv.FormatInt(id, 10)), query, &fields); err != nil {
		return entryShown{}, err
	}
	return entryOf(fields)
}

// entryOf returns an entry of the content API, whose fields are beside its id.
func entryOf(fields map[string]json.RawMessage) (e entryShown, err error) {
	if err = json.Unmarshal(fields["id"], &e.ID); err == nil {
		err = json.Unmarshal(fields["locale"], &e.Locale)
	}
	delete(fields, "id")
	delete(fields, "locale")
	delete(fields, "publishedAt")
	e.Fields = fields
	return e, err
}

// managedEntry is a wire.ManagedEntry with its fields as raw JSON.
type managedEntry struct {
	ID      int64                      `json:"id"`
	Locale  string                     `json:"locale"`
	State   string                     `json:"state"`
	Changed bool                       `json:"hasUnpublishedChanges"`
	Fields  map[string]json.RawMessage `json:"fields"`
	Faults  []wire.DraftFault          `json:"faults"`
	Cleaned []wire.Cleaned             `json:"cleaned"`
}

// draft reads the draft of an entry.
func (c *call) draft(at place, id int64) (entryShown, error) {
	path, err := c.content(at, id)
	if err != nil {
		return entryShown{}, err
	}
	got, err := c.do(request{method: http.MethodGet, path: path})
	if err != nil {
		return entryShown{}, err
	}
	e, err := decodeManaged(got)
	return entryShown{ID: e.ID, Version: versionOf(got), Locale: e.Locale, State: e.State, Changed: e.Changed, Fields: e.Fields, Faults: e.Faults}, err
}

func decodeManaged(a *answer) (e managedEntry, err error) {
	err = json.Unmarshal(a.body, &e)
	return e, err
}

// versionOf returns the version of an entry, which is the ETag without its quotes.
func versionOf(a *answer) string {
	return strings.Trim(a.header.Get("ETag"), `"`)
}

type compareInput struct {
	place
	richTextInput

	ID     int64  `json:"id" jsonschema:"id of the entry"`
	Cursor string `json:"cursor,omitempty" jsonschema:"cursor of the answer before"`
}

// difference is a field in which the draft differs.
type difference struct {
	Field     string          `json:"field"`
	Published json.RawMessage `json:"published"`
	Draft     json.RawMessage `json:"draft"`
}

// compare reads both versions in the shape of the content API.
func (c *call) compare(in compareInput) (list, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return list{}, err
	}
	texts, err := c.converter(in.place, in.richTextInput)
	if err != nil {
		return list{}, err
	}
	query := url.Values{"depth": {"0"}, "state": {"with_draft"}, "where[id]": {strconv.FormatInt(in.ID, 10)}, "locale": {"*"}}
	var drafts wire.CursorPage[map[string]json.RawMessage]
	if err := c.read(public(p, "collections", in.Collection, "entries"), query, &drafts); err != nil {
		return list{}, err
	}
	if len(drafts.Data) == 0 {
		return list{}, &fault{Status: http.StatusNotFound, Code: "not_found", Detail: "no such entry"}
	}
	draft, err := entryOf(drafts.Data[0])
	if err != nil {
		return list{}, err
	}
	public, err := c.published(in.place, in.ID, "")
	if f, refused := errors.AsType[*fault](err); refused && f.Status == http.StatusNotFound {
		err = nil // all of the draft is new
	}
	if err != nil {
		return list{}, err
	}
	var found []difference
	null := json.RawMessage("null")
	for name, value := range draft.Fields {
		before, known := public.Fields[name]
		if !known {
			before = null
		}
		if !bytes.Equal(value, before) {
			found = append(found, difference{name, texts.shown(name, before), texts.shown(name, value)})
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return strings.Compare(a.Field, b.Field) })
	return window(found, in.Cursor)
}

type mediaInput struct {
	Project int64  `json:"project,omitempty" jsonschema:"id of the project; may be left out if there is only one"`
	Search  string `json:"search,omitempty" jsonschema:"part of the caption, the file name or a tag"`
	Type    string `json:"type,omitempty" jsonschema:"image, video, audio or document"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"cursor of the answer before; the other arguments must be the same"`
}

// mediaPage is the number of media items of an answer.
const mediaPage = 20

func (c *call) listMedia(in mediaInput) (list, error) {
	p, err := c.project(in.Project)
	if err != nil {
		return list{}, err
	}
	query := url.Values{"perPage": {strconv.Itoa(mediaPage)}, "page": {"1"}}
	for name, value := range map[string]string{"search": in.Search, "type": in.Type, "page": in.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var page struct {
		Data []mediaShown `json:"data"`
		Meta struct {
			Page    int  `json:"page"`
			Total   int  `json:"total"`
			HasMore bool `json:"hasMore"`
		} `json:"meta"`
	}
	if err := c.read(public(p, "media"), query, &page); err != nil {
		return list{}, err
	}
	out := list{Items: []any{}, Count: len(page.Data), Total: &page.Meta.Total}
	for _, item := range page.Data {
		out.Items = append(out.Items, item)
	}
	if page.Meta.HasMore {
		out.Cursor = strconv.Itoa(page.Meta.Page + 1)
	}
	return out, nil
}

// mediaShown is what an assistant needs to know of a media item.
type mediaShown struct {
	ID       int64    `json:"id"`
	FileName string   `json:"fileName"`
	FullURL  string   `json:"fullUrl"`
	Caption  *string  `json:"caption"`
	Alt      *string  `json:"alt,omitempty"`
	Tags     []string `json:"tags"`
	MimeType string   `json:"mimeType"`
	Width    *int     `json:"width"`
	Height   *int     `json:"height"`
}
