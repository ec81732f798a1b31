package reading

import (
	"context"
	"encoding/binary"
	"math"

	"imprimatur/core"
	"imprimatur/ports"
)

// ReaderOption is an optional dependency of a Reader.
type ReaderOption func(*Reader)

// WithCache makes a Reader cache its results. The cache contains no authorization decisions:
// callers authorize every request.
func WithCache(cache ports.ReadCache) ReaderOption {
	return func(r *Reader) { r.cache = cache }
}

// source has the definitions that reads of one collection need, in one epoch.
type source struct {
	core.Schema
	epoch uint64 // of ports.ReadCache; 0: bypass the cache
}

// remember returns the result cached under key, or else the result of read.
func remember[A ports.Sized](ctx context.Context, r *Reader, from source, key readKey, read func(context.Context) (A, error)) (A, error) {
	found, err := r.cache.Read(ctx, ports.ReadKey{Kind: ports.ReadContent, ProjectID: from.Project.ID, Epoch: from.epoch, Query: string(key)},
		func(ctx context.Context) (ports.Sized, error) { return read(ctx) })
	if err != nil {
		return *new(A), err
	}
	return found.(A), nil
}

// readKey is the canonical form of a read. In one epoch of a Project, reads with equal keys have
// equal results. Each part has a fixed length or encodes its length, so that different reads have
// different keys.
type readKey []byte

// The first byte of a key, which is the kind of the result.
const (
	keyOfEntry byte = iota
	keyOfPage
	keyOfTotal
)

// entryKey returns the key of one published entry.
func entryKey(collectionID, id int64, shown shape) readKey {
	return make(readKey, 0, 64).byte(keyOfEntry).number(collectionID).number(id).shape(shown)
}

// pageKey returns the key of the window of a listing.
func pageKey(l *Listing) readKey {
	k := make(readKey, 0, 256).byte(keyOfPage).rows(&l.sel).order(l.sel.Sort).number(l.sel.Offset).number(l.sel.Limit)
	if k = k.shape(l.shape).flag(l.counted).flag(l.cursor).flag(l.sel.After != nil); l.sel.After != nil {
		k = k.position(l.sel.Sort, l.sel.After)
	}
	return k
}

// totalKey returns the key of the total of a selection.
func totalKey(sel *core.Selection) readKey {
	return make(readKey, 0, 256).byte(keyOfTotal).rows(sel)
}

// rows appends the parts of sel that determine the set of rows, without the order and the window.
// Names identify fields, because they are unique in a collection.
func (k readKey) rows(sel *core.Selection) readKey {
	k = k.number(sel.Schema.Collection.ID).byte(byte(sel.State)).text(sel.Locale).text(string(sel.Status))
	k = k.clauses(sel.Where).number(int64(len(sel.Or)))
	for _, group := range sel.Or {
		k = k.clauses(group)
	}
	return k
}

// order appends the sort keys. The ids distinguish a removed field from a new one of its name.
func (k readKey) order(sort []core.SortKey) readKey {
	k = k.number(int64(len(sort)))
	for _, key := range sort {
		k = k.text(key.Field.Name).number(int64(key.Field.ID)).flag(key.Desc)
	}
	return k
}

func (k readKey) clauses(clauses []core.Clause) readKey {
	k = k.number(int64(len(clauses)))
	for i := range clauses {
		c := &clauses[i]
		relation := ""
		if c.Relation != nil {
			relation = c.Relation.Name
		}
		k = k.text(relation).text(c.Field.Name).text(string(c.Op)).number(int64(len(c.Values)))
		for _, value := range c.Values {
			k = k.text(value.Text).float(value.Num)
		}
	}
	return k
}

func (k readKey) shape(s shape) readKey {
	return k.flag(s.timestamps).flag(s.bounded).number(int64(s.depth)).text(s.paths)
}

func (k readKey) byte(b byte) readKey { return append(k, b) }

func (k readKey) number(n int64) readKey { return binary.AppendVarint(k, n) }

func (k readKey) float(x float64) readKey {
	return binary.LittleEndian.AppendUint64(k, math.Float64bits(x))
}

func (k readKey) text(s string) readKey { return append(k.number(int64(len(s))), s...) }

func (k readKey) flag(is bool) readKey {
	if is {
		return k.byte(1)
	}
	return k.byte(0)
}
