package sqlstore

import (
	"slices"
	"strings"
	"sync"
)

// The texts of statements have places for arguments. A place is "?", or a name such as "@project", which
// stands for one argument wherever it is. The arguments are in the order in which their places first
// occur; an [as] belongs to its name. Where an argument is an amongIDs or a rowList, its place takes the
// list.
type (
	// as is an argument with its name, without the @.
	as struct {
		name  string
		value any
	}
	// amongIDs follows a column in the condition that it is one of the ids, of which there is at least one.
	amongIDs []int64
	// amongTexts is amongIDs for texts.
	amongTexts []string
	// rowList is a SELECT of rows with the columns column1, column2 … of the given types.
	rowList struct {
		types []string
		rows  [][]any
	}
)

// numbered returns a text with numbers for its places, as engines take it, and its arguments in their order.
// It keeps arguments that have numbers already.
func (db *DB) numbered(text string, args []any) (string, []any) {
	if nextPlace(text) < 0 {
		return text, args
	}
	if !isPlain(args) {
		return withNumbers(db.dialect, text, args)
	}
	known, ok := db.texts.get(text) // with plain arguments, it depends on nothing else
	if !ok {
		known, _ = withNumbers(db.dialect, text, args)
		db.texts.put(text, known)
	}
	return known, args
}

// isPlain reports whether each argument is for the next place.
func isPlain(args []any) bool {
	for _, arg := range args {
		switch arg.(type) {
		case as, amongIDs, amongTexts, rowList:
			return false
		}
	}
	return true
}

// maxTexts bounds the texts that are kept with their numbers. The stores have fewer, apart from those that contain values.
const maxTexts = 1000

// texts keeps numbered texts.
type texts struct {
	sync.RWMutex
	all map[string]string
}

func (t *texts) get(text string) (numbered string, ok bool) {
	t.RLock()
	defer t.RUnlock()
	numbered, ok = t.all[text]
	return numbered, ok
}

func (t *texts) put(text, numbered string) {
	t.Lock()
	defer t.Unlock()
	if t.all == nil {
		t.all = map[string]string{}
	}
	if len(t.all) < maxTexts {
		t.all[text] = numbered
	}
}

// withNumbers is numbered without the texts that are kept.
func withNumbers(dialect Dialect, text string, args []any) (string, []any) {
	n := numbering{dialect: dialect, left: args, args: make([]any, 0, len(args)+1)}
	n.text.Grow(len(text) + 4*len(args))
	for place := nextPlace(text); place >= 0; place = nextPlace(text) {
		end := place + 1
		for end < len(text) && text[place] == '@' && isNameByte(text[end]) {
			end++
		}
		n.text.WriteString(text[:place])
		n.text.WriteString(n.at(text[place+1 : end]))
		text = text[end:]
	}
	n.text.WriteString(text)
	return n.text.String(), append(n.args, n.left...)
}

// nextPlace returns the position of the first place in a text, or -1.
func nextPlace(text string) int {
	place := strings.IndexByte(text, '?')
	if place >= 0 {
		text = text[:place]
	}
	for from := 0; ; from++ {
		at := strings.IndexByte(text[from:], '@')
		if from += at; at < 0 {
			return place
		}
		if from+1 < len(text) && isNameByte(text[from+1]) {
			return from
		}
	}
}

func isNameByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// numbering gives numbers to the places of a text in their order.
type numbering struct {
	dialect Dialect
	text    strings.Builder
	args    []any // those that have numbers
	left    []any // the others
	names   []knownName
}

// knownName is a name with what its places are replaced with.
type knownName struct{ name, text string }

// at returns what takes the place of a name, or of a "?" if the name is empty.
func (n *numbering) at(name string) string {
	for _, k := range n.names {
		if k.name == name {
			return k.text
		}
	}
	text := n.take(n.next(name))
	if name != "" {
		n.names = append(n.names, knownName{name, text})
	}
	return text
}

// next removes and returns the argument that belongs to a name, or the first without a name.
func (n *numbering) next(name string) any {
	at := slices.IndexFunc(n.left, func(arg any) bool { own, named := arg.(as); return named && own.name == name })
	if at < 0 {
		at = slices.IndexFunc(n.left, func(arg any) bool { _, named := arg.(as); return !named })
	}
	arg := n.left[at]
	if at == 0 {
		n.left = n.left[1:]
	} else {
		n.left = slices.Concat(n.left[:at], n.left[at+1:])
	}
	if own, named := arg.(as); named {
		return own.value
	}
	return arg
}

// take adds an argument and returns its text.
func (n *numbering) take(arg any) (text string) {
	var added []any
	switch arg := arg.(type) {
	case amongIDs:
		text, added = n.dialect.Among(len(n.args)+1, twoOrMore(arg))
	case amongTexts:
		text, added = n.dialect.Among(len(n.args)+1, twoOrMore(arg))
	case rowList:
		text, added = n.dialect.Values(len(n.args)+1, arg.types, arg.rows)
	default:
		n.args = append(n.args, arg)
		return placeholder(len(n.args))
	}
	n.args = append(n.args, added...)
	return text
}

// twoOrMore returns the values of a list, a single one twice, as Among needs them.
func twoOrMore[T any](list []T) []any {
	values := make([]any, len(list), len(list)+1)
	for i, v := range list {
		values[i] = v
	}
	if len(values) == 1 {
		values = append(values, values[0])
	}
	return values
}

// placeholders are those of most statements.
var placeholders = func() (all [40]string) {
	for i := range all {
		all[i] = "$" + number(int64(i))
	}
	return all
}()

func placeholder(n int) string {
	if n < len(placeholders) {
		return placeholders[n]
	}
	return "$" + number(int64(n))
}

// assigned are columns with their values, which an INSERT or an UPDATE sets.
type assigned []assignment

type assignment struct {
	column string
	value  any
}

// insert returns an INSERT of one row and its arguments.
func (a assigned) insert(table string) (text string, args []any) {
	columns, args := a.split()
	places := strings.TrimSuffix(strings.Repeat("?, ", len(a)), ", ")
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + places + ")", args
}

// update returns an UPDATE up to its condition, and its arguments.
func (a assigned) update(table string) (text string, args []any) {
	columns, args := a.split()
	return "UPDATE " + table + " SET " + strings.Join(columns, " = ?, ") + " = ?", args
}

func (a assigned) split() (columns []string, args []any) {
	columns, args = make([]string, len(a)), make([]any, len(a), len(a)+3)
	for i, one := range a {
		columns[i], args[i] = one.column, one.value
	}
	return columns, args
}
