package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// MaxLine is the maximum length of a line in bytes, as for the body of a write.
const MaxLine = 4 << 20

var (
	errLongLine = errors.New("line too long")
	errReturns  = errors.New("line with carriage returns too long")
)

// endWithReturns is the message for a line that is several lines with other ends.
const endWithReturns = "the lines end with CR (U+000D): convert them to LF"

// lineReader reads lines of bounded length.
type lineReader struct {
	in     *bufio.Reader
	number int64 // of the line read last
	bytes  int64 // read so far, a byte order mark included
	begun  bool
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// begin skips a byte order mark of UTF-8. It returns a core.Error for a file in UTF-16 or UTF-32.
func (r *lineReader) begin() error {
	r.begun = true
	first, _ := r.in.Peek(4) // an error comes again from next
	if bytes.HasPrefix(first, []byte(mark)) {
		skipped, err := r.in.Discard(len(mark))
		r.bytes += int64(skipped)
		return err
	}
	if encoding := encodingOf(first); encoding != "" {
		return core.BadRequest("not_utf8", "the file is in %s: convert it to UTF-8", encoding)
	}
	return nil
}

// mark is a byte order mark.
const mark = "\uFEFF"

// encodingOf returns the encoding of a file that begins with first, up to four bytes, if it is
// UTF-16 or UTF-32, with or without a byte order mark. Otherwise it returns "".
func encodingOf(first []byte) string {
	text := string(first)
	switch {
	case text == "\xff\xfe\x00\x00", text == "\x00\x00\xfe\xff",
		len(text) == 4 && (text[:3] == "\x00\x00\x00" || text[1:] == "\x00\x00\x00"):
		return "UTF-32"
	case len(text) >= 2 && (text[:2] == "\xff\xfe" || text[:2] == "\xfe\xff" || text[0] == 0 || text[1] == 0):
		return "UTF-16"
	}
	return ""
}

// next returns the next line without surrounding white space. It returns errLongLine for a line
// longer than MaxLine, errReturns if the lines in it end with carriage returns, and io.EOF after the last line.
func (r *lineReader) next() ([]byte, error) {
	if !r.begun {
		if err := r.begin(); err != nil {
			return nil, err
		}
	}
	var text []byte
	long, returns := false, false // returns: a carriage return is within the line
	for {
		part, err := r.in.ReadSlice('\n')
		r.bytes += int64(len(part))
		if i := bytes.IndexByte(part, '\r'); i >= 0 && i+1 < len(part) && part[i+1] != '\n' {
			returns = true
		}
		if len(text)+len(part) > MaxLine {
			long = true
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(text) == 0 && !long:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		r.number++
		if long && returns {
			return nil, errReturns
		}
		if long {
			return nil, errLongLine
		}
		return bytes.TrimSpace(text), nil
	}
}

// line is one line of an import.
type line struct {
	number       int64
	text         []byte            // as it was read
	group        string            // reference of the translation group; empty: none
	key          json.RawMessage   // canonical; nil: none
	badKey       json.RawMessage   // a key that is not valid, for errors
	keys         []json.RawMessage // canonical keys of the entries of the line, its own first; nil: none
	alone        bool              // translations do not start from the line's own fields
	write        core.EntryWrite   // without fields
	draft        version
	public       *version // the published version; nil: the draft
	translations map[string]map[string]json.RawMessage
	locales      []string          // of translations, sorted
	units        []unit            // the entries of the line, its own first
	faults       []core.FieldError // of its members, which the checks of its values do not find
	nameless     bool              // one of faults is in what identifies its entries
}

// version is one version of an entry on a line.
type version struct {
	fields    map[string]json.RawMessage // without the values of relations and media
	relations map[string][]target        // by field
	media     map[string][]file          // by field
	links     textLinks
}

// target is what a relation or a link of a line points to: a translation group of the collection of that
// slug, a key of it, or both.
type target struct {
	collection string
	group      string
	key        json.RawMessage // canonical; nil: none
	index      int             // in the list of the field
}

// file is what a media field of a line points to.
type file struct {
	Hash     string `json:"hash"`
	FileName string `json:"fileName,omitempty"`
	index    int    // in the list of the field
}

// formOf returns the fault of a value that target, a result of line.member, cannot hold.
func formOf(target any) string {
	switch target.(type) {
	case *string, **string:
		return "must be a string"
	case *bool, **bool:
		return "must be true or false"
	case *int64, **int64:
		return "must be a whole number"
	case *time.Time, **time.Time:
		return `must be a time such as "2020-01-31T09:00:00Z"`
	case *map[string]json.RawMessage, *map[string]map[string]json.RawMessage:
		return "must be an object"
	}
	return "has the wrong type"
}

// member returns the destination for the member of that name, or nil for an unknown name.
func (f *file) member(name string) any {
	return map[string]any{"hash": &f.Hash, "fileName": &f.FileName}[name]
}

// rawVersion is a version before its fields are checked.
type rawVersion struct {
	fields, relations, media, links map[string]json.RawMessage
}

// member returns the destination for the member of that name, or nil for an unknown name.
func (v *rawVersion) member(name string) any {
	switch name {
	case "fields":
		return &v.fields
	case "relations":
		return &v.relations
	case "media":
		return &v.media
	case "links":
		return &v.links
	default:
		return nil
	}
}

// maxReference is the longest reference in bytes: of a translation group, or the hash of a file.
const maxReference = 200

// isReference reports whether a store can look up text as a reference.
func isReference(text string) bool {
	return text != "" && len(text) <= maxReference && !strings.ContainsRune(text, 0)
}

// parse parses a line. unreadable is the error from reading it, or nil. It returns a fault if the line has
// no members. A line with faults has its group and keys as far as they are valid.
func (r *importRun) parse(number int64, text []byte, unreadable error) (*line, *core.Error) {
	l := &line{number: number, text: text, write: core.EntryWrite{AllowIncomplete: r.opts.AllowIncomplete}}
	if errors.Is(unreadable, errReturns) {
		return l, core.BadRequest("malformed_line", endWithReturns)
	}
	if unreadable != nil {
		return l, core.BadRequest("line_too_long", "the line is longer than %d bytes", MaxLine)
	}
	members, fault := decodeMembers(text)
	if fault != nil {
		return l, fault
	}
	var found core.Faults
	var draft rawVersion
	var public map[string]json.RawMessage
	var publishedAt, createdAt *time.Time
	inherit := true
	decode(members, "", &found, func(name string) any {
		switch name {
		case "publishedVersion":
			return &public
		case "publishedAt":
			return &publishedAt
		case "createdAt":
			return &createdAt
		case "inherit":
			return &inherit
		}
		if to := draft.member(name); to != nil {
			return to
		}
		return l.member(name)
	})
	if l.write.Published == nil {
		l.write.Published = r.opts.Publish
	}
	if _, named := members["group"]; named && !found.Has("group") && !isReference(l.group) {
		found.Add("group", core.Clip(l.group), "must have 1 to 200 bytes, without U+0000")
		l.group = ""
	}
	l.alone = !inherit
	l.draft.fields = draft.fields
	r.settleKey(l, &found)
	r.checkTranslations(l, &found)
	r.settleKeys(l)
	r.parseReferences(&l.draft, draft, "", &found)
	r.parsePublished(l, public, publishedAt, &found)
	if createdAt != nil && !found.Has("createdAt") {
		if l.write.CreatedAt = *createdAt; createdAt.IsZero() { // the zero time means none
			found.Add("createdAt", core.FormatTime(*createdAt), "must be later than "+core.FormatTime(*createdAt))
		}
	}
	l.faults = found.List
	l.nameless = slices.ContainsFunc(identifying, found.HasMember)
	return l, nil
}

// identifying are the members that say which entries a line writes.
var identifying = []string{"group", "key", "locale", "translationOf", "translations"}

// decode decodes canonical members to the destinations that to returns, and adds faults to found.
func decode(members map[string]json.RawMessage, prefix string, found *core.Faults, to func(name string) any) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target, raw := to(name), members[name]
		object, isObject := target.(*map[string]json.RawMessage)
		switch {
		case target == nil:
			found.Add(prefix+core.Clip(name), core.Shown(raw), "no such member")
		case string(raw) == "null" && name != "key" && name != "unpublishAt": // null is no key, or no end
			found.Add(prefix+name, nil, "must not be null")
		case isObject && raw[0] == '{':
			*object = membersOf(raw)
		case json.Unmarshal(raw, target) != nil:
			found.Add(prefix+name, core.Shown(raw), formOf(target))
		}
	}
}

