package content

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
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
	key          json.RawMessage // canonical; nil: none
	write        Write           // without what relations say
	relations    map[string]keys // by field
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
	var found faults
	named := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target := l.member(name, &named)
		if target == nil {
			found.add(clip(name), nil, "no such member")
		} else if json.Unmarshal(members[name], target) != nil {
			found.add(name, nil, "has the wrong type")
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
	if len(found.list) > 0 {
		return nil, core.Invalid(found.list...)
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
		return &l.write.Fields
	case "relations":
		return relations
	case "translations":
		return &l.translations
	default:
		return nil
	}
}

// settleKey makes the line's key and the value of the key field the same.
func (r *importRun) settleKey(l *line, found *faults) {
	var value json.RawMessage
	var fault string
	if r.key != nil && l.write.Fields[r.key.Name] != nil {
		value, fault = canonicalKey(r.key, l.write.Fields[r.key.Name])
	}
	if l.key == nil {
		l.key = value
		return
	}
	key, message := canonicalKey(r.key, l.key)
	if message == "" && value != nil && string(value) != string(key) {
		message = "is not the value of " + r.key.Name
	}
	if message != "" {
		found.add("key", l.key, message)
		return
	}
	l.key = key
	// A value that is not valid stays, and is told when the fields are checked.
	if r.key != nil && key != nil && fault == "" {
		l.write.Fields = with(l.write.Fields, r.key.Name, key)
	}
}

// checkTranslations refuses a second entry in one locale, which would overwrite the
// first. A line without a locale has the default locale from before the run, so that a
// change of the default does not divide the file.
func (r *importRun) checkTranslations(l *line, found *faults) {
	if l.write.Locale == nil {
		l.write.Locale = &r.project.DefaultLocale
	}
	taken := map[string]bool{strings.ToLower(*l.write.Locale): true}
	for _, locale := range slices.Sorted(maps.Keys(l.translations)) {
		if taken[strings.ToLower(locale)] {
			found.add("translations."+clip(locale), nil, "is the locale of another entry of the line")
		}
		taken[strings.ToLower(locale)] = true
	}
}

// canonicalKey returns the canonical form of a key that is a value of f or, when f
// is nil, any text or number. A null is no key.
func canonicalKey(f *core.Field, raw json.RawMessage) (key json.RawMessage, message string) {
	if f == nil {
		f = &core.Field{Type: core.TypeText}
		if _, message := decodeNumber(raw); message == "" {
			f = &core.Field{Type: core.TypeNumber}
		}
	}
	var found faults
	key = canonicalField(f, raw, &found)
	if len(found.list) > 0 {
		return nil, found.list[0].Message
	}
	return key, ""
}

// parseRelation reads the keys that a relation of the line names.
func (r *importRun) parseRelation(l *line, name string, raw json.RawMessage, found *faults) {
	location := "relations." + clip(name)
	f := r.schema.Collection.Field(name)
	switch {
	case f == nil || f.Type != core.TypeRelation:
		found.add(location, nil, "no such relation")
		return
	case l.write.Fields[name] != nil:
		found.add(location, nil, "is among the fields, too")
		return
	}
	list := keys{raw}
	if f.Multiple && json.Unmarshal(raw, &list) != nil {
		found.add(location, nil, "must be a list of keys")
		return
	}
	target := r.targetKey(f)
	if target == nil && f.Collection != r.schema.Collection.Slug {
		found.add(location, nil, f.Collection+" has no unique field to find entries by")
		return
	}
	l.relations[name] = keys{}
	for _, element := range list {
		key, message := canonicalKey(target, element)
		if message != "" {
			found.add(location, shown(f, element), message)
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
