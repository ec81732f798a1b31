package transfer

import (
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// keyring finds entries by their keys, inside one transaction.
type keyring struct {
	run   *importRun
	known map[keyOf][]place
}

// keyOf is a canonical key of one collection.
type keyOf struct {
	collection int64
	key        string
}

// place is where an entry is.
type place struct {
	id, group int64
	locale    string
}

// openKeys returns a keyring with the keys of wanted, and those of the run's own
// lines where nothing but the run knows them.
func (r *importRun) openKeys(ctx context.Context, batch ports.Batch, wanted []keyOf) (*keyring, error) {
	ring := &keyring{run: r, known: map[keyOf][]place{}}
	byCollection := map[int64][]string{}
	for _, w := range wanted {
		if !slices.Contains(byCollection[w.collection], w.key) {
			byCollection[w.collection] = append(byCollection[w.collection], w.key)
		}
	}
	for id, keys := range byCollection {
		target := batch.Schema().ByID(id)
		if target == nil {
			continue
		}
		field := r.key
		if id != r.collectionID {
			field, _ = keyField(target, "")
		}
		if field == nil {
			continue
		}
		if err := ring.load(ctx, batch, target, field, keys); err != nil {
			return nil, err
		}
	}
	return ring, nil
}

// load reads where the entries of target are that have one of keys in their draft.
func (ring *keyring) load(ctx context.Context, batch ports.Batch, target *core.Collection, field *core.Field, keys []string) error {
	var values []core.UniqueValue
	for _, key := range keys {
		if value, ok := core.DecodeValue(field.Type, []byte(key)); ok {
			values = append(values, core.UniqueValue{Field: field.Name, Value: value})
		}
	}
	schema := batch.Schema()
	schema.Collection = target
	holders, err := batch.Stores().Entries.Holders(ctx, schema, schema.Project.Locales, values)
	if err != nil {
		return err
	}
	ids := make([]int64, len(holders))
	for i, h := range holders {
		ids[i] = h.Entry
	}
	slices.Sort(ids)
	entries, err := batch.Stores().Entries.Entries(ctx, schema.Project.ID, slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, e := range entries {
		key := keyOf{target.ID, string(e.Draft.Values()[field.Name])}
		ring.known[key] = append(ring.known[key], place{id: e.ID, group: e.Group, locale: e.Locale})
	}
	return nil
}

// find returns where the entry of that key is, in that locale if possible.
func (ring *keyring) find(key keyOf, locale string) (place, bool) {
	places := ring.places(key)
	if len(places) == 0 {
		return place{}, false
	}
	i := slices.IndexFunc(places, func(p place) bool { return p.locale == locale })
	return places[max(i, 0)], true
}

func (ring *keyring) places(key keyOf) []place {
	if places, ok := ring.known[key]; ok {
		return places
	}
	return ring.run.places[key]
}

// add notes where the key of a line is, for the lines after it.
func (ring *keyring) add(key keyOf, at place, done *outcome) {
	places := ring.places(key)
	if slices.Contains(places, at) {
		return
	}
	ring.known[key] = append(slices.Clip(places), at)
	if ring.run.key == nil {
		done.places[key] = ring.known[key]
	}
}

// wanted returns the keys that a line has to do with.
func (r *importRun) wanted(own json.RawMessage, relations map[string]keys) []keyOf {
	var wanted []keyOf
	if own != nil {
		wanted = append(wanted, keyOf{r.collectionID, string(own)})
	}
	for name, keys := range relations {
		for _, key := range keys {
			wanted = append(wanted, r.keyIn(name, key))
		}
	}
	return wanted
}

// keyIn returns the key of an entry that the relation of that name points to.
func (r *importRun) keyIn(relation string, key json.RawMessage) keyOf {
	target := r.schema.Target(r.schema.Collection.Field(relation))
	return keyOf{target.ID, string(key)}
}
