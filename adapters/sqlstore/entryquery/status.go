package entryquery

import (
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// status returns the condition that the entry of r has the status of the selection: it has the
// facts of its rule in core.StatusRules, and those of no rule before. It is never if the shelf
// of r alone excludes that.
func (p *planner) status(r row) Cond {
	if p.sel.Status == "" {
		return always
	}
	needs, excluded := statusRule(p.sel.Status)
	conditions := []Cond{p.facts(r, needs)}
	for _, facts := range excluded {
		conditions = append(conditions, not(p.facts(r, facts)))
	}
	if slices.Contains(conditions, Cond(never)) {
		return never
	}
	return and(conditions...)
}

// statusRule returns the facts that the rule of a status needs, and the sets of further facts
// that an earlier rule needs. Sets that contain another set are left out.
func statusRule(status core.EntryStatus) (needs core.EntryFacts, excluded []core.EntryFacts) {
	at := slices.IndexFunc(core.StatusRules, func(r core.StatusRule) bool { return r.Status == status })
	needs = core.StatusRules[at].Needs
	for _, rule := range core.StatusRules[:at] {
		excluded = append(excluded, rule.Needs&^needs)
	}
	all := slices.Clone(excluded)
	return needs, slices.DeleteFunc(excluded, func(facts core.EntryFacts) bool {
		return slices.ContainsFunc(all, func(other core.EntryFacts) bool { return facts != other && facts.Has(other) })
	})
}

// statusFacts are the facts with a condition, the cheapest first.
var statusFacts = []core.EntryFacts{
	core.FactTrashed, core.FactPublished, core.FactDiffers, core.FactFailed, core.FactPending, core.FactScheduled, core.FactSentBack, core.FactRejected,
}

// facts returns the condition that the entry of r has all facts of a set. It is never if one of
// the conditions is.
func (p *planner) facts(r row, set core.EntryFacts) Cond {
	var conditions []Cond
	for _, fact := range statusFacts {
		if set.Has(fact) {
			conditions = append(conditions, p.fact(r, fact))
		}
	}
	if slices.Contains(conditions, Cond(never)) {
		return never
	}
	return and(conditions...)
}

func (p *planner) fact(r row, fact core.EntryFacts) Cond {
	switch fact {
	case core.FactFailed:
		return p.scheduled(r, failed)
	case core.FactPending:
		return p.requested(r, core.RequestPending, always)
	case core.FactScheduled:
		return or(p.requested(r, core.RequestApproved, always), p.scheduled(r, always))
	case core.FactSentBack:
		return p.requested(r, core.RequestRevision, isLatest(r))
	case core.FactRejected:
		return p.requested(r, core.RequestRejected, isLatest(r))
	case core.FactPublished:
		return Constant(r.shelf != entryindex.Draft)
	case core.FactDiffers:
		return p.differs(r)
	default: // entry_index has no entries of the trash
		return never
	}
}

// failed is the condition that the last attempt of the schedule s failed.
var failed = And{
	Compare{Column{Alias: "s", Name: "attempts"}, ">", Number(0)}, Compare{Column{Alias: "s", Name: "last_fault"}, ">", Word("")},
}

// scheduled returns the condition that a publication s of the entry of r is scheduled and meets
// condition.
func (p *planner) scheduled(r row, condition Cond) Cond {
	column := func(name string) Column { return Column{Alias: "s", Name: name} }
	return Exists{
		From: Table{Name: "schedules", Alias: "s", By: PrimaryKey},
		Where: and(Compare{column("project_id"), "=", projectArg}, Compare{column("entry_id"), "=", r.id()},
			Compare{column("action"), "=", Word(core.SchedulePublish)}, condition),
		OneByOne: r.lookup > anyLookup,
	}
}

// statusIndex is the index of approval_requests by collection, status and entry.
const statusIndex = "approval_requests_status"

// requested returns the condition that a request q of the entry of r has a status and meets
// condition. An open request is always the latest of its entry.
func (p *planner) requested(r row, status core.RequestStatus, condition Cond) Cond {
	return Exists{
		From:     Table{Name: "approval_requests", Alias: "q", By: statusIndex},
		Where:    and(requests(status), Compare{Column{Alias: "q", Name: "entry_id"}, "=", r.id()}, condition),
		OneByOne: r.lookup > anyLookup,
	}
}

// requests returns the condition that the request q belongs to the collection and has a status.
func requests(status core.RequestStatus) Cond {
	column := func(name string) Column { return Column{Alias: "q", Name: name} }
	return And{
		Compare{column("project_id"), "=", projectArg}, Compare{column("collection_id"), "=", collectionArg}, Compare{column("status"), "=", Word(status)},
	}
}

// isLatest returns the condition that the request q is the latest of the entry of r.
func isLatest(r row) Cond {
	column := func(name string) Column { return Column{Alias: "h", Name: name} }
	return not(Exists{
		From: Table{Name: "approval_requests", Alias: "h", By: "approval_requests_entry"},
		Where: And{
			Compare{column("project_id"), "=", projectArg}, Compare{column("entry_id"), "=", r.id()}, Compare{column("id"), ">", Column{Alias: "q", Name: "id"}},
		},
		OneByOne: true,
	})
}

// differs returns the condition that readers do not see the content of the draft. See
// core.Entry.Shows.
func (p *planner) differs(r row) Cond {
	switch {
	case r.shelf == entryindex.Draft || r.reworded:
		return always
	case r.shelf == entryindex.Changes:
		return or(p.otherFields(r), p.rewordedMedia(r))
	case p.sel.State == core.StateWithDraft: // the entry has no row on Changes
		return p.rewordedMedia(r)
	default:
		changes := r
		changes.alias = "d"
		column := func(name string) Column { return Column{Alias: "d", Name: name} }
		return or(p.rewordedMedia(r), Exists{
			From: Table{Name: "entry_index", Alias: "d", By: PrimaryKey},
			Where: and(Compare{column("project_id"), "=", projectArg},
				Compare{column("scope"), "=", ScopeOf{collectionArg, entryindex.Scope(0, entryindex.Changes, r.locales[0])}},
				Compare{column("entry_id"), "=", r.id()}, p.otherFields(changes)),
			OneByOne: r.lookup > anyLookup,
		})
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
		if f.Type == core.TypeMedia && !f.Secret() {
			fields = append(fields, Compare{Column{Alias: "v", Name: "field_id"}, "=", Number(f.ID)})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return RewordedSet{Fields: or(fields...)}
}

// maxCandidates is the largest sample of entries that may have a status. Each is looked up in the
// index, which takes about as long as to scan as many rows in the order.
const maxCandidates = 20_000

// candidates returns a set with all entries of the collection that have the status of the
// selection, and few others, or nil if there is no such set.
func (p *planner) candidates() Set {
	column := func(name string) Column { return Column{Alias: "s", Name: name} }
	publications := And{
		Compare{column("project_id"), "=", projectArg}, Compare{column("collection_id"), "=", collectionArg},
		Compare{column("action"), "=", Word(core.SchedulePublish)},
	}
	switch p.sel.Status {
	case core.StatusFailed:
		return ScheduleSet{Index: "schedules_failed", Where: and(publications, failed)}
	case core.StatusInReview:
		return RequestSet{requests(core.RequestPending)}
	case core.StatusScheduled:
		return Union{RequestSet{requests(core.RequestApproved)}, ScheduleSet{Index: PrimaryKey, Where: publications}}
	case core.StatusSentBack:
		return RequestSet{requests(core.RequestRevision)}
	case core.StatusRejected:
		return RequestSet{requests(core.RequestRejected)}
	default:
		return nil
	}
}

// rewordedOnly returns the set of the only entries that a scan of b must read: it reads
// entries without another draft, and the status needs one that differs. Otherwise it returns
// nil.
func (p *planner) rewordedOnly(b branch) Set {
	if p.sel.Status == "" || b.row.shelf != entryindex.Published || p.sel.State != core.StateWithDraft {
		return nil
	}
	if needs, _ := statusRule(p.sel.Status); !needs.Has(core.FactDiffers) {
		return nil
	}
	return p.rewordedSet()
}
