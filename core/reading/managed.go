package reading

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fileurl"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// The states of a Managed entry.
const (
	StateDraft     = "draft"
	StatePublished = "published"
)

// Managed is an entry as editors see it: the draft.
type Managed struct {
	ID                    int64
	CollectionID          int64
	Locale                string
	TranslationGroup      int64
	State                 string // StateDraft or StatePublished
	HasUnpublishedChanges bool
	Status                entrystatus.Status
	Version               int64
	PublishedAt           *time.Time
	// ScheduledPublishAt is the time at which the entry will be published. It is nil unless the
	// publication was scheduled without a workflow, or approved.
	ScheduledPublishAt *time.Time
	// ScheduledPublishFault is the error of the last attempt, which will be retried; nil: none.
	ScheduledPublishFault *string
	// ScheduledUnpublishAt is the time at which the entry will be unpublished, scheduled without
	// a workflow or approved; nil: never.
	ScheduledUnpublishAt *time.Time
	CreatedAt            time.Time
	UpdatedAt            time.Time
	TrashedAt            *time.Time
	// Fields is the draft in the collection's order, with null for absent values. It has no
	// passwords, and hidden fields only from Drafts.WithHidden. A relation is the id of the entry, published or not, that serves the
	// holder's locale; media are ids of items that exist.
	Fields   json.RawMessage
	Approval *review.ApprovalSummary
	// Release is that of ports.ReleaseReader.Summaries.
	Release *release.Summary
	// Faults are the faults that prevent the publication of the draft; empty: none. Entries of
	// lists have nil.
	Faults []Fault
	// Withheld is what the draft has in its items that the definition does not admit. Entries of lists have
	// none.
	Withheld []core.Withheld
	// Tag is the ETag. Entries of lists have the version alone.
	Tag core.EntryTag
	// Derived has the names of the slugs that are made from the present values of their sources.
	// Entries of lists have none.
	Derived []string
	// Dropped has the names of the fields of a restored revision that no longer exist. nil unless
	// the entry is the result of restoring a revision.
	Dropped []string
	// Warnings are those of the request that the write opened.
	Warnings []review.StepWarning
	// Cleaned has what the write removed from its values. nil unless the entry is the result of a
	// write.
	Cleaned []core.Cleaned
}

// Fault is an option of a field that a draft does not meet.
type Fault struct {
	Message  string
	Location string // "fields.title", "fields.tags[2]"
}

// presenter shows entries as Managed.
type presenter struct {
	stores ports.Stores
	files  fileurl.Base
	own    []fileurl.Base // of this installation
	hidden bool           // shows the values of hidden fields
}

// one returns an entry of schema's collection as Managed, with its Faults.
func (p *presenter) one(ctx context.Context, schema core.Schema, e core.Entry) (*Managed, error) {
	managed, err := p.all(ctx, schema, []core.Entry{e}, nil)
	if err != nil {
		return nil, err
	}
	managed[0].describe(schema.Collection, &e)
	managed[0].Faults, err = p.faults(ctx, schema, &e, managed[0].Fields)
	return &managed[0], err
}

// describe sets what lists leave out.
func (m *Managed) describe(c *core.Collection, e *core.Entry) {
	m.Derived, m.Withheld = c.DerivedSlugs(e.Draft, e.Locale), c.Withheld(e.Draft)
	m.Tag.Withheld = c.WithheldTag(e.Draft)
}

// Written returns the result of a write as Managed, with its Faults. It reads a request and a
// schedule only if the entry may have one.
func (p *presenter) Written(ctx context.Context, w *core.Written) (*Managed, error) {
	if w.Planned {
		m, err := p.one(ctx, w.Schema, w.Entry)
		if err == nil {
			m.Dropped, m.Cleaned = w.Dropped, w.Cleaned
			m.Warnings, err = p.warnings(ctx, w)
		}
		return m, err
	}
	fields, library, err := p.fields(ctx, w.Schema, []core.Row{w.Row(core.StateWithDraft)}, nil)
	if err != nil {
		return nil, err
	}
	m := newManaged(&w.Entry, fields[0], entrystatus.FactsOf(w.Schema.Collection, &w.Entry, library, "", nil))
	m.describe(w.Schema.Collection, &w.Entry)
	m.Cleaned = w.Cleaned
	m.Faults, err = p.faults(ctx, w.Schema, &w.Entry, m.Fields)
	return &m, err
}

// warnings returns the steps that no user can approve of the request that the write opened, if any.
func (p *presenter) warnings(ctx context.Context, w *core.Written) ([]review.StepWarning, error) {
	if !w.Submitted {
		return nil, nil
	}
	requests, err := p.stores.Requests.EntryRequests(ctx, w.ProjectID, w.ID, 1)
	if err != nil || len(requests) == 0 {
		return nil, err
	}
	project := w.Schema.Project
	reviewers, err := p.stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	return requests[0].Deciders(reviewers).Warnings(requests[0].Steps), err
}