// member returns the destination for the member of that name, or nil for an unknown name.
func (l *line) member(name string) any {
	switch name {
	case "group":
		return &l.group
	case "key":
		return &l.key
	case "locale":
		return &l.write.Locale
	case "translationOf":
		return &l.write.TranslationOf
	case "published":
		return &l.write.Published
	case "publishAt":
		return &l.write.PublishAt
	case "unpublishAt":
		l.write.UnpublishAt.Given = true
		return &l.write.UnpublishAt.Value
	case "translations":
		return &l.translations
	default:
		return nil
	}
}

// publishedVersion is the prefix of the locations of the published version's faults.
const publishedVersion = "publishedVersion."

// parsePublished parses the published version of a line, and checks publishedAt.
func (r *importRun) parsePublished(l *line, members map[string]json.RawMessage, at *time.Time, found *core.Faults) {
	public := l.write.Published != nil && *l.write.Published || found.Has("published")
	if at != nil && !found.Has("publishedAt") {
		l.write.PublishedAt = *at
		if !public {
			found.Add("publishedAt", core.FormatTime(*at), `goes with "published": true`)
		} else if at.IsZero() { // the zero time means now
			found.Add("publishedAt", core.FormatTime(*at), "must be later than "+core.FormatTime(*at))
		}
	}
	if members == nil {
		return
	}
	if !public {
		found.Add("publishedVersion", nil, `goes with "published": true`)
	}
	var raw rawVersion
	decode(members, publishedVersion, found, raw.member)
	l.public = &version{fields: raw.fields}
	r.parseReferences(l.public, raw, publishedVersion, found)
}

