package releasing

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// Fault is what keeps a release from being submitted.
type Fault struct {
	core.FieldError

	Code    string // member_gone, in_review, invalid or empty_release
	EntryID int64  // 0: the release as a whole
}

// Warning is what readers would notice after the release, and what nothing is refused for.
type Warning struct {
	Code     string // target_not_public, still_referred or changes_nothing
	EntryID  int64
	Location string // in the entry; empty: the whole entry
	Message  string
}

// The codes of faults and warnings.
const (
	CodeGone       = "member_gone"
	CodeInReview   = "in_review"
	CodeInvalid    = "invalid"
	CodeEmpty      = "empty_release"
	CodeNotPublic  = "target_not_public"
	CodeReferred   = "still_referred"
	CodeNoChange   = "changes_nothing"
	MaxWarnings    = 100
	maxBytesInText = "32 MiB"
)

// Check is what a submission would answer.
type Check struct {
	Faults   []Fault
	Warnings []Warning // the first MaxWarnings
	Total    int       // the number of all warnings
	Reviewed bool      // a submission opens a request; otherwise it publishes
}

// Check returns every fault of every member of an open release that a submission would answer, and warnings. Of a
// submitted release it returns the warnings of what was submitted, as readers would notice them now.
func (rs *Releases) Check(ctx context.Context, actor core.Actor, project *core.Project, id int64) (check Check, err error) {
	r, err := rs.Release(ctx, actor, project, id)
	if err != nil {
		return check, err
	}
	var s *sealer
	switch {
	case r.State.Submitted():
		s, err = rs.submitted(ctx, actor, project, &r)
	case r.State == release.Open:
		if s, err = rs.sealed(ctx, actor, project, &r); err == nil {
			check.Faults, err = s.faults(ctx, &r)
		}
	default:
		err = errNotOpen(&r)
	}
	if err != nil {
		return check, err
	}
	check.Reviewed = s.governed
	warnings, err := s.warnings(ctx)
	check.Warnings, check.Total = warnings[:min(len(warnings), MaxWarnings)], len(warnings)
	return check, err
}

// sealed returns the sealer of all members of an open release.
func (rs *Releases) sealed(ctx context.Context, actor core.Actor, project *core.Project, r *release.Release) (*sealer, error) {
	members, err := rs.stores.Releases.Members(ctx, project.ID, r.ID, true)
	if err != nil {
		return nil, err
	}
	return rs.sealer(ctx, actor, project, members)
}

// submitted returns a sealer of all members of a submitted release, with the content that was submitted.
func (rs *Releases) submitted(ctx context.Context, actor core.Actor, project *core.Project, r *release.Release) (*sealer, error) {
	members, err := rs.stores.Releases.Members(ctx, project.ID, r.ID, false)
	if err != nil {
		return nil, err
	}
	s := rs.newSealer(actor, project, r.RequestID != 0)
	var items []review.RequestItem
	if s.governed {
		items, err = rs.stores.Requests.Items(ctx, project.ID, r.RequestID)
	} else {
		items, err = rs.stores.Releases.Items(ctx, project.ID, r.ID)
	}
	if err != nil {
		return nil, err
	}
	return s, s.asSubmitted(ctx, members, items)
}

// sealer returns a sealer that has sealed members.
func (rs *Releases) sealer(ctx context.Context, actor core.Actor, project *core.Project, members []release.Member) (*sealer, error) {
	s, err := rs.sealerOf(ctx, actor, project, members)
	if err != nil {
		return nil, err
	}
	return s, s.seal(ctx, members)
}

// sealedAmong returns a sealer that has sealed one member of an open release, and knows of the others what its check
// needs: what they do, and the past publications with whose unique values its own may collide.
func (rs *Releases) sealedAmong(ctx context.Context, actor core.Actor, project *core.Project, one release.Member, all []Member) (*sealer, error) {
	members := make([]release.Member, len(all))
	for i := range all {
		members[i] = all[i].Member
	}
	s, err := rs.sealerOf(ctx, actor, project, members)
	if err != nil {
		return nil, err
	}
	s.others = map[int64]release.Member{}
	together := []release.Member{}
	for _, m := range all {
		if m.EntryID == one.EntryID || one.From != 0 && m.From != 0 && m.CollectionID == one.CollectionID && m.Locale == one.Locale {
			together = append(together, m.Member)
		} else if !m.Gone {
			s.others[m.EntryID] = m.Member
		}
	}
	return s, s.seal(ctx, together)
}

