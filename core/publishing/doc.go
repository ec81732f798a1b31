// Package publishing owns what an entry publishes and when: its published version, the revision that the
// version is of, and the schedules of its publication and its end. The way to a publication has one direction:
//
//	core/writing ─asks─▶ core/approval ─decides─▶ core/publishing
//
// A write makes its version public with Versions, which also records the revision of the write. If the entry is
// governed (Governs), the write asks ports.Approval for a request instead. When its reviewers have approved the
// request, package approval has a Set follow it: the entries that a transaction publishes, unpublishes or
// schedules together. They are those of the items of a request; an entry alone is the set of one.
//
// This package knows the ports and calls no other use case. Read set.go next.
package publishing
