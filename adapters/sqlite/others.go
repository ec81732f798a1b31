package sqlite

// Others returns what tells whether another process has the database at path open: one
// that has not cannot wait for its turn to write there. It is for a process that opens
// the database once and ends with it; path is as [Open] takes it, and the file is there.
func Others(path string) (there func() bool, err error) { return others(filePath(path)) }
