package endpoint

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core/query"
)

// parseList parses the parameters of a list of entries. The conditions are
//
//	where[field]=v  where[field][op]=v  where[field][op][]=a&where[field][op][]=b
//	or[n][field]…   the same, in group n
//
// A list element may have an index, […][op][0]=a, because many clients send it. The other
// parameters are
//
//	sort locale state offset limit timestamps count
//
// and those of optional. parseList does not check fields and operators; the use case does.
func parseList(pairs []pair, optional []*QueryParam) (query.Query, error) {
	return parseSelection(pairs, optional, true)
}

// windowParams are the parameters of parseList that do not select entries.
var windowParams = []string{"sort", "offset", "limit", "timestamps", "count"}

// parseSelection is parseList. Without window, it refuses windowParams.
func parseSelection(pairs []pair, optional []*QueryParam, window bool) (query.Query, error) {
	p := listParser{optional: optional, window: window}
	for _, pair := range pairs {
		if err := p.add(pair); err != nil {
			return query.Query{}, err
		}
	}
	return p.finish(), nil
}

// optionalParams are the parameters that only some lists have.
var optionalParams = []*QueryParam{FieldsParam, DepthParam, AfterParam, SearchParam, AlternatesParam, ReferrersParam, StatusParam, EditedByParam, OutdatedParam}

// ParseQuery parses the query string of any list of entries, with or without "?".
func ParseQuery(raw string) (query.Query, error) {
	pairs, err := queryPairs(strings.TrimPrefix(raw, "?"))
	if err != nil {
		return query.Query{}, err
	}
	return parseList(pairs, optionalParams)
}

type listParser struct {
	optional []*QueryParam
	window   bool
	out      query.Query
	seen     []string // names of the parameters without brackets so far
	where    []*query.Filter
	or       []groupCondition
	lists    map[string]*query.Filter // conditions with a list, by name
}

type groupCondition struct {
	group     int
	condition *query.Filter
}

func (p *listParser) add(pair pair) error {
	if strings.IndexByte(pair.name, '[') < 0 {
		return p.single(pair)
	}
	name, segments, ok := brackets(pair.name)
	switch {
	case ok && name == "where":
		return p.condition(pair, segments, func(c *query.Filter) { p.where = append(p.where, c) })
	case ok && name == "or":
		group, isGroup := smallNumber(segments[0])
		if !isGroup || len(segments) == 1 {
			return BadParameter(pair.name, "must number its group and name a field: or[0][field]")
		}
		return p.condition(pair, segments[1:], func(c *query.Filter) {
			p.or = append(p.or, groupCondition{group, c})
		})
	default:
		return unknownParameter(pair.name)
	}
}

// single reads a parameter that may occur once.
func (p *listParser) single(pair pair) (err error) {
	q := &p.out
	if slices.Contains(p.seen, pair.name) {
		return BadParameter(pair.name, "must not be repeated")
	}
	p.seen = append(p.seen, pair.name)
	if !p.window && slices.Contains(windowParams, pair.name) {
		return unknownParameter(pair.name)
	}
	switch pair.name {
	case "sort":
		q.Sort = pair.value
	case "locale":
		q.Locale = pair.value
	case "state":
		q.State = pair.value
	case "offset":
		q.Offset, err = parseInt(pair.name, pair.value)
	case "limit":
		q.Limit, err = parseInt(pair.name, pair.value)
	case "timestamps":
		q.Timestamps, err = parseBool(pair.name, pair.value)
	case "count":
		q.Total, err = parseBool(pair.name, pair.value)
	default:
		if !documents(p.optional, pair.name) {
			return unknownParameter(pair.name)
		}
		err = p.other(pair)
	}
	if err == nil && pair.value == "" {
		return BadParameter(pair.name, "is empty")
	}
	return err
}

// other reads a parameter that not all lists have.
func (p *listParser) other(pair pair) (err error) {
	switch pair.name {
	case StatusParam.Name:
		p.out.Status = pair.value
	case EditedByParam.Name:
		p.out.EditedBy, err = parsePositive(pair.name, pair.value)
	case OutdatedParam.Name:
		p.out.Outdated = pair.value
	case ReferrersParam.Name:
		p.out.Referrers = pair.value
	case ByParam.Name:
		p.out.By = pair.value
	case ZoneParam.Name:
		p.out.Zone = pair.value
	case FieldsParam.Name:
		p.out.Fields = pair.value
	case SearchParam.Name:
		p.out.Search = pair.value
	case AfterParam.Name:
		p.out.After = pair.value
	case AlternatesParam.Name:
		p.out.Alternates, err = parseBool(pair.name, pair.value)
	case DepthParam.Name:
		p.out.Depth, err = parseInt(pair.name, pair.value)
	}
	return err
}

// condition reads one condition and passes it to add. segments are the field, the operator and
// an element index; the last two are optional. With an index, all values with the same name
// form one list.
func (p *listParser) condition(pair pair, segments []string, add func(*query.Filter)) error {
	name, listed := pair.name, isElement(segments)
	if listed {
		segments = segments[:len(segments)-1]
		name = name[:strings.LastIndexByte(name, '[')]
	}
	if len(segments) == 0 || len(segments) > 2 || segments[0] == "" || len(segments) == 2 && segments[1] == "" {
		return BadParameter(pair.name, "must have the form where[field]=…, where[field][operator]=… or where[field][operator][]=…")
	}
	if listed {
		if known := p.lists[name]; known != nil {
			known.Operand.Items = append(known.Operand.Items, pair.value)
			return nil
		}
	}
	c := &query.Filter{
		Field: segments[0], Location: name,
		Operand: query.Operand{Items: []any{pair.value}, Listed: listed},
	}
	if len(segments) == 2 {
		c.Op = segments[1]
	}
	if listed {
		if p.lists == nil {
			p.lists = map[string]*query.Filter{}
		}
		p.lists[name] = c
	}
	add(c)
	return nil
}

// isElement reports whether the last segment is an element index: empty or, after an
// operator, a number.
func isElement(segments []string) bool {
	if len(segments) < 2 {
		return false
	}
	last := segments[len(segments)-1]
	_, numbered := smallNumber(last)
	return last == "" || len(segments) == 3 && numbered
}

// finish returns the parameters with the or groups in numerical order.
func (p *listParser) finish() query.Query {
	for _, c := range p.where {
		p.out.Where = append(p.out.Where, *c)
	}
	slices.SortStableFunc(p.or, func(a, b groupCondition) int { return cmp.Compare(a.group, b.group) })
	for i, c := range p.or {
		if i == 0 || c.group != p.or[i-1].group {
			p.out.Or = append(p.out.Or, nil)
		}
		last := len(p.out.Or) - 1
		p.out.Or[last] = append(p.out.Or[last], *c.condition)
	}
	return p.out
}

// brackets splits "where[title][like]" into "where" and the segments "title" and "like". It
// returns false if the name is malformed.
func brackets(name string) (string, []string, bool) {
	base, rest, _ := strings.Cut(name, "[")
	rest, closed := strings.CutSuffix(rest, "]")
	segments := strings.Split(rest, "][")
	nested := slices.ContainsFunc(segments, func(s string) bool { return strings.ContainsAny(s, "[]") })
	return base, segments, closed && base != "" && !nested
}

// smallNumber parses the number of a group or an element: 0 to 999 without leading zeros.
func smallNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= 999 && strconv.Itoa(n) == text
}