// settleKey derives the line's key and the value of the key field from each other. They must
// agree.
func (r *importRun) settleKey(l *line, found *core.Faults) {
	var value json.RawMessage
	var fault string
	if r.key != nil && l.draft.fields[r.key.Name] != nil {
		value, fault = r.keyValue(r.key, l.draft.fields[r.key.Name])
	}
	if l.key == nil {
		l.key = value
		return
	}
	raw := l.key
	key, message := r.canonicalKey(r.schema.Collection, raw)
	l.key = key
	switch {
	case message != "":
		l.badKey = raw
		found.Add("key", core.Shown(raw), message)
	case value != nil && string(value) != string(key):
		found.Add("key", core.Shown(raw), "is not the value of "+r.key.Name)
	case key != nil && fault == "": // an invalid value stays; the check of the fields reports it
		l.draft.fields = merged(l.draft.fields)
		l.draft.fields[r.key.Name] = key
	}
}

// settleKeys sets l.keys.
func (r *importRun) settleKeys(l *line) {
	l.keys = append(l.keys, l.key)
	for _, locale := range l.locales {
		key := l.key
		if r.key != nil {
			if raw, named := l.translations[locale][r.key.Name]; named {
				key, _ = r.keyValue(r.key, raw) // the check of the fields reports an invalid value
			} else if l.alone {
				key = nil
			}
		}
		l.keys = append(l.keys, key)
	}
}

// checkTranslations refuses a second entry in one locale, which would overwrite the first. A line
// without a locale gets the default locale from before the run, so that a change of the default
// during the run does not affect it.
func (r *importRun) checkTranslations(l *line, found *core.Faults) {
	if l.write.Locale == nil {
		l.write.Locale = &r.project.DefaultLocale
	}
	taken := map[string]bool{strings.ToLower(*l.write.Locale): true}
	l.locales = slices.Sorted(maps.Keys(l.translations))
	for _, locale := range l.locales {
		if taken[strings.ToLower(locale)] {
			found.Add("translations."+core.Clip(locale), nil, "is the locale of another entry of the line")
		}
		taken[strings.ToLower(locale)] = true
	}
}

// canonicalKey returns the canonical form of a key of an entry of c. null and a blank value mean no key.
func (r *importRun) canonicalKey(c *core.Collection, raw json.RawMessage) (key json.RawMessage, fault string) {
	f := r.keyFieldOf(c)
	switch {
	case f != nil:
		return r.keyValue(f, raw)
	case string(raw) == "null":
		return nil, ""
	}
	fault = c.Slug + " has no unique field to find entries by"
	if i := slices.IndexFunc(c.Fields, func(f *core.Field) bool { return f.Unique }); i >= 0 {
		fault += ": " + c.Fields[i].Name + " is hidden"
	}
	return nil, fault
}