// sealerOf returns a sealer of members of an open release, all of them or one among them.
func (rs *Releases) sealerOf(ctx context.Context, actor core.Actor, project *core.Project, members []release.Member) (*sealer, error) {
	collections, err := rs.stores.Collections.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	s := rs.newSealer(actor, project, false)
	s.collections = collections
	if s.workflow, err = publishing.Workflow(ctx, rs.stores.Workflows, project.ID); err != nil {
		return nil, err
	}
	s.governed = s.workflow != nil && s.workflow.GovernsAny(collections, release.CollectionsOf(members))
	return s, nil
}

// mayHide returns an error unless the actor may submit a release with the members that take entries offline; see
// review.Workflow.MayHideIn.
func (s *sealer) mayHide() error {
	for _, m := range s.all {
		if m.Action != schedule.Unpublish || m.gone {
			continue
		}
		if err := s.workflow.MayHideIn(s.actor, s.project, m.schema.Collection.Slug); err != nil {
			return err
		}
	}
	return nil
}

func (rs *Releases) newSealer(actor core.Actor, project *core.Project, governed bool) *sealer {
	return &sealer{stores: rs.stores, writer: rs.writer, actor: actor, project: project, governed: governed, files: rs.publisher.Files}
}

// faults returns all faults of the release and its members, by entry id.
func (s *sealer) faults(ctx context.Context, r *release.Release) ([]Fault, error) {
	if len(s.all) == 0 {
		return []Fault{{core.FieldError{Location: "members", Message: "is empty: add entries first"}, CodeEmpty, 0}}, nil
	}
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	reviewed, err := s.inReview(ctx, r)
	if err != nil {
		return nil, err
	}
	faults, size := []Fault{}, 0
	for _, m := range s.all {
		size += len(m.item.Snapshot)
		at := func(location string) string { return release.MemberLocation(m.EntryID, location) }
		if message := reviewed[m.EntryID]; message != "" {
			faults = append(faults, Fault{core.FieldError{Location: at(""), Message: message}, CodeInReview, m.EntryID})
		}
		if m.gone {
			faults = append(faults, Fault{core.FieldError{Location: at(""), Message: "is deleted or in the trash"}, CodeGone, m.EntryID})
		}
		for _, f := range m.found.List {
			f.Location = at(f.Location)
			faults = append(faults, Fault{f, CodeInvalid, m.EntryID})
		}
	}
	if size > release.MaxBytes {
		faults = append(faults, Fault{core.FieldError{Location: "members", Message: "have more than " + maxBytesInText + " of content: take some out"}, CodeInvalid, 0})
	}
	return faults, nil
}

// inReview returns why entries cannot be submitted, by id: each has an open request, or is in another release that
// is submitted.
func (s *sealer) inReview(ctx context.Context, r *release.Release) (map[int64]string, error) {
	var entryIDs []int64
	for _, m := range s.all {
		entryIDs = append(entryIDs, m.EntryID)
	}
	own, err := s.stores.Requests.Summaries(ctx, s.project.ID, entryIDs)
	if err != nil {
		return nil, err
	}
	releases, err := s.stores.Releases.Summaries(ctx, s.project.ID, entryIDs)
	reasons := map[int64]string{}
	for id, a := range own {
		if a.Status.Open() {
			reasons[id] = "has the open request " + a.ReleaseNumber
		}
	}
	for id, other := range releases {
		if other.State.Submitted() && other.ID != r.ID {
			reasons[id] = fmt.Sprintf("is in the submitted release %q (%s)", other.Name, describe(other))
		}
	}
	return reasons, err
}

// describe names a release by its number or its id.
func describe(r release.Summary) string {
	if r.ReleaseNumber != "" {
		return r.ReleaseNumber
	}
	return "release " + strconv.FormatInt(r.ID, 10)
}

