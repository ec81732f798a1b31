package entryquery

import (
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// status returns the condition that the entry of r has the status of the selection: the entry has
// the facts of the status's rule in entrystatus.Rules, and of no earlier rule. The condition is
// never if the shelf of r alone excludes the status.
//
// A status is planned from its facts, because a column of entry_index could not be kept right with
// the writes that change it. Writes of entries, requests and schedules change it for one entry. An
// edit or a deletion of a media item changes it for all entries that have sealed the item, and the
// removal of a field for all entries of the collection: to rewrite 10,000 index rows takes about
// 0.6 s on SQLite and 1.3 s on Postgres, in the transaction of an edit of one caption. These two facts
// would stay sets, as below, beside the column, its index, and its part in counters, checks and
// back-fills.
func (p *planner) status(r row) Cond {
	if p.sel.Status == "" {
		return always
	}
	needs, excluded := statusRule(p.sel.Status)
	conditions := []Cond{p.facts(r, needs)}
	for _, facts := range excluded {
		conditions = append(conditions, not(p.facts(r, facts)))
	}
	return unlessNever(conditions)
}

// unlessNever joins conditions with AND. It returns never if one of them is never.
func unlessNever(conditions []Cond) Cond {
	if slices.Contains(conditions, Cond(never)) {
		return never
	}
	return and(conditions...)
}

// statusRule returns the facts that the rule of a status needs, and the sets of further facts
// that an earlier rule needs. Sets that contain another set are left out.
func statusRule(status entrystatus.Status) (needs entrystatus.Facts, excluded []entrystatus.Facts) {
	at := slices.IndexFunc(entrystatus.Rules, func(r entrystatus.Rule) bool { return r.Status == status })
	needs = entrystatus.Rules[at].Needs
	for _, rule := range entrystatus.Rules[:at] {
		excluded = append(excluded, rule.Needs&^needs)
	}
	all := slices.Clone(excluded)
	return needs, slices.DeleteFunc(excluded, func(facts entrystatus.Facts) bool {
		return slices.ContainsFunc(all, func(other entrystatus.Facts) bool { return facts != other && facts.Has(other) })
	})
}

// statusFacts are the facts with a condition, the cheapest first.
var statusFacts = []entrystatus.Facts{
	entrystatus.FactTrashed, entrystatus.FactPublished, entrystatus.FactDiffers, entrystatus.FactFailed, entrystatus.FactPending, entrystatus.FactScheduled, entrystatus.FactSentBack, entrystatus.FactRejected,
}

// facts returns the condition that the entry of r has all facts of a set. It is never if one of
// the conditions is.
func (p *planner) facts(r row, set entrystatus.Facts) Cond {
	var conditions []Cond
	for _, fact := range statusFacts {
		if set.Has(fact) {
			conditions = append(conditions, p.fact(r, fact))
		}
	}
	return unlessNever(conditions)
}

func (p *planner) fact(r row, fact entrystatus.Facts) Cond {
	switch fact & ^r.known {
	case 0:
		return always
	case entrystatus.FactFailed: // few: reading them once is cheaper than a lookup for each row
		return In{Of: r.id(), Set: p.factSet(fact)}
	case entrystatus.FactPending:
		return p.requested(r, review.RequestPending, always)
	case entrystatus.FactScheduled:
		return or(p.requested(r, review.RequestApproved, always), p.scheduled(r))
	case entrystatus.FactSentBack:
		return p.requested(r, review.RequestRevision, isLatest)
	case entrystatus.FactRejected:
		return p.requested(r, review.RequestRejected, isLatest)
	case entrystatus.FactPublished:
		return Constant(r.shelf != entryindex.Draft)
	case entrystatus.FactDiffers:
		return p.differs(r)
	default: // entry_index has no entries of the trash
		return never
	}
}

// publications is the condition that the schedule s is a publication of the collection.
var publications = And{inProject("s"), equals("s", "collection_id", collectionArg), equals("s", "action", Word(schedule.Publish))}

// failed is the condition that the last attempt of the schedule s failed.
var failed = And{Compare{column("s", "attempts"), ">", Number(0)}, Compare{column("s", "last_fault"), ">", Word("")}}

// scheduled returns the condition that a publication of the entry of r is scheduled.
func (p *planner) scheduled(r row) Cond {
	return Exists{
		From:     Table{Name: "schedules", Alias: "s", By: PrimaryKey},
		Where:    And{inProject("s"), equals("s", "entry_id", r.id()), equals("s", "action", Word(schedule.Publish))},
		OneByOne: r.lookup > anyLookup,
	}
}

// statusIndex is the index of request_items by collection, status and entry.
const statusIndex = "request_items_status"

// requested returns the condition that an item q of a request, for the entry of r, has a status and
// meets condition. An open item is always the latest of its entry.
func (p *planner) requested(r row, status review.RequestStatus, condition Cond) Cond {
	return Exists{
		From:     Table{Name: "request_items", Alias: "q", By: statusIndex},
		Where:    and(requestItems(status), equals("q", "entry_id", r.id()), condition),
		OneByOne: r.lookup > anyLookup,
	}
}

// requestItems returns the condition that the item q belongs to the collection and has a status.
func requestItems(status review.RequestStatus) Cond {
	return And{inProject("q"), equals("q", "collection_id", collectionArg), equals("q", "status", Word(status)), ownItem("q")}
}

// ownItem is the condition that an item is not a member of a release.
func ownItem(alias string) Cond { return not(NotNull{column(alias, "collection")}) }

// isLatest is the condition that the item q is the latest of its entry.
var isLatest = not(Exists{
	From: Table{Name: "request_items", Alias: "h", By: "request_items_entry"},
	Where: And{
		inProject("h"), equals("h", "entry_id", column("q", "entry_id")), Compare{column("h", "request_id"), ">", column("q", "request_id")},
		ownItem("h"),
	},
	OneByOne: true,
})

// differs returns the condition that readers do not see the content of the draft. See
// core.Entry.Shows.
func (p *planner) differs(r row) Cond {
	switch {
	case r.shelf == entryindex.Draft:
		return always
	case r.shelf == entryindex.Changes:
		return or(p.otherFields(r), p.rewordedMedia(r))
	case p.onlyVersion(r):
		return p.rewordedMedia(r)
	default:
		changes := r
		changes.alias = "d"
		exists := rowLookup("d", Rows{Shelf: entryindex.Changes, Locale: r.locales[0]}, r.id(), p.otherFields(changes))
		exists.OneByOne = r.lookup > anyLookup
		return or(p.rewordedMedia(r), exists)
	}
}

// otherFields returns the condition that the two documents of an entry, which are not equal,
// differ in more than the values of removed fields.
func (p *planner) otherFields(r row) Cond {
	c := p.sel.Schema.Collection
	if len(c.Removed) == 0 {
		return always
	}
	names := make([]string, len(c.Removed))
	for i, f := range c.Removed {
		names[i] = f.Name
	}
	return IsTrue{Document{ID: r.id(), Value: OtherFields{p.arg(c, useName, strings.Join(names, ","))}}}
}

// rewordedMedia returns the condition that readers of the entry of r see sealed media that
// differ from the library.
func (p *planner) rewordedMedia(r row) Cond {
	set := p.rewordedSet()
	if set == nil {
		return never
	}
	return In{Of: r.id(), Set: set}
}

// rewordedSet returns the entries of the collection whose sealed media differ from the library,
// or nil if the collection shows no media.
func (p *planner) rewordedSet() Set {
	var fields []Cond
	for _, f := range p.sel.Schema.Collection.Fields {
		if f.CanShowMedia() && !f.Secret() {
			fields = append(fields, equals("v", "field_id", Number(f.ID)))
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return RewordedSet{Fields: or(fields...)}
}

// factSet returns the entries of the collection with a fact, or nil if no table lists them. For
// entrystatus.FactDiffers it returns only the entries without another draft.
func (p *planner) factSet(fact entrystatus.Facts) Set {
	switch fact {
	case entrystatus.FactFailed:
		return ScheduleSet{Index: "schedules_failed", Where: and(publications, failed)}
	case entrystatus.FactPending:
		return RequestSet{requestItems(review.RequestPending)}
	case entrystatus.FactScheduled:
		return Union{RequestSet{requestItems(review.RequestApproved)}, ScheduleSet{Index: PrimaryKey, Where: publications}}
	case entrystatus.FactSentBack:
		return RequestSet{and(requestItems(review.RequestRevision), isLatest)}
	case entrystatus.FactRejected:
		return RequestSet{and(requestItems(review.RequestRejected), isLatest)}
	case entrystatus.FactDiffers:
		return p.rewordedSet()
	default:
		return nil
	}
}

// statusSet returns a set that contains all entries of b that can have the status of the selection,
// or nil if a scan must read all entries. The entries of the set have the facts known.
func (p *planner) statusSet(b branch) (set Set, known entrystatus.Facts) {
	if p.sel.Status == "" {
		return nil, 0
	}
	needs, _ := statusRule(p.sel.Status)
	for _, fact := range statusFacts {
		if !needs.Has(fact) || fact == entrystatus.FactDiffers && !p.onlyVersion(b.row) {
			continue
		}
		if found := p.factSet(fact); found != nil {
			set, known = found, fact // the facts of requests come last and are the rarest
		}
	}
	return set, known
}

// inStatusSet returns the condition that restricts a scan of b by primary key to the set of statusSet,
// and sets the known facts of b. It returns nil if the scan must read all entries.
func (p *planner) inStatusSet(b *branch) Cond {
	set, known := p.statusSet(*b)
	if set == nil {
		return nil
	}
	b.row.known = known
	return In{Of: b.row.id(), Set: set, Small: true}
}

// fromStatusSet plans the page from the sets that statusSet returns. It returns nil if a branch has
// no such set.
func (p *planner) fromStatusSet() Window {
	if slices.ContainsFunc(p.branches, func(b branch) bool { set, _ := p.statusSet(b); return set == nil }) {
		return nil
	}
	return p.lookedUp(nil, p.inStatusSet)
}

// countStatus counts the rows of b with the status of the selection, if it has one. Most rows of a
// shelf have the status that follows from the shelf alone. They are counted as a difference: all
// rows minus the rows with another status, which are in sets.
func (p *planner) countStatus(b branch) Count {
	if p.sel.Member != 0 {
		return p.countMember(b)
	}
	if p.sel.EditedBy != 0 {
		b.row.edited = true
		return p.countAmong(b, p.editedSet(), nil)
	}
	if p.sel.Status == "" {
		return p.countRows(b)
	}
	if set, known := p.statusSet(b); set != nil {
		b.row.known = known
		return p.countAmong(b, set, nil)
	}
	needs, excluded := statusRule(p.sel.Status)
	others := p.others(b, excluded)
	if others == nil || p.facts(b.row, needs) != Cond(always) {
		return p.countRows(b)
	}
	all := *p
	all.sel.Status = ""
	total := all.countRows(b) // may read an index of the values that are computed below
	b.row.computed = true
	return Difference{total, CountScan{IndexScan{
		Rows: b.rows, Index: "entry_id", Range: In{Of: b.row.id(), Set: others}, Filter: and(all.conditions(b.row, nil), not(p.status(b.row))),
	}}}
}

// others returns a set that contains all entries of b with one of the excluded sets of facts, and
// few other entries. It returns nil if the tables do not list them.
func (p *planner) others(b branch, excluded []entrystatus.Facts) Set {
	var union Union
	for _, facts := range excluded {
		if p.facts(b.row, facts) == Cond(never) {
			continue
		}
		var set Set
		for _, fact := range statusFacts {
			if facts.Has(fact) && set == nil && (fact != entrystatus.FactDiffers || p.onlyVersion(b.row)) {
				set = p.factSet(fact)
			}
		}
		if set == nil {
			return nil
		}
		union = append(union, set)
	}
	if len(union) == 0 {
		return nil
	}
	return union
}

// onlyVersion reports whether the row r is published and the entry has no other draft.
func (p *planner) onlyVersion(r row) bool {
	return r.shelf == entryindex.Published && p.sel.State == core.StateWithDraft
}
