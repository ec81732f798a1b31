package sqldb

import (
	"slices"
	"strings"
	"sync"
)

// The texts of statements have places for arguments. A place is "?", or a name such as "@project", which
// stands for one argument wherever it is. The arguments are in the order in which their places first
// occur; an [as] belongs to its name. Where an argument is an AmongIDs, an AmongTexts or a RowList, its place takes the
// list.
type (
	// as is an argument with its name, without the @.
	as struct {
		name  string
		value any
	}
	// AmongIDs follows a column in the condition that it is one of the ids, of which there is at least one.
	AmongIDs []int64
	// AmongTexts is AmongIDs for texts.
	AmongTexts []string
	// RowList is a SELECT of rows with the columns column1, column2 … of the given types.
	RowList struct {
		Types []string
		Rows  [][]any
	}
)

// As returns an argument with its name, without the @.
func As(name string, value any) any { return as{name, value} }

// Numbered returns a text with numbers for its places, as engines take it, and its arguments in their order.
// It keeps arguments that have numbers already.
func (db *DB) Numbered(text string, args []any) (string, []any) {
	if nextPlace(text) < 0 {
		return text, args
	}
	key, names, ok := db.shapeOf(text, args)
	known, found := db.texts.get(key)
	switch {
	case !ok || found && known.names != names:
		n := withNumbers(db.Dialect, text, args)
		return n.text.String(), n.args
	case !found:
		n := withNumbers(db.Dialect, text, args)
		known = numberedText{n.text.String(), names, n.order}
		db.texts.put(key, known)
	}
	if names == (argNames{}) && key.lists == (listSizes{}) {
		return known.text, args
	}
	return known.text, known.inOrder(db.Dialect, args)
}

// shape is what the numbers of a text depend on, besides the names of its arguments.
type shape struct {
	text  string
	lists listSizes
}

// argNames are the names of arguments, each at its position, and listSizes have one more than AmongSize of those that are lists.
type (
	argNames  [8]string
	listSizes [8]uint8
)

// shapeOf returns the shape of a text and its arguments, and their names. ok is false if the text has none: because arguments are rows,
// or have names and are too many.
func (db *DB) shapeOf(text string, args []any) (s shape, names argNames, ok bool) {
	s.text = text
	for i, arg := range args {
		name, size := "", uint8(0)
		if named, isNamed := arg.(as); isNamed {
			name, arg = named.name, named.value
		}
		switch list := arg.(type) {
		case AmongIDs:
			size = 1 + db.Dialect.AmongSize(max(len(list), 2))
		case AmongTexts:
			size = 1 + db.Dialect.AmongSize(max(len(list), 2))
		case RowList:
			return s, names, false
		}
		if i < len(names) {
			names[i], s.lists[i] = name, size
		} else if name != "" || size > 0 {
			return s, names, false
		}
	}
	return s, names, true
}

// maxTexts bounds the texts that are kept with their numbers. The stores have fewer, apart from those that contain values.
const maxTexts = 1000

// texts keeps numbered texts.
type texts struct {
	sync.RWMutex
	all map[shape]numberedText
}

// numberedText is a text with numbers, the names of its arguments and their positions in its order.
type numberedText struct {
	text  string
	names argNames
	order []int
}

// inOrder returns the arguments of the text.
func (t numberedText) inOrder(dialect Dialect, args []any) []any {
	ordered := make([]any, 0, len(args)+2)
	for _, at := range t.order {
		arg := args[at]
		if named, ok := arg.(as); ok {
			arg = named.value
		}
		switch list := arg.(type) {
		case AmongIDs:
			ordered = append(ordered, dialect.AmongArgs(twoOrMore(list))...)
		case AmongTexts:
			ordered = append(ordered, dialect.AmongArgs(twoOrMore(list))...)
		default:
			ordered = append(ordered, arg)
		}
	}
	return ordered
}

func (t *texts) get(s shape) (known numberedText, ok bool) {
	t.RLock()
	defer t.RUnlock()
	known, ok = t.all[s]
	return known, ok
}

func (t *texts) put(s shape, known numberedText) {
	t.Lock()
	defer t.Unlock()
	if t.all == nil {
		t.all = map[shape]numberedText{}
	}
	if len(t.all) < maxTexts {
		t.all[s] = known
	}
}

// withNumbers gives numbers to the places of a text.
func withNumbers(dialect Dialect, text string, args []any) *numbering {
	n := &numbering{dialect: dialect, given: args, args: make([]any, 0, len(args)+1)}
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
	for i, arg := range args { // those without a place
		if !slices.Contains(n.order, i) {
			n.order, n.args = append(n.order, i), append(n.args, arg)
		}
	}
	return n
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
	given   []any
	order   []int // the positions of given that have numbers
	args    []any // with these numbers
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

// next returns the argument that belongs to a name, or the first without a name and a number.
func (n *numbering) next(name string) any {
	at := slices.IndexFunc(n.given, func(arg any) bool { own, named := arg.(as); return named && own.name == name })
	for i := 0; at < 0; i++ {
		if _, named := n.given[i].(as); !named && !slices.Contains(n.order, i) {
			at = i
		}
	}
	n.order = append(n.order, at)
	if own, named := n.given[at].(as); named {
		return own.value
	}
	return n.given[at]
}

// take adds an argument and returns its text.
func (n *numbering) take(arg any) (text string) {
	var added []any
	switch arg := arg.(type) {
	case AmongIDs:
		text, added = n.dialect.Among(len(n.args)+1, twoOrMore(arg))
	case AmongTexts:
		text, added = n.dialect.Among(len(n.args)+1, twoOrMore(arg))
	case RowList:
		text, added = n.dialect.Values(len(n.args)+1, arg.Types, arg.Rows)
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
		all[i] = "$" + Number(int64(i))
	}
	return all
}()

func placeholder(n int) string {
	if n < len(placeholders) {
		return placeholders[n]
	}
	return "$" + Number(int64(n))
}

// Assigned are columns with their values, which an INSERT or an UPDATE sets.
type Assigned []assignment

type assignment struct {
	Column string
	Value  any
}

// Assign returns columns with their values, which follow them.
func Assign(columnsAndValues ...any) Assigned {
	all := make(Assigned, 0, len(columnsAndValues)/2)
	for i := 0; i < len(columnsAndValues); i += 2 {
		all = append(all, assignment{columnsAndValues[i].(string), columnsAndValues[i+1]}) //nolint:errcheck,forcetypeassert // callers name columns
	}
	return all
}

// Insert returns an INSERT of one row and its arguments.
func (a Assigned) Insert(table string) (text string, args []any) {
	columns, args := a.Split()
	places := strings.TrimSuffix(strings.Repeat("?, ", len(a)), ", ")
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + places + ")", args
}

// Update returns an UPDATE up to its condition, and its arguments.
func (a Assigned) Update(table string) (text string, args []any) {
	columns, args := a.Split()
	return "UPDATE " + table + " SET " + strings.Join(columns, " = ?, ") + " = ?", args
}

// Split returns the columns and the values, to which there is room to append.
func (a Assigned) Split() (columns []string, args []any) {
	columns, args = make([]string, len(a)), make([]any, len(a), len(a)+3)
	for i, one := range a {
		columns[i], args[i] = one.Column, one.Value
	}
	return columns, args
}
