package validation

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

var itemKey = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,32}\z`)

// item returns the canonical form of an item of f, without what has a fault. A field that the item does not
// have gets its default.
func (c *checker) item(f *core.Field, location string, raw json.RawMessage) json.RawMessage {
	if raw[0] != '{' {
		c.found.Add(location, f.Shown(raw), "must be an object")
		return nil
	}
	if c.items++; c.items > core.MaxItems {
		if c.items == core.MaxItems+1 {
			c.found.Add(core.FieldLocation(core.LocatedField(location)), nil, tooManyItems)
		}
		return nil
	}
	members, fault := objectMembers(raw)
	if fault != "" {
		c.found.Add(location, nil, fault)
		return nil
	}
	component := c.component(f, location, members)
	values := map[string]json.RawMessage{}
	if f.Multiple {
		c.key(location, members, values)
	}
	if component == nil {
		return nil
	}
	if f.Type == core.TypeBlocks {
		values[core.ItemType] = canonical.Quote(component.Key())
	}
	c.depth++
	for _, inner := range component.Fields {
		written, named := members[inner.Name]
		delete(members, inner.Name)
		switch {
		case named:
			written = c.field(inner, location+"."+inner.Name, written)
		case inner.Default != nil:
			written = inner.Default
		case inner.Multiple:
			written = json.RawMessage("[]")
		}
		if written != nil {
			values[inner.Name] = written
		}
	}
	c.depth--
	for _, name := range slices.Sorted(maps.Keys(members)) {
		c.found.Add(location+"."+core.Clip(name), core.Shown(members[name]), "no such field")
	}
	return json.RawMessage(core.NewDocument(values))
}

var tooManyItems = "must have at most " + strconv.Itoa(core.MaxItems) + " items"

// component returns the component that an item of f is of, or nil with a fault. It removes ItemType
// from members.
func (c *checker) component(f *core.Field, location string, members map[string]json.RawMessage) *core.Component {
	if f.Type == core.TypeGroup {
		component := f.ComponentNamed(f.Component)
		if component == nil {
			c.found.Add(location, nil, "the component "+f.Component+" does not exist")
		}
		return component
	}
	raw, named := members[core.ItemType]
	delete(members, core.ItemType)
	if !named {
		c.found.Add(location+"."+core.ItemType, nil, "is required: one of "+strings.Join(f.Components, ", "))
		return nil
	}
	slug, _ := canonical.Unquote(raw)
	component := f.ComponentNamed(slug)
	if component == nil {
		component = f.ComponentKeyed(slug) // of a stored item
	}
	if component == nil {
		c.found.Add(location+"."+core.ItemType, core.Shown(raw), "must be one of: "+strings.Join(f.Components, ", "))
	}
	return component
}

// key moves ItemKey from members to values.
func (c *checker) key(location string, members, values map[string]json.RawMessage) {
	raw, named := members[core.ItemKey]
	delete(members, core.ItemKey)
	if !named || string(raw) == "null" {
		return
	}
	key, ok := canonical.Unquote(raw)
	if !ok || !itemKey.MatchString(key) {
		c.found.Add(location+"."+core.ItemKey, core.Shown(raw), "must be 1 to 32 of A-Z, a-z, 0-9, _ and -")
		return
	}
	values[core.ItemKey] = canonical.Quote(key)
}

// ownKey adds a fault if an earlier item of the list has the key of the item at index i. keys has the
// indexes of the earlier ones by key.
func (c *checker) ownKey(item json.RawMessage, i int, keys map[string]int, location string) {
	key := core.Document(item).Value(core.ItemKey)
	if key == nil {
		return
	}
	if first, twice := keys[string(key)]; twice {
		c.found.Add(location+"."+core.ItemKey, core.Shown(key), "is the key of item "+strconv.Itoa(first)+", too")
		return
	}
	keys[string(key)] = i
}

// objectMembers returns the members of a JSON object.
func objectMembers(raw json.RawMessage) (members map[string]json.RawMessage, fault string) {
	object, err := canonical.Arrange(raw)
	if err != nil {
		if syntax, ok := errors.AsType[*canonical.SyntaxError](err); ok {
			return nil, "is not valid JSON: " + syntax.Message
		}
		return nil, "is not valid JSON"
	}
	if json.Unmarshal(object, &members) != nil {
		return nil, "must be an object"
	}
	return members, ""
}
