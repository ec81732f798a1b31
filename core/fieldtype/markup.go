package fieldtype

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"imprimatur/core/canonical"
)

// editTags calls edit with each start tag of rich text, in order, and returns the edited text. An
// element that edit returns false for is removed; its end tag stays.
func editTags(text string, edit func(tag *html.Token) (changed, kept bool)) string {
	var b strings.Builder
	edited := false
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			b.Write(tokens.Raw())
			continue
		}
		raw := string(tokens.Raw()) // Token changes it
		tag := tokens.Token()
		changed, kept := edit(&tag)
		edited = edited || changed || !kept
		switch {
		case !kept:
		case changed:
			b.WriteString(tag.String())
		default:
			b.WriteString(raw)
		}
	}
	if !edited {
		return text
	}
	return b.String()
}

// tidyAttributes returns text with addresses as browsers read them, so that the policy finds them
// valid, with only the language in the class of code and with numbers that browsers accept. repaired
// has the names of the attributes that browsers read as another number.
func tidyAttributes(text string) (tidied string, repaired []string) {
	if !strings.Contains(text, "=") && !strings.Contains(text, "href") {
		return text, nil
	}
	tidied = editTags(text, func(tag *html.Token) (changed, kept bool) {
		before := len(tag.Attr)
		tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == blankLink })
		changed = len(tag.Attr) < before
		for i, a := range tag.Attr {
			tidy := a.Val
			switch {
			case a.Key == "href", a.Key == "src", a.Key == "cite":
				if tidy = tidyAddress(a.Val); a.Key == "href" && (tidy == "" || tidy == "#") {
					tag.Attr[i].Key, changed = blankLink, true
				}
			case a.Key == "class" && tag.Data == "code":
				if language := languageOf(a.Val); language != "" {
					tidy = language
				}
			default:
				if tidy = tidyNumber(a.Key, a.Val); tidy != a.Val {
					repaired = append(repaired, a.Key)
				}
			}
			changed = changed || tidy != a.Val
			tag.Attr[i].Val = tidy
		}
		return changed, true
	})
	return tidied, repaired
}

// blankLink stands for href while a text is sanitised: the policy has no addresses such as "" and
// "#", which lead to the page and to its top.
const blankLink = "data-blank-link"

// hasBlankLink reports whether sanitised text has a link with the address "" or "#".
func hasBlankLink(text string) bool {
	return strings.Contains(text, ` href=""`) || strings.Contains(text, ` href="#"`)
}

// showBlankLinks returns text with href for blankLink.
func showBlankLinks(text string) string {
	if !strings.Contains(text, blankLink) {
		return text
	}
	return editTags(text, func(tag *html.Token) (changed, kept bool) {
		for i, a := range tag.Attr {
			if a.Key == blankLink {
				tag.Attr[i].Key, changed = "href", true
			}
		}
		return changed, true
	})
}

// mostSpanned is the largest number of columns or rows that browsers join (HTML standard, 4.9).
var mostSpanned = map[string]int{"colspan": 1000, "span": 1000, "rowspan": 65534}

// leadingNumber is what browsers read of the value of an attribute in mostSpanned.
var leadingNumber = regexp.MustCompile(`^[ \t\n\f\r]*\+?([0-9]+)`)

// tidyNumber returns the value of an attribute in mostSpanned as browsers read it, and others
// unchanged.
func tidyNumber(name, value string) string {
	most, known := mostSpanned[name]
	match := leadingNumber.FindStringSubmatch(value)
	if !known || match == nil {
		return value
	}
	if n, err := strconv.Atoi(match[1]); err != nil || n > most {
		return strconv.Itoa(most)
	}
	return match[1]
}

// foreignBlocks has the elements that are not kept and that browsers show as blocks or apart from
// each other, with the elements that take their place: only their tags go, and the words in them must
// not join those around them.
var foreignBlocks = map[string]string{
	"center": "div", "dialog": "div", "fieldset": "div", "footer": "div", "form": "div", "header": "div", "legend": "div", "main": "div",
	"nav": "div", "optgroup": "div", "option": "p", "search": "div", "dir": "ul", "listing": "pre", "menu": "ul",
}

var foreignBlock = regexp.MustCompile(`(?i)</?(center|dialog|fieldset|footer|form|header|legend|main|nav|optgroup|option|search|dir|listing|menu)[\s/>]`)

