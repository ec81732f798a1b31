package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// muchToRead is the length in bytes of a text such that about twenty of them exceed what
// any engine scans instead of using a search index.
const muchToRead = 800 * 1000

func findsParts(t *testing.T, w *fixture) {
	held := []string{
		"100% sure", "100 percent", "snake_case", "snakeXcase", "back\\slash", "Straße", "STRASSE", "STRA\u1e9eE", "\u0130stanbul", "istanbul",
		"\u017fnow", "Σίσυφος", "ΣΊΣΥΦΟΣ", "e\u0301t\u00e9", "\ufb01sh", "FISH", "", strings.Repeat("x", 3000) + "needle", "a'b\"c", "日本語😀テキスト", "* ? [a-z]", "ᏣᎳᎩ", "ꮳꮃꭹ",
	}
	for _, f := range []*core.Field{
		{Name: "value", Type: core.TypeText, Slot: "t1", SlotReady: true},
		{Name: "value", Type: core.TypeText, Slot: "t1", SlotReady: true, Searchable: true},
		{Name: "value", Type: core.TypeLongText, Searchable: true},
		{Name: "value", Type: core.TypeText},
		{Name: "value", Type: core.TypeText, Multiple: true},
		{Name: "value", Type: core.TypeText, Multiple: true, Searchable: true},
	} {
		findsPartsOf(t, w, f, held, "")
		if f.Type == core.TypeLongText {
			findsPartsOf(t, w, f, held, strings.Repeat("~", muchToRead))
		}
	}
}

// findsPartsOf stores texts in a field, with a further text filler if not empty, and
// searches them directly and over a relation.
func findsPartsOf(t *testing.T, w *fixture, f *core.Field, held []string, filler string) {
	t.Helper()
	name := fmt.Sprintf("like-%s-%v-%v-%v-%d", f.Type, f.Slot, f.Searchable, f.Multiple, len(filler))
	coll := newTestCollection(t, w, name, f)
	pointers := newTestCollection(t, w, name+"-pointers", &core.Field{Name: "to", Type: core.TypeRelation, Collection: name})
	holding := func(v string) core.Entry {
		if f.Multiple {
			return publicOf("en", fields{"value": []string{"other", v, v + "."}})
		}
		return publicOf("en", fields{"value": v})
	}
	if filler != "" {
		coll.add(t, holding(filler))
	}
	var entries, pointing []int64
	for _, v := range held {
		e := coll.add(t, holding(v))
		entries = append(entries, e.ID)
		pointing = append(pointing, pointers.add(t, publicOf("en", fields{"to": e.Group})).ID)
	}
	coll.add(t, publicOf("en", fields{}))
	for _, c := range []struct {
		part string
		want []int
	}{
		{"%", []int{0}}, {"100%", []int{0}}, {"_", []int{2}}, {"snake_", []int{2}}, {"\\", []int{4}}, {"k\\s", []int{4}},
		{"strasse", []int{5, 6, 7}}, {"aß", []int{5, 6, 7}}, {"TRASSE", []int{5, 6, 7}},
		{"i\u0307st", []int{8}}, {"\u0130ST", []int{8}}, {"ISTANBUL", []int{9}}, {"SNOW", []int{10}}, {"σισ", nil}, {"σίσ", []int{11, 12}}, {"ΦΟΣ", []int{11, 12}},
		{"\u0301", nil}, {"te\u0301", []int{13}}, {"T\u00c9", []int{13}}, {"fish", []int{14, 15}}, {"\ufb01", []int{14, 15}}, {"NEEDLE", []int{17}}, {"'b\"", []int{18}},
		{"本", []int{19}}, {"😀", []int{19}}, {"* ?", []int{20}}, {"[A-Z]", []int{20}}, {"ᎳᎩ", []int{21, 22}}, {"Ꮃꭹ", []int{21, 22}}, {"nothing like it", nil},
	} {
		got := coll.list(t, coll.all(like(coll, "value", c.part)))
		if want := elementsAt(entries, c.want); !slices.Equal(got, want) {
			t.Errorf("%s: %q found %v, want %v", name, c.part, got, want)
		}
		got = pointers.list(t, pointers.all(related(pointers, "to", "value", query.OpLike, text(words.Caseless(c.part)))))
		if want := elementsAt(pointing, c.want); !slices.Equal(got, want) {
			t.Errorf("%s over a relation: %q found %v, want %v", name, c.part, got, want)
		}
	}
	if filler == "" {
		assertEqual(t, coll.list(t, coll.all(like(coll, "value", ""))), entries)
	}
}

// findsRichText checks that "like" searches the visible text of rich text.
func findsRichText(t *testing.T, w *fixture) {
	for _, f := range []*core.Field{
		{Name: "body", Type: core.TypeRichText},
		{Name: "body", Type: core.TypeRichText, Searchable: true},
		{Name: "body", Type: core.TypeRichText, Multiple: true},
	} {
		name := fmt.Sprintf("rich-%v-%v", f.Searchable, f.Multiple)
		coll := newTestCollection(t, w, name, f)
		pointers := newTestCollection(t, w, name+"-pointers", &core.Field{Name: "to", Type: core.TypeRelation, Collection: name})
		var entries, pointing []int64
		for _, v := range []string{
			"<p>I don&#39;t know</p>", "<p>im<strong>port</strong>ant &amp; &lt;em&gt;</p>", `<ul class="amp"><li>first</li><li>second</li></ul>`, "don&amp;#39;t",
		} {
			stored := fields{"body": v}
			if f.Multiple {
				stored = fields{"body": []string{"<p>other</p>", v}}
			}
			e := coll.add(t, publicOf("en", stored))
			entries = append(entries, e.ID)
			pointing = append(pointing, pointers.add(t, publicOf("en", fields{"to": e.Group})).ID)
		}
		for _, c := range []struct {
			part string
			want []int
		}{
			{"don't", []int{0}}, {"DON'T KNOW", []int{0}}, {"don&#39;t", []int{3}}, {"#39", []int{3}}, {"important", []int{1}}, {"ant & <em>", []int{1}},
			{"strong", nil}, {"amp", nil}, {"li>", nil}, {"<p>", nil}, {"first", []int{2}}, {"firstsecond", nil}, {"tsec", nil},
		} {
			assertEqual(t, coll.list(t, coll.all(like(coll, "body", c.part))), elementsAt(entries, c.want))
			assertEqual(t, pointers.list(t, pointers.all(related(pointers, "to", "body", query.OpLike, text(words.Caseless(c.part))))), elementsAt(pointing, c.want))
		}
	}
}
