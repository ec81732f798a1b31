package endpoint

import (
	"bytes"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

// FuzzListParameters checks that every query string is either rejected or parsed completely, and
// that encoding the result and parsing it again returns the same result.
func FuzzListParameters(f *testing.F) {
	for _, seed := range []string{
		"", "fields=title,country.name&depth=0&status=draft", "sort=title:desc&limit=5&offset=10&locale=de&state=with_draft&timestamps=true&count=true", "after=AcpVm3-bWwqqjgE&limit=5",
		"where[title]=x&where[title][like]=y&where[tags][in][]=a&where[tags][in][]=b",
		"where%5Btitle%5D%5Blike%5D=a%2Bb+c", "or[0][a]=1&or[1][b][gt]=2&or[0][c][in][]=3", "where[country.region]=Europe",
		"where[a][][]=1", "where[a]]=1", "where[=1", "or[x][a]=1", "where[a][null]", "where[a][in][0]=1&where[a][in][]=2&or[1][a][in][7]=3", "a;b=1", "sort=%00", "%", "&&=&",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, err := queryPairs(raw)
		if err != nil {
			require.Equal(t, core.KindBadRequest, core.KindOf(err))
			return
		}
		read, err := ParseQuery(raw)
		if err != nil {
			require.Equal(t, core.KindBadRequest, core.KindOf(err))
			return
		}
		again, err := queryPairs(encodeQuery(read))
		require.NoError(t, err)
		reread, err := parseList(again, optionalParams)
		require.NoError(t, err)
		require.Equal(t, withoutLocations(read), withoutLocations(reread))
		require.Equal(t, significant(pairs), len(again), "a parameter was dropped")
	})
}

// encodeQuery returns list parameters as a query string.
func encodeQuery(p query.Query) string {
	var out bytes.Buffer
	add := func(name, value string) {
		fmt.Fprintf(&out, "%s=%s&", url.QueryEscape(name), url.QueryEscape(value))
	}
	conditions := func(prefix string, list []query.Filter) {
		for _, c := range list {
			name := prefix + "[" + c.Field + "]"
			if c.Op != "" {
				name += "[" + c.Op + "]"
			}
			if c.Operand.Listed {
				name += "[]"
			}
			for _, item := range c.Operand.Items {
				add(name, item.(string))
			}
		}
	}
	conditions("where", p.Where)
	for i, group := range p.Or {
		conditions(fmt.Sprintf("or[%d]", i), group)
	}
	for name, value := range map[string]string{"sort": p.Sort, "locale": p.Locale, "state": p.State, "status": p.Status, "fields": p.Fields, "after": p.After} {
		if value != "" {
			add(name, value)
		}
	}
	for name, value := range map[string]*int64{"offset": p.Offset, "limit": p.Limit, "depth": p.Depth} {
		if value != nil {
			add(name, fmt.Sprint(*value))
		}
	}
	for name, given := range map[string]bool{"timestamps": p.Timestamps, "count": p.Total} {
		if given {
			add(name, "true")
		}
	}
	return out.String()
}

// significant counts the parameters except flags with their default, false.
func significant(pairs []pair) int {
	n := len(pairs)
	for _, p := range pairs {
		if (p.name == "timestamps" || p.name == "count") && p.value == "false" {
			n--
		}
	}
	return n
}

// withoutLocations clears the locations, which depend on the spelling of the query string.
func withoutLocations(p query.Query) query.Query {
	for _, list := range append([][]query.Filter{p.Where}, p.Or...) {
		for i := range list {
			list[i].Location = ""
		}
	}
	return p
}