// errorOf returns all faults as one error: a conflict if one of them is, or nil.
func errorOf(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	fields := make([]core.FieldError, len(faults))
	for i, f := range faults {
		fields[i] = f.FieldError
	}
	err := core.Invalid(fields...)
	for _, code := range []string{CodeGone, CodeInReview} {
		if slices.ContainsFunc(faults, func(f Fault) bool { return f.Code == code }) {
			err = core.Conflict(code, "%s", conflicts[code])
			err.Fields = fields
		}
	}
	return err
}

var conflicts = map[string]string{
	CodeGone:     "entries of the release are deleted or in the trash: take them out",
	CodeInReview: "entries of the release are in review already: withdraw their requests, or take them out",
}

// warnings returns what points to something that readers do not see after the release, and what outside refers to an
// entry that goes.
func (s *sealer) warnings(ctx context.Context) ([]Warning, error) {
	warnings := []Warning{}
	ending := map[int64]*sealed{} // by group that readers no longer see
	for _, m := range s.all {
		switch {
		case m.gone:
		case m.Action == schedule.Publish:
			if m.item.ContentHash == m.item.BaseHash {
				warnings = append(warnings, Warning{CodeNoChange, m.EntryID, "", "changes nothing: readers see this version already"})
			}
			warnings = append(warnings, s.pointing(m)...)
		case !s.comes(m.entry.Group):
			ending[m.entry.Group] = m
		}
	}
	if len(ending) == 0 {
		return warnings, nil
	}
	return s.referring(ctx, warnings, ending)
}

// comes reports whether readers see another entry of the group after the release: one that it publishes.
func (s *sealer) comes(group int64) bool {
	return slices.ContainsFunc(s.all, func(m *sealed) bool { return !m.gone && m.Action == schedule.Publish && m.entry.Group == group })
}

// pointing returns a warning for each reference of m whose target readers do not see after the release.
func (s *sealer) pointing(m *sealed) (warnings []Warning) {
	type target struct {
		field string
		group int64
	}
	seen := map[target]bool{}
	m.schema.Collection.EachReference(m.doc, func(f *core.Field) bool { return !f.Secret() }, func(f *core.Field, to core.Reference) {
		at := target{f.Name, to.ID}
		if to.Target != core.ToGroup || s.targets.public[to.ID] || seen[at] || m.found.HasField(f.Name) {
			return
		}
		seen[at] = true
		warnings = append(warnings, Warning{
			CodeNotPublic, m.EntryID, core.FieldLocation(f.Name), "refers to " + s.named(to.ID) + ", which readers do not see after the release",
		})
	})
	return warnings
}

// named names an entry of a group.
func (s *sealer) named(group int64) string {
	for _, e := range s.targets.groups[group] {
		for _, c := range s.collections {
			if title := c.Title(e.Draft); c.ID == e.CollectionID && title != "" {
				return strconv.Quote(title) + " (entry " + strconv.FormatInt(e.ID, 10) + ")"
			}
		}
	}
	return "entry " + strconv.FormatInt(group, 10)
}

// referring adds a warning for each entry outside the release with a published version that refers to an entry of
// the groups of ending.
func (s *sealer) referring(ctx context.Context, warnings []Warning, ending map[int64]*sealed) ([]Warning, error) {
	groups := make([]int64, 0, len(ending))
	for group := range ending {
		groups = append(groups, group)
	}
	slices.Sort(groups)
	visible, err := s.stores.Entries.Serving(ctx, s.project.ID, core.StatePublished, groups, uint64(1)<<len(s.project.Locales)-1, false)
	if err != nil {
		return warnings, err
	}
	inside := map[int64]bool{}
	for _, m := range s.all {
		inside[m.EntryID] = true
	}
	for _, r := range visible {
		if !inside[r.ID] {
			delete(ending, r.Group) // a translation stays
		}
	}
	referrers, err := s.stores.Entries.PublicReferrers(ctx, s.project.ID, groups)
	for _, r := range referrers {
		if m := ending[r.Group]; m != nil && !inside[r.EntryID] {
			warnings = append(warnings, Warning{
				CodeReferred, m.EntryID, "", "is referred to by the published entry " + strconv.FormatInt(r.EntryID, 10) + ", which is not in the release",
			})
		}
	}
	return warnings, err
}
