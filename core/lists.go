package core

import (
	"slices"
	"strings"
)

// EntriesByID returns a map from the ids of entries to the entries.
func EntriesByID(entries []Entry) map[int64]*Entry {
	return byID(entries, func(e *Entry) int64 { return e.ID })
}

// EntriesByGroup returns a map from translation groups to the last entry of each in entries.
func EntriesByGroup(entries []Entry) map[int64]*Entry {
	return byID(entries, func(e *Entry) int64 { return e.Group })
}

// MediaByID returns a map from the ids of items to the items.
func MediaByID(items []MediaItem) map[int64]*MediaItem {
	return byID(items, func(m *MediaItem) int64 { return m.ID })
}

// byID returns a map from ids to the elements of list; nil if list is empty.
func byID[T any](list []T, id func(*T) int64) map[int64]*T {
	if len(list) == 0 {
		return nil
	}
	found := make(map[int64]*T, len(list))
	for i := range list {
		found[id(&list[i])] = &list[i]
	}
	return found
}

// Distinct sorts ids and removes duplicates, in place.
func Distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Joined returns names separated by commas and spaces.
func Joined[S ~string](names []S) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}
