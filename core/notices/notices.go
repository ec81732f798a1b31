package notices

import (
	"context"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/notice"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Notices are the notices of users.
type Notices struct {
	notices  ports.NoticeStore
	projects ports.ProjectReader
	tx       ports.Tx
}

// New returns Notices.
func New(stores ports.Stores, tx ports.Tx) *Notices {
	return &Notices{notices: stores.Notices, projects: stores.Projects, tx: tx}
}

// Default and largest numbers.
const (
	DefaultPerPage = 25
	mostRead       = 1000 // ids of one call of Read
)

// Filter selects a page of the notices. The zero value is the first page of all.
type Filter struct {
	query.Window

	Unread bool
}

// Shown is a notice with the name of its Project; "" without one.
type Shown struct {
	notice.Notice

	ProjectName string
}

// List returns a page of the notices that the actor may see now, newest first.
func (ns *Notices) List(ctx context.Context, actor core.Actor, f Filter) (page query.Page[Shown], err error) {
	if err := f.Check(DefaultPerPage); err != nil {
		return page, err
	}
	q := ports.NoticeQuery{Reach: review.ReachOf(actor), Unread: f.Unread, Offset: f.Offset(), Limit: f.PerPage}
	found, err := ns.notices.Notices(ctx, q)
	if err != nil {
		return page, err
	}
	total, err := ns.notices.Count(ctx, q)
	if err != nil {
		return page, err
	}
	projects := map[int64]string{}
	for _, n := range found {
		if n.ProjectID != 0 {
			projects[n.ProjectID] = ""
		}
	}
	named, err := ns.projects.ProjectsByIDs(ctx, slices.Sorted(maps.Keys(projects)))
	for _, p := range named {
		projects[p.ID] = p.Name
	}
	page = query.Page[Shown]{Window: f.Window, Total: total, HasMore: q.Offset+int64(len(found)) < total}
	for _, n := range found {
		page.Items = append(page.Items, Shown{n, projects[n.ProjectID]})
	}
	return page, err
}

// Unread returns the number of unread notices that the actor may see now.
func (ns *Notices) Unread(ctx context.Context, actor core.Actor) (int64, error) {
	return ns.notices.Count(ctx, ports.NoticeQuery{Reach: review.ReachOf(actor), Unread: true})
}

// Read marks notices of the actor as read: those with the ids, or those not after before. Exactly one
// must be given.
func (ns *Notices) Read(ctx context.Context, actor core.Actor, ids []int64, before time.Time) error {
	var faults core.Faults
	switch {
	case (len(ids) == 0) == before.IsZero():
		faults.Add("ids", nil, "give either ids or before")
	case len(ids) > mostRead:
		faults.Addf("ids", nil, "must have at most %d elements", mostRead)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return ns.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Notices.MarkRead(ctx, actor.UserID(), ids, before)
	})
}
