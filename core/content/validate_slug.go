package content

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// maxSlug is the largest length of a generated slug.
const maxSlug = 100

// makeSlugs generates the missing slugs of doc from their sources, and returns the names of the
// fields that it set.
func (k *work) makeSlugs(ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, found *core.Faults) ([]string, error) {
	var made []string
	for _, f := range k.schema.Collection.Fields {
		if f.Type != core.TypeSlug || f.Source == "" || !missing(doc[f.Name]) || hasFault(found, f.Name) || hasFault(found, f.Source) {
			continue
		}
		base := slugOf(unquote(doc[f.Source]))
		if base == "" {
			continue // no source text; checkOptions reports a missing required slug
		}
		slug, err := k.freeSlug(ctx, e, f, base)
		if err != nil {
			return nil, err
		}
		doc[f.Name] = canonical.Quote(slug)
		made = append(made, f.Name)
	}
	return made, nil
}

// freeSlug returns base, or base with a free number whose predecessor is taken. It doubles the number
// until it finds a free one and then bisects, so that the thousandth entry of one title does not
// need a thousand reads.
func (k *work) freeSlug(ctx context.Context, e *core.Entry, f *core.Field, base string) (string, error) {
	if !f.Unique {
		return numbered(f, base, 1), nil
	}
	taken, free := 0, 0 // a number that is taken and one that is free; 0: none known
	for n := 1; free-taken != 1; {
		holders, err := k.taken(ctx, e, []core.UniqueValue{{Field: f.Name, Value: core.Value{Text: numbered(f, base, n)}}})
		switch {
		case err != nil:
			return "", err
		case len(holders) > 0:
			taken = n
		default:
			free = n
		}
		if n = taken * 2; free != 0 {
			n = (taken + free) / 2
		}
	}
	return numbered(f, base, free), nil
}

// numbered returns the nth slug made from base, cut to the maximum length of f.
func numbered(f *core.Field, base string, n int) string {
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	room := maxSlug
	if f.Max != nil {
		room = min(room, int(*f.Max))
	}
	room = max(room-len(suffix), 1)
	if len(base) > room {
		base = strings.TrimRight(base[:room], "-")
	}
	return base + suffix
}

// slugOf converts text to a-z, 0-9 and hyphens: it removes accents, transliterates a few letters,
// and replaces everything else by hyphens between words.
func slugOf(text string) string {
	var slug strings.Builder
	apart := false
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		letters := string(r)
		if spelt, ok := spelling[r]; ok {
			letters = spelt
		} else if unicode.Is(unicode.Mn, r) {
			continue
		} else if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			apart = true
			continue
		}
		if apart && letters != "" && slug.Len() > 0 {
			slug.WriteByte('-')
		}
		apart = apart && letters == ""
		slug.WriteString(letters)
	}
	return slug.String()
}

// spelling has the letters that do not decompose into a plain letter and an accent, and the marks
// that do not separate words.
var spelling = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h",
	'\'': "", '’': "",
}