// blocksOf returns text with allowed elements in place of foreignBlocks.
func blocksOf(text string) string {
	if !foreignBlock.MatchString(text) {
		return text
	}
	var b strings.Builder
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return b.String()
		}
		raw := string(tokens.Raw()) // Token changes it
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken || kind == html.EndTagToken {
			tag := tokens.Token()
			if block := foreignBlocks[tag.Data]; block != "" {
				tag.Data = block
				raw = tag.String()
			}
		}
		b.WriteString(raw)
	}
}

// languageOf returns the first class that names a language, such as "language-go", or "".
func languageOf(class string) string {
	names := strings.Fields(class)
	if i := slices.IndexFunc(names, func(name string) bool { return len(name) > len("language-") && strings.HasPrefix(name, "language-") }); i >= 0 {
		return names[i]
	}
	return ""
}

// tidyAddress returns an address without what browsers ignore in it: surrounding white space, tabs
// and line breaks. It escapes inner spaces and percent signs that escape nothing.
func tidyAddress(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(address, " %\t\n\r") {
		return address
	}
	var b strings.Builder
	for i := range len(address) {
		switch c := address[i]; {
		case c == '\t', c == '\n', c == '\r':
		case c == ' ':
			b.WriteString("%20")
		case c == '%' && (i+2 >= len(address) || !isHex(address[i+1]) || !isHex(address[i+2])):
			b.WriteString("%25")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// maxRemoved is the maximum number of names in the result of Type.Removed.
const maxRemoved = 30

// removedMarkup is Type.Removed of rich text. It compares the numbers of the elements and attributes
// of each name, and adds what was repaired.
func removedMarkup(raw, value json.RawMessage) []string {
	before, ok := canonical.Unquote(raw)
	after, valid := canonical.Unquote(value)
	if !ok || !valid || before == after {
		return nil
	}
	written, kept := countMarkup(before), countMarkup(after)
	_, repaired, _ := repairRichText(before)
	for _, name := range repaired {
		written.add(name)
	}
	type removal struct {
		name  string
		times int
	}
	var removals []removal
	for _, name := range written.names {
		if n := written.times[name] - kept.times[name]; n > 0 {
			removals = append(removals, removal{name, n})
		}
	}
	slices.SortStableFunc(removals, func(a, b removal) int { return cmp.Compare(b.times, a.times) })
	var shown []string
	for i, r := range removals {
		switch {
		case i == maxRemoved:
			return append(shown, fmt.Sprintf("%d others", len(removals)-i))
		case r.times > 1:
			shown = append(shown, fmt.Sprintf("%s (%d)", r.name, r.times))
		default:
			shown = append(shown, r.name)
		}
	}
	return shown
}

// markupCount has how often each name of an element or attribute, and how often a comment, occurs in a text.
type markupCount struct {
	names []string // in the order of their first occurrence
	times map[string]int
}

// maxMarkupName is the maximum length of a name in the result of Type.Removed.
const maxMarkupName = 40

func (m *markupCount) add(name string) {
	if len(name) > maxMarkupName {
		name = strings.ToValidUTF8(name[:maxMarkupName], "") + "…"
	}
	if m.times[name]++; m.times[name] == 1 {
		m.names = append(m.names, name)
	}
}

func countMarkup(text string) markupCount {
	m := markupCount{times: map[string]int{}}
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return m
		case html.StartTagToken, html.SelfClosingTagToken:
			m.addTag(tokens.Token())
		case html.CommentToken:
			m.add("comment")
		}
	}
}

// addTag counts a tag without the attributes that responses add to links.
func (m *markupCount) addTag(tag html.Token) {
	m.add(tag.Data)
	has := func(name string) bool {
		return slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == name && digits.MatchString(a.Val) })
	}
	media, entry := has(mediaAttribute), has(entryAttribute)
	for _, a := range tag.Attr {
		switch {
		case media && (a.Key == "src" || a.Key == "href"), entry && (a.Key == "data-collection" || a.Key == "data-slug"):
		case a.Key == "class" && tag.Data == "code" && languageOf(a.Val) != "":
			m.add(a.Key)
			if len(strings.Fields(a.Val)) > 1 {
				m.add(a.Key)
			}
		default:
			m.add(a.Key)
		}
	}
}
