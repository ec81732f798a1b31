package endpoint

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
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
	if c.Request.URL.RawQuery == "" {
		return nil
	}
	pairs, err := queryPairs(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if c.op.Listing {
		c.Query, err = parseList(pairs, c.op.Statuses)
		return err
	}
	c.Params = map[string]string{}
	for _, p := range pairs {
		if !slices.ContainsFunc(c.op.Query, func(known *QueryParam) bool { return known.Name == p.name }) {
			return unknownParameter(p.name)
		}
		if _, twice := c.Params[p.name]; twice {
			return BadParameter(p.name, "must not be repeated")
		}
		c.Params[p.name] = p.value
	}
	return nil
}

// Window returns the parameters offset and limit. nil means omitted.
func (c *Call) Window() (offset, limit *int64, err error) {
	if offset, err = c.Int("offset"); err != nil {
		return nil, nil, err
	}
	limit, err = c.Int("limit")
	return offset, limit, err
}

// Int returns the value of a parameter that is a whole number. nil means omitted.
func (c *Call) Int(name string) (*int64, error) {
	text, given := c.Params[name]
	if !given {
		return nil, nil
	}
	return parseInt(name, text)
}

func parseInt(name, text string) (*int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return nil, BadParameter(name, "must be a whole number")
	}
	return &n, nil
}

// Positive stores the value of a parameter in into: a whole number of at least 1. If the
// parameter is omitted, into does not change.
func (c *Call) Positive(name string, into *int64) error {
	number, err := c.Int(name)
	switch {
	case err != nil:
		return err
	case number != nil && *number < 1:
		return BadParameter(name, "must be at least 1")
	case number != nil:
		*into = *number
	}
	return nil
}

// Bool returns the value of a parameter that is true or false. It returns false if the parameter
// is omitted.
func (c *Call) Bool(name string) (bool, error) {
	text, given := c.Params[name]
	if !given {
		return false, nil
	}
	return parseBool(name, text)
}

func parseBool(name, text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, BadParameter(name, "must be true or false")
	}
	return text == "true", nil
}

// Time returns the value of a parameter that is a time. The zero time means omitted.
func (c *Call) Time(name string) (time.Time, error) {
	text, given := c.Params[name]
	if !given {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.IsZero() || !core.TimeInRange(at) {
		return time.Time{}, BadParameter(name, "must be a time in the form of RFC 3339, such as 2026-03-02T12:00:00Z")
	}
	return at.UTC(), nil
}

// unknownParameter returns the error for an unknown parameter. It does not contain the value,
// because the value may be a misplaced credential.
func unknownParameter(name string) error {
	return BadParameter(name, "is not a known parameter")
}

// BadParameter returns a KindBadRequest error for a query parameter. fault is a phrase that
// follows the name.
func BadParameter(name, fault string) error {
	return core.BadParameter(clip(name), nil, fault)
}

// clip shortens a name from the request, so that it cannot make the response large.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