// keyValue returns the canonical form of a value of the key field f. null and a blank value are no key.
func (r *importRun) keyValue(f *core.Field, raw json.RawMessage) (key json.RawMessage, fault string) {
	if key, fault = r.writer.Value(f, raw); f.Missing(key) {
		return nil, fault
	}
	return key, fault
}

// shownKey returns the key of the line, for errors.
func (l *line) shownKey() json.RawMessage {
	if l.badKey != nil && core.Shown(l.badKey) != nil {
		return l.badKey
	}
	return l.key
}

// parseReferences parses the relations, media fields and links of a version.
func (r *importRun) parseReferences(v *version, raw rawVersion, prefix string, found *core.Faults) {
	v.relations, v.media = map[string][]target{}, map[string][]file{}
	v.links = r.parseLinks(raw.links, prefix, found)
	for _, name := range slices.Sorted(maps.Keys(raw.relations)) {
		f := r.schema.Collection.Field(name)
		location := prefix + "relations." + core.Clip(name)
		if f == nil || f.Type != core.TypeRelation {
			found.Add(location, core.Shown(raw.relations[name]), "no such relation")
		} else if list, ok := elements(f, v.fields, raw.relations[name], location, found); ok {
			v.relations[name] = r.parseTargets(f, list, location, found)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw.media)) {
		f := r.schema.Collection.Field(name)
		location := prefix + "media." + core.Clip(name)
		if f == nil || f.Type != core.TypeMedia {
			found.Add(location, core.Shown(raw.media[name]), "no such media field")
		} else if list, ok := elements(f, v.fields, raw.media[name], location, found); ok {
			v.media[name] = parseFiles(f, list, location, found)
		}
	}
}

// elements returns the references in raw, the value of f; none for null. ok is false after a
// fault.
func elements(
	f *core.Field, fields map[string]json.RawMessage, raw json.RawMessage, location string, found *core.Faults,
) (list []json.RawMessage, ok bool) {
	switch {
	case fields[f.Name] != nil:
		found.Add(location, nil, "is among the fields, too")
		return nil, false
	case string(raw) == "null":
		return nil, true
	case !f.Multiple:
		return []json.RawMessage{raw}, true
	case json.Unmarshal(raw, &list) != nil:
		found.Add(location, core.Shown(raw), "must be a list")
		return nil, false
	}
	for i, element := range list {
		if string(element) == "null" {
			found.Add(location+"["+strconv.Itoa(i)+"]", nil, "must not be null")
		}
	}
	return list, true
}

// parseTargets parses the targets of relation f: those of a relation to several collections name their
// collection.
func (r *importRun) parseTargets(f *core.Field, list []json.RawMessage, location string, found *core.Faults) []target {
	targets := []target{}
	for i, element := range list {
		if string(element) == "null" {
			continue // elements reports it
		}
		var t target
		var ok bool
		location := elementLocation(f, location, i)
		if f.ToSeveral() || namesCollection(element) {
			t, ok = r.parseNamed(f.TargetSlugs(), element, location, found)
		} else {
			t, ok = r.parseTarget(f.Collection, element, location, `must be a key or {"group": …, "key": …}`, found)
		}
		if t.index = i; ok {
			targets = append(targets, t)
		}
	}
	return targets
}

// namesCollection reports whether a target names its collection, which one of a relation to one collection
// need not do.
func namesCollection(element json.RawMessage) bool {
	return element[0] == '{' && membersOf(element)["collection"] != nil
}

// elementLocation returns the location of value i of f, whose value is at location.
func elementLocation(f *core.Field, location string, i int) string {
	if !f.Multiple {
		return location
	}
	return location + "[" + strconv.Itoa(i) + "]"
}

// parseNamed parses an object of the slug of a collection, and of a group or a key of it, or both. nil
// slugs: the collection can be any of the Project.
func (r *importRun) parseNamed(slugs []string, element json.RawMessage, location string, found *core.Faults) (target, bool) {
	rest := map[string]json.RawMessage{}
	if element[0] == '{' {
		rest = membersOf(element)
	}
	var slug string
	_ = json.Unmarshal(rest["collection"], &slug) // another type is no collection
	form := `must be {"collection": …, "group": …, "key": …} with a collection of the project`
	if slugs != nil {
		form = `must be {"collection": …, "group": …, "key": …} with one of the collections ` + strings.Join(slugs, ", ")
	}
	if slugs != nil && !slices.Contains(slugs, slug) || slugs == nil && r.schema.BySlug(slug) == nil {
		found.Add(location, core.Shown(element), form)
		return target{}, false
	}
	delete(rest, "collection")
	if len(rest) == 0 {
		found.Add(location, core.Shown(element), form)
		return target{}, false
	}
	element = json.RawMessage(core.NewDocument(rest))
	if key := rest["key"]; key != nil && len(rest) == 1 {
		element = key
	}
	return r.parseTarget(slug, element, location, form, found)
}

