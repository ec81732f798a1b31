package core

// Deletion is a Project or a collection that was deleted, and of which rows are left. No read shows
// them.
type Deletion struct {
	ProjectID    int64
	CollectionID int64 // 0: the whole Project
}
