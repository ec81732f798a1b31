package writing

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/validation"
)

// maxSlug is the largest length of a generated slug.
const maxSlug = 100

// makeSlugs generates the validation.Missing slugs of doc from their sources, and returns the names of the
// fields that it set.
func (k *work) makeSlugs(ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, found *core.Faults) ([]string, error) {
	var made []string
	for _, f := range k.schema.Collection.Fields {
		if f.Type != core.TypeSlug || f.Source == "" || !validation.Missing(doc[f.Name]) || found.HasField(f.Name) || found.HasField(f.Source) {
			continue
		}
		base := slugOf(unquote(doc[f.Source]))
		if base == "" {
			continue // no source text; checkOptions reports a validation.Missing required slug
		}
		slug, err := k.freeSlug(ctx, e, f, base)
		if err != nil {
			return nil, err
		}
		if slug == "" {
			found.Add(core.FieldLocation(f.Source), k.schema.Collection.Field(f.Source).Shown(doc[f.Source]),
				"all slugs that it can give "+f.Name+" are taken: change it, or send a value for "+f.Name)
			continue
		}
		doc[f.Name] = canonical.Quote(slug)
		made = append(made, f.Name)
	}
	return made, nil
}

// freeSlug returns base, or base with a free number whose predecessor is taken. It doubles the number
// until it finds a free one and then bisects, so that the thousandth entry of one title does not
// need a thousand reads. The result is empty when no slug is free that fits f.
func (k *work) freeSlug(ctx context.Context, e *core.Entry, f *core.Field, base string) (string, error) {
	if !f.Unique {
		return numbered(f, base, 1), nil
	}
	most := mostSlugs(f)
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
		if taken == most {
			return k.slugGap(ctx, e, f, base, most)
		}
		if n = min(taken*2, most); free != 0 {
			n = (taken + free) / 2
		}
	}
	return numbered(f, base, free), nil
}

// slugGap returns the first of the slugs with the numbers from 1 to most that no other entry holds,
// or an empty text.
func (k *work) slugGap(ctx context.Context, e *core.Entry, f *core.Field, base string, most int) (string, error) {
	const together = 100
	for from := 1; from <= most; from += together {
		var values []core.UniqueValue
		for n := from; n < from+together && n <= most; n++ {
			values = append(values, core.UniqueValue{Field: f.Name, Value: core.Value{Text: numbered(f, base, n)}})
		}
		holders, err := k.stores.Entries.Holders(ctx, k.schema, []string{e.Locale}, values)
		if err != nil {
			return "", err
		}
		for _, v := range values {
			if !slices.ContainsFunc(holders, func(h core.Holder) bool { return h.Entry != e.ID && h.UniqueValue == v }) {
				return v.Value.Text, nil
			}
		}
	}
	return "", nil
}

// slugRoom returns the maximum length of a slug that is generated for f.
func slugRoom(f *core.Field) int {
	if f.Max == nil {
		return maxSlug
	}
	return min(maxSlug, int(*f.Max))
}

// mostSlugs returns how many slugs can be generated for f from one text: the numbers that leave
// room for a hyphen and at least one character of the text. It is at least 1.
func mostSlugs(f *core.Field) int {
	const maxDigits = 9 // enough for all entries of a collection
	numbers := 1
	for range min(slugRoom(f)-len("a-"), maxDigits) {
		numbers *= 10
	}
	return max(numbers-1, 1)
}

// numbered returns the nth slug made from base, cut to the maximum length of f. n is from 1 to
// mostSlugs(f).
func numbered(f *core.Field, base string, n int) string {
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	if room := slugRoom(f) - len(suffix); len(base) > room {
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