// parseTarget parses a target in the collection of that slug: a key, or an object of group and key. ok is
// false without either. form is the fault of other values.
func (r *importRun) parseTarget(slug string, element json.RawMessage, location, form string, found *core.Faults) (t target, ok bool) {
	t.collection = slug
	key := element
	if element[0] == '{' {
		key = nil
		decode(membersOf(element), location+".", found, func(name string) any {
			return map[string]any{"group": &t.group, "key": &key}[name]
		})
		if !isReference(t.group) {
			found.Add(location, core.Shown(element), form)
			return t, false
		}
	}
	if len(key) > 0 {
		var fault string
		if t.key, fault = r.targetKeyOf(slug, key); fault != "" {
			found.Add(location, core.Shown(key), fault)
		}
	}
	return t, t.group != "" || t.key != nil
}

// targetKeyOf returns the canonical form of a key of the collection of that slug.
func (r *importRun) targetKeyOf(slug string, raw json.RawMessage) (key json.RawMessage, fault string) {
	c := r.schema.BySlug(slug)
	if c == nil {
		return nil, slug + " does not exist"
	}
	return r.canonicalKey(c, raw)
}

func parseFiles(f *core.Field, list []json.RawMessage, location string, found *core.Faults) []file {
	files := []file{}
	for i, element := range list {
		if string(element) == "null" {
			continue // elements reports it
		}
		named := file{index: i}
		location := elementLocation(f, location, i)
		if element[0] == '{' {
			decode(membersOf(element), location+".", found, named.member)
		}
		if !isReference(named.Hash) {
			found.Add(location, core.Shown(element), `must be {"hash": …, "fileName": …}`)
			continue
		}
		files = append(files, named)
	}
	return files
}

// decodeMembers returns the members of a JSON object, each in the form of canonical.Arrange. It
// refuses repeated names and broken text, and says what is wrong.
func decodeMembers(text []byte) (map[string]json.RawMessage, *core.Error) {
	object, err := canonical.Arrange(text)
	if err == nil && object[0] == '{' {
		return membersOf(object), nil
	}
	message := "the line is not a JSON object"
	switch syntax, ok := errors.AsType[*canonical.SyntaxError](err); {
	case !utf8.Valid(text):
		message = "the line is not UTF-8"
	case ok && bytes.HasPrefix(text[min(syntax.Offset, len(text)):], []byte(mark)):
		message = fmt.Sprintf("the line has a byte order mark (byte %d), as in files that were joined: remove it", syntax.Offset+1)
	case ok && bytes.IndexByte(text, '\r') >= 0:
		message = endWithReturns
	case ok && syntax.Offset >= len(text):
		message = "the JSON object does not end on the line: the file is truncated, or an object spans several lines"
	case ok && syntax.Message == canonical.Duplicate:
		name, _ := json.NewDecoder(bytes.NewReader(text[syntax.Offset:])).Token() // a valid text
		message = fmt.Sprintf("the line has the member %q twice in one object", name)
	case ok:
		message += fmt.Sprintf(": %s (byte %d)", syntax.Message, syntax.Offset+1)
	case err != nil:
		message += ": " + err.Error()
	}
	return nil, core.BadRequest("malformed_line", "%s", message)
}

// membersOf returns the members of a canonical JSON object.
func membersOf(object []byte) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	core.Document(object).Each(func(name, value []byte) {
		key := string(name)
		if strings.Contains(key, `\`) {
			key, _ = canonical.Text([]byte(`"` + key + `"`))
		}
		members[key] = value
	})
	return members
}

// merged returns a new map of the members of all objects; later objects take precedence.
func merged(first map[string]json.RawMessage, others ...map[string]json.RawMessage) map[string]json.RawMessage {
	all := maps.Clone(first)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for _, object := range others {
		maps.Copy(all, object)
	}
	return all
}
