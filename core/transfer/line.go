package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// maxLine is how long a line is at most, in bytes: as much as the body of a write.
const maxLine = 4 << 20

var errLongLine = errors.New("line too long")

// lineReader reads lines of bounded length.
type lineReader struct {
	in     *bufio.Reader
	number int64 // of the line read last
	bytes  int64 // read so far
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next line without white space around it. errLongLine says that
// there was one, longer than maxLine; io.EOF that there was none.
func (r *lineReader) next() ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		r.bytes += int64(len(part))
		if len(text)+len(part) > maxLine {
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
		if long {
			return nil, errLongLine
		}
		return bytes.TrimSpace(text), nil
	}
}

// line is one line of an import.
type line struct {
	number       int64
	key          json.RawMessage            // canonical; nil: none
	write        core.EntryWrite            // without fields
	fields       map[string]json.RawMessage // without what relations say
	relations    map[string]keys            // by field
	translations map[string]map[string]json.RawMessage
	units        []unit // the entries that it is about, its own first
}

// keys are the canonical keys of one relation.
type keys []json.RawMessage

// parse reads a line; unreadable is why it could not even be read.
func (r *importRun) parse(number int64, text []byte, unreadable error) (*line, *core.Error) {
	if unreadable != nil {
		return nil, core.BadRequest("line_too_long", "the line is longer than %d bytes", maxLine)
	}
	members, err := decodeMembers(text)
	if err != nil {
		return nil, core.BadRequest("malformed_line", "the line is not a JSON object without repeated members")
	}
	l := &line{number: number, relations: map[string]keys{}}
	var found core.Faults
	named := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target := l.member(name, &named)
		if target == nil {
			found.Add(core.Clip(name), nil, "no such member")
		} else if json.Unmarshal(members[name], target) != nil {
			found.Add(name, nil, "has the wrong type")
		}
	}
	if l.write.Published == nil {
		l.write.Published = r.opts.Publish
	}
	r.settleKey(l, &found)
	r.checkTranslations(l, &found)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		r.parseRelation(l, name, named[name], &found)
	}
	if len(found.List) > 0 {
		return nil, core.Invalid(found.List...)
	}
	return l, nil
}

// member returns where to decode the member of that name to, nil when a line has none.
func (l *line) member(name string, relations *map[string]json.RawMessage) any {
	switch name {
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
	case "fields":
		return &l.fields
	case "relations":
		return relations
	case "translations":
		return &l.translations
	default:
		return nil
	}
}

// settleKey makes the line's key and the value of the key field the same.
func (r *importRun) settleKey(l *line, found *core.Faults) {
	var value json.RawMessage
	var fault string
	if r.key != nil && l.fields[r.key.Name] != nil {
		value, fault = r.canonicalKey(r.key, l.fields[r.key.Name])
	}
	if l.key == nil {
		l.key = value
		return
	}
	key, message := r.canonicalKey(r.key, l.key)
	if message == "" && value != nil && string(value) != string(key) {
		message = "is not the value of " + r.key.Name
	}
	if message != "" {
		found.Add("key", l.key, message)
		return
	}
	l.key = key
	// A value that is not valid stays, and is told when the fields are checked.
	if r.key != nil && key != nil && fault == "" {
		l.fields = with(l.fields, r.key.Name, key)
	}
}

// checkTranslations refuses a second entry in one locale, which would overwrite the
// first. A line without a locale has the default locale from before the run, so that a
// change of the default does not divide the file.
func (r *importRun) checkTranslations(l *line, found *core.Faults) {
	if l.write.Locale == nil {
		l.write.Locale = &r.project.DefaultLocale
	}
	taken := map[string]bool{strings.ToLower(*l.write.Locale): true}
	for _, locale := range slices.Sorted(maps.Keys(l.translations)) {
		if taken[strings.ToLower(locale)] {
			found.Add("translations."+core.Clip(locale), nil, "is the locale of another entry of the line")
		}
		taken[strings.ToLower(locale)] = true
	}
}

// canonicalKey returns the canonical form of a key that is a value of f or, when f
// is nil, any text or number. A null is no key.
func (r *importRun) canonicalKey(f *core.Field, raw json.RawMessage) (key json.RawMessage, fault string) {
	if f != nil {
		return r.writer.Value(f, raw)
	}
	if key, fault = r.writer.Value(&core.Field{Type: core.TypeNumber}, raw); fault == "" {
		return key, ""
	}
	return r.writer.Value(&core.Field{Type: core.TypeText}, raw)
}

// parseRelation reads the keys that a relation of the line names.
func (r *importRun) parseRelation(l *line, name string, raw json.RawMessage, found *core.Faults) {
	location := "relations." + core.Clip(name)
	f := r.schema.Collection.Field(name)
	switch {
	case f == nil || f.Type != core.TypeRelation:
		found.Add(location, nil, "no such relation")
		return
	case l.fields[name] != nil:
		found.Add(location, nil, "is among the fields, too")
		return
	}
	list := keys{raw}
	if f.Multiple && json.Unmarshal(raw, &list) != nil {
		found.Add(location, nil, "must be a list of keys")
		return
	}
	target := r.targetKey(f)
	if target == nil && f.Collection != r.schema.Collection.Slug {
		found.Add(location, nil, f.Collection+" has no unique field to find entries by")
		return
	}
	l.relations[name] = keys{}
	for _, element := range list {
		key, message := r.canonicalKey(target, element)
		if message != "" {
			found.Add(location, shown(element), message)
		} else if key != nil {
			l.relations[name] = append(l.relations[name], key)
		}
	}
}

// targetKey returns the field that keys in relation f are values of, or nil.
func (r *importRun) targetKey(f *core.Field) *core.Field {
	if f.Collection == r.schema.Collection.Slug {
		return r.key
	}
	target := r.schema.Target(f)
	if target == nil {
		return nil
	}
	key, _ := keyField(target, "")
	return key
}

// decodeMembers returns the members of a JSON object, which jcs has looked over for
// repeated names and broken text.
func decodeMembers(text []byte) (map[string]json.RawMessage, error) {
	if _, err := jcs.Transform(text); err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if members == nil {
		return nil, errors.New("null is no object")
	}
	return members, nil
}

// with returns fields with one more.
func with(fields map[string]json.RawMessage, name string, value json.RawMessage) map[string]json.RawMessage {
	more := maps.Clone(fields)
	if more == nil {
		more = map[string]json.RawMessage{}
	}
	more[name] = value
	return more
}

// maxShown is how many bytes of a value a fault repeats at most.
const maxShown = 200

// shown returns raw for a fault to repeat, unless it is long or cannot be decoded.
func shown(raw json.RawMessage) any {
	var decoded any
	if len(raw) > maxShown || json.Unmarshal(raw, &decoded) != nil {
		return nil
	}
	return raw
}

// idsIn returns the ids in the stored value of a reference field.
func idsIn(raw json.RawMessage) []int64 {
	var ids []int64
	canonical.Elements(raw, func(element []byte) {
		id, _ := strconv.ParseInt(string(element), 10, 64) // a stored reference is digits
		ids = append(ids, id)
	})
	return ids
}

func formatID(id int64) json.RawMessage { return strconv.AppendInt(nil, id, 10) }

// formatIDs returns the value of relation f that names ids.
func formatIDs(f *core.Field, ids []int64) json.RawMessage {
	switch {
	case !f.Multiple && len(ids) == 0:
		return json.RawMessage("null")
	case !f.Multiple:
		return formatID(ids[0])
	}
	list := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return append(list, ']')
}