// faults returns shownFaults with the pictures of other sites if a workflow governs the entry. It
// asks for a workflow only for a draft with such pictures.
func (p *presenter) faults(ctx context.Context, schema core.Schema, e *core.Entry, shown json.RawMessage) ([]Fault, error) {
	faults, err := shownFaults(ctx, ports.Targets{Entries: p.stores.Entries, Media: p.stores.Media, Titled: p.hidden}, schema, e, shown)
	if err != nil {
		return nil, err
	}
	var pictures core.Faults
	validation.ForeignPictures(schema.Collection, e.Draft, p.own, &pictures)
	if len(pictures.List) == 0 {
		return faults, nil
	}
	workflow, err := p.stores.Workflows.Governing(ctx, schema.Project.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !workflow.Governs(schema.Collection.Slug) {
		return faults, nil
	}
	for _, f := range pictures.List {
		if fault := (Fault{f.Message, f.Location}); !slices.Contains(faults, fault) { // one for all pictures of a text
			faults = append(faults, fault)
		}
	}
	return faults, err
}

// shownFaults returns the faults of the draft of e, not nil. shown is the Managed.Fields of e, which shows
// whether the references of fields that are not secret have targets.
func shownFaults(ctx context.Context, targets ports.Targets, schema core.Schema, e *core.Entry, shown json.RawMessage) ([]Fault, error) {
	values := e.Draft.Values()
	core.Document(shown).Each(func(name, raw []byte) {
		if f := schema.Collection.Field(string(name)); validation.NeedsTargets(f) {
			if values[f.Name] = raw; string(raw) == "null" {
				delete(values, f.Name)
			}
		}
	})
	found, err := targets.Faults(ctx, schema, values, ports.Needs{Exist: func(f *core.Field) bool { return !f.Secret() && !f.Structured() }})
	if err == nil {
		err = targets.AddUnpublished(ctx, schema, e.Draft.Values(), ports.WhollyPublic(e), &found)
	}
	faults := []Fault{}
	for _, f := range found.List {
		faults = append(faults, Fault{f.Message, f.Location})
	}
	return faults, err
}

// all returns entries of schema's collection as Managed, in the same order, with the fields that shown selects;
// nil: all.
func (p *presenter) all(ctx context.Context, schema core.Schema, entries []core.Entry, shown *projection) ([]Managed, error) {
	if len(entries) == 0 {
		return []Managed{}, nil
	}
	rows := make([]core.Row, len(entries))
	ids := make([]int64, len(entries))
	var media []int64 // whose present words are compared with the sealed ones, shown or not
	for i := range entries {
		if shown != nil && entries[i].PublishedMedia != nil {
			media = append(media, schema.Collection.MediaIDs(entries[i].Draft)...)
		}
		rows[i], ids[i] = entries[i].Row(core.StateWithDraft), entries[i].ID
	}
	fields, library, err := p.fields(ctx, schema, rows, shown, media...)
	if err != nil {
		return nil, err
	}
	approvals, err := p.stores.Requests.Summaries(ctx, schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	releases, err := p.stores.Releases.Summaries(ctx, schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	scheduled, err := p.stores.Schedules.ScheduledOf(ctx, schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	publications := map[int64]*schedule.Schedule{}
	for i, p := range scheduled {
		if p.Action == schedule.Publish {
			publications[p.EntryID] = &scheduled[i]
		}
	}
	managed := make([]Managed, len(entries))
	for i := range entries {
		e := &entries[i]
		approval, hasRequest := approvals[e.ID]
		facts := entrystatus.FactsOf(schema.Collection, e, library, approval.Status, publications[e.ID])
		managed[i] = newManaged(e, fields[i], facts)
		if hasRequest {
			managed[i].Approval = &approval
		}
		if r, in := releases[e.ID]; in {
			managed[i].Release = &r
		}
	}
	for _, p := range scheduled {
		managed[slices.Index(ids, p.EntryID)].schedule(p)
	}
	return managed, nil
}

func newManaged(e *core.Entry, fields json.RawMessage, facts entrystatus.Facts) Managed {
	m := Managed{
		ID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, TranslationGroup: e.Group,
		State: StateDraft, HasUnpublishedChanges: facts.Has(entrystatus.FactPublished | entrystatus.FactDiffers), Status: facts.Status(), Version: e.Version, Tag: core.EntryTag{Version: e.Version},
		PublishedAt: optionalTime(e.PublishedAt), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
		TrashedAt: optionalTime(e.TrashedAt), Fields: fields,
	}
	if e.Published != nil {
		m.State = StatePublished
	}
	return m
}

// ShowsDraft reports whether Fields has content that readers do not see.
func (m *Managed) ShowsDraft() bool { return m.State == StateDraft || m.HasUnpublishedChanges }

// Only returns a copy of m with only the fields in named, and without the faults of other fields.
func (m *Managed) Only(named map[string]json.RawMessage) *Managed {
	kept := []byte{'{'}
	core.Document(m.Fields).Each(func(name, raw []byte) {
		if _, ok := named[string(name)]; !ok {
			return
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(append(kept, '"'), name...), `":`...), raw...)
	})
	only := *m
	kept = append(kept, '}')
	only.Fields = kept
	only.Derived = slices.DeleteFunc(slices.Clone(m.Derived), func(name string) bool { _, ok := named[name]; return !ok })
	only.Withheld = slices.DeleteFunc(slices.Clone(m.Withheld), func(w core.Withheld) bool { return !InFields(named, core.FieldLocation(w.Path)) })
	only.Faults = slices.DeleteFunc(slices.Clone(m.Faults), func(f Fault) bool { return !InFields(named, f.Location) })
	return &only
}

// InFields reports whether the location of a fault is in one of the fields in named, or outside all
// fields.
func InFields(named map[string]json.RawMessage, location string) bool {
	name := core.LocatedField(location)
	_, ok := named[name]
	return ok || name == ""
}

// schedule adds p, a schedule of the entry, to m.
func (m *Managed) schedule(p schedule.Schedule) {
	if p.Action == schedule.Unpublish {
		if m.ScheduledUnpublishAt == nil { // the end of a scheduled publication replaces it
			m.ScheduledUnpublishAt = &p.DueAt
		}
		return
	}
	m.ScheduledPublishAt = &p.DueAt
	if !p.UnpublishAt.IsZero() {
		m.ScheduledUnpublishAt = &p.UnpublishAt
	}
	if p.LastFault != "" {
		m.ScheduledPublishFault = &p.LastFault
	}
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
