package endpoint

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/query"
)

// QueryParam documents one query parameter.
type QueryParam = huma.Param

// pair is one decoded name=value of a query string.
type pair struct{ name, value string }

// queryPairs splits a query string at "&" and decodes names and values. It returns
// KindBadRequest unless they decode to UTF-8 without U+0000.
func queryPairs(raw string) ([]pair, error) {
	var pairs []pair
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		switch {
		case nameErr != nil || !core.ValidText(name):
			return nil, core.BadRequest("bad_query", "the query string is not properly encoded")
		case valueErr != nil || !core.ValidText(value):
			return nil, BadParameter(name, "is not properly encoded text")
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, nil
}

// readQuery reads the query parameters of the operation. An unknown or repeated parameter
// is KindBadRequest.
func (c *Call) readQuery() error {
	selects := c.op.Listing || c.op.Counting
	if selects {
		c.Query = new(query.Query)
	}
	if c.Request.URL.RawQuery == "" {
		return nil
	}
	pairs, err := queryPairs(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if selects {
		*c.Query, err = parseSelection(pairs, c.op.Query, c.op.Listing)
		return err
	}
	c.Params = map[string]string{}
	for _, p := range pairs {
		if !documents(c.op.Query, p.name) {
			return unknownParameter(p.name)
		}
		if _, twice := c.Params[p.name]; twice {
			return BadParameter(p.name, "must not be repeated")
		}
		c.Params[p.name] = p.value
	}
	return nil
}

// documents reports whether one of params has the name.
func documents(params []*QueryParam, name string) bool {
	return slices.ContainsFunc(params, func(p *QueryParam) bool { return p.Name == name })
}

// Shape returns the parameters timestamps, fields, depth, alternates and referrers.
func (c *Call) Shape() query.Shape {
	if fields, given := c.Params[FieldsParam.Name]; given && fields == "" && c.badQuery == nil {
		c.badQuery = BadParameter(FieldsParam.Name, "is empty")
	}
	return query.Shape{
		Bounded: true, Timestamps: c.Bool(TimestampsParam.Name), Fields: c.Params[FieldsParam.Name], Depth: c.Int(DepthParam.Name), Alternates: c.Bool(AlternatesParam.Name),
		Referrers: c.Params[ReferrersParam.Name],
	}
}

// BadQuery returns the error of the first parameter that Int, Positive, Bool, Time or Bound found
// invalid, or nil. Call it before the values of the parameters are used.
func (c *Call) BadQuery() error { return c.badQuery }

// parameter returns the value of a parameter, read by parse, or the zero value if the parameter is
// omitted or invalid.
func parameter[T any](c *Call, name string, parse func(name, text string) (value T, err error)) (value T) {
	text, given := c.Params[name]
	if !given || c.badQuery != nil {
		return value
	}
	value, c.badQuery = parse(name, text)
	return value
}

// Int returns the value of a parameter that is a whole number. nil means omitted.
func (c *Call) Int(name string) *int64 { return parameter(c, name, parseInt) }

func parseInt(name, text string) (*int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return nil, BadParameter(name, "must be a whole number")
	}
	return &n, nil
}

// Positive returns the value of a parameter that is a whole number of at least 1. 0 means omitted.
func (c *Call) Positive(name string) int64 { return parameter(c, name, parsePositive) }

func parsePositive(name, text string) (int64, error) {
	n, err := parseInt(name, text)
	if err != nil {
		return 0, err
	}
	if *n < 1 {
		return 0, BadParameter(name, "must be at least 1")
	}
	return *n, nil
}

// Bool returns the value of a parameter that is true or false. false also means omitted.
func (c *Call) Bool(name string) bool { return parameter(c, name, parseBool) }

func parseBool(name, text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, BadParameter(name, "must be true or false")
	}
	return text == "true", nil
}

// Time returns the value of a parameter that is a time. nil means omitted.
func (c *Call) Time(name string) *time.Time { return parameter(c, name, parseTime) }

func parseTime(name, text string) (*time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !core.TimeInRange(at) {
		return nil, BadParameter(name, "must be a time in the form of RFC 3339, such as 2026-03-02T12:00:00Z")
	}
	return new(at.UTC()), nil
}

// Bound returns the value of a parameter that is the bound of a range of times. The zero time means
// omitted, so it is not a valid value.
func (c *Call) Bound(name string) time.Time { return parameter(c, name, parseBound) }

func parseBound(name, text string) (time.Time, error) {
	at, err := parseTime(name, text)
	switch {
	case err != nil:
		return time.Time{}, err
	case at.IsZero():
		return time.Time{}, BadParameter(name, "must be later than "+core.FormatTime(*at))
	default:
		return *at, nil
	}
}

// unknownParameter returns the error for an unknown parameter. It does not contain the value,
// because the value may be a misplaced credential.
func unknownParameter(name string) error {
	return BadParameter(cmp.Or(name, `""`), "is not a known parameter")
}

// BadParameter returns a KindBadRequest error for a query parameter. fault is a phrase that
// follows the name.
func BadParameter(name, fault string) error {
	return core.BadParameter(core.Clip(name), nil, fault)
}
