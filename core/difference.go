package core

import "fmt"

// Difference is one place where derived data, such as an index row, disagrees with the
// documents.
type Difference struct {
	CollectionID int64  // 0: the difference belongs to no collection
	Entry        int64  // id; 0: the difference belongs to no single entry
	What         string // "index row (published)", "counter (draft, serves 3)"
	Expected     string
	Found        string
}

// String returns the difference as one line, without the collection.
func (d Difference) String() string {
	line := fmt.Sprintf("%s: expected %s, found %s", d.What, d.Expected, d.Found)
	if d.Entry != 0 {
		line = fmt.Sprintf("entry %d: %s", d.Entry, line)
	}
	return line
}
