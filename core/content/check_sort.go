package content

import (
	"slices"
	"strings"

	"imprimatur/core"
)

// sort reads "f:asc,g:desc". The result always ends with the id, which breaks ties
// in the direction of the last key; keys after an id could not change the order.
func (c *checker) sort(text string) []core.SortKey {
	if text == "" {
		return []core.SortKey{{Field: core.SystemID, Desc: true}}
	}
	parts := strings.SplitN(text, ",", core.MaxSortKeys+1)
	if len(parts) > core.MaxSortKeys {
		c.fault("sort", text, "takes at most %d keys", core.MaxSortKeys)
		return nil
	}
	keys := make([]core.SortKey, 0, core.MaxSortKeys+1)
	for _, part := range parts {
		if key, ok := c.sortKey(part); ok {
			if slices.ContainsFunc(keys, func(k core.SortKey) bool { return k.Field == key.Field }) {
				c.fault("sort", text, "names %q twice", key.Field.Name)
			}
			keys = append(keys, key)
		}
	}
	if id := slices.IndexFunc(keys, func(k core.SortKey) bool { return k.Field == core.SystemID }); id >= 0 {
		return keys[:id+1]
	}
	if len(keys) == 0 {
		return nil
	}
	return append(keys, core.SortKey{Field: core.SystemID, Desc: keys[len(keys)-1].Desc})
}

func (c *checker) sortKey(part string) (core.SortKey, bool) {
	name, direction, directed := strings.Cut(part, ":")
	key := core.SortKey{Field: c.schema.Collection.Queryable(name), Desc: direction == "desc"}
	if directed && direction != "asc" && direction != "desc" {
		c.fault("sort", part, "unknown direction %s: asc or desc", quoted(direction))
		return key, false
	}
	if key.Field == nil {
		c.fault("sort", part, "unknown field %s", quoted(name))
		return key, false
	}
	if !sortable(key.Field) {
		c.fault("sort", part, "entries cannot be sorted by %q", name)
		return key, false
	}
	return key, true
}

func sortable(f *core.Field) bool {
	return !f.Multiple && f.Kind() != core.ValueReference && f.Kind() != core.ValueOpaque
}
