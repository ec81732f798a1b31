package mcp

import (
	"encoding/json"
	"strconv"
)

// maxAnswer is the largest JSON of an answer in bytes. The protocol sends it twice, as structured content and as text
// for older clients, so that a response has at most 25 kB.
const maxAnswer = 11_500

// tooLong is the error for an answer that does not fit and has no parts to leave out.
func tooLong(size int, advice string) *fault {
	return &fault{
		Status: 413, Code: "answer_too_long",
		Detail: "the answer has " + strconv.Itoa(size) + " bytes, and at most " + strconv.Itoa(maxAnswer) + " are possible: " + advice,
	}
}

// size returns the length of the JSON of v.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}

// fitting returns how many of the first items fit into an answer whose other members have base bytes.
func fitting[T any](items []T, base int) int {
	total := base
	for i := range items {
		if total += size(items[i]) + 1; total > maxAnswer {
			return i
		}
	}
	return len(items)
}

// list is an answer with items. Count is the number of items in it, Total that of all; nil: not counted.
type list struct {
	Items  []any  `json:"items"`
	Count  int    `json:"count"`
	Total  *int   `json:"total,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// window returns the part of all that begins at a cursor and fits, with the cursor of the rest.
func window[T any](all []T, cursor string) (list, error) {
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(all) {
			return list{}, badArgument("cursor", "is none of this list")
		}
		from = n
	}
	rest := all[from:]
	n := fitting(rest, 100)
	if n == 0 && len(rest) > 0 {
		return list{}, tooLong(size(rest[0]), "item "+strconv.Itoa(from)+" is longer")
	}
	shown := list{Items: []any{}, Count: n, Total: new(len(all))}
	for _, item := range rest[:n] {
		shown.Items = append(shown.Items, item)
	}
	if n < len(rest) {
		shown.Cursor = strconv.Itoa(from + n)
	}
	return shown, nil
}
