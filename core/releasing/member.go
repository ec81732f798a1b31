package releasing

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// MemberContent is a member of a release with what it changes for readers.
type MemberContent struct {
	Member

	Snapshot  *core.Version // what is or would be submitted; nil: the member is unpublished, or its entry is gone
	Published *core.Version // the base; nil: none
	// Patch is the JSON Patch from Published to Snapshot.
	Patch json.RawMessage
	// From is what the request of an earlier round would have published, and FromPatch the JSON Patch from that to
	// Snapshot. nil unless the caller named a request, From also if the entry was to be unpublished.
	From       *core.Version
	FromPatch  json.RawMessage
	Changes    []core.Change     // from From, if the caller named a request, or else from Published, to Snapshot
	Fields     []*core.Field     // definitions, without secret fields
	Components []*core.Component // by slug
	Library    []core.MediaItem  // the media of the versions that still exist
	Faults     []core.FieldError // of a member of an open release; locations are in the entry
	Withheld   []core.Withheld   // of the draft, if the actor may read it
	Assistants []core.FieldBy    // the fields of Snapshot that assistants changed after the base
}

// Member returns a member of a release with its content: of an open release as it would be submitted now. If from is
// not 0, it also compares with the member in an earlier round, whose request from is. It returns core.ErrNotFound for
// an entry that is no member, and for a request of another release, without the entry or that the actor may not see.
func (rs *Releases) Member(ctx context.Context, actor core.Actor, project *core.Project, id, entryID, from int64) (*MemberContent, error) {
	r, err := rs.Release(ctx, actor, project, id)
	if err != nil {
		return nil, err
	}
	all, err := rs.members(ctx, actor, &r)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(m Member) bool { return m.EntryID == entryID })
	if at < 0 {
		return nil, core.NotFound("member")
	}
	m := &MemberContent{Member: all[at]}
	if err := rs.complete(ctx, actor, project, &r, all[at:at+1]); err != nil {
		return nil, err
	}
	m.Member = all[at]
	collection, err := rs.stores.Collections.Collection(ctx, project.ID, m.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		collection, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := rs.snapshot(ctx, actor, project, &r, m, all, collection); err != nil {
		return nil, err
	}
	if from != 0 {
		if m.From, err = rs.earlier(ctx, actor, project, &r, entryID, from, collection); err != nil {
			return nil, err
		}
	}
	if collection != nil && m.Snapshot != nil {
		if m.Assistants, err = ports.AssistantFields(ctx, rs.stores, collection, project.ID, entryID, m.BaseHash, m.ContentHash); err != nil {
			return nil, err
		}
	}
	return m, rs.compare(ctx, project, m, collection, from != 0)
}

// earlier returns what a request of r would have published of an entry; nil: the entry was to be unpublished.
func (rs *Releases) earlier(
	ctx context.Context, actor core.Actor, project *core.Project, r *release.Release, entryID, requestID int64, c *core.Collection,
) (*core.Version, error) {
	request, err := rs.stores.Requests.Request(ctx, project.ID, requestID)
	if errors.Is(err, core.ErrNotFound) || err == nil && (request.Release == nil || request.Release.ID != r.ID || !request.VisibleTo(actor, project)) {
		return nil, core.NotFound("approval request")
	}
	if err != nil {
		return nil, err
	}
	items, err := rs.stores.Requests.Items(ctx, project.ID, requestID, entryID)
	switch {
	case err != nil:
		return nil, err
	case len(items) == 0:
		return nil, core.NotFound("member")
	case items[0].Action == schedule.Unpublish:
		return nil, nil
	}
	return new(c.VersionOf(items[0].Fields(), items[0].Media())), nil
}

// snapshot sets the snapshot of m. A holder of a custom role gets nothing of drafts.
func (rs *Releases) snapshot(
	ctx context.Context, actor core.Actor, project *core.Project, r *release.Release, m *MemberContent, all []Member, c *core.Collection,
) error {
	if r.State != release.Open {
		item, err := rs.stores.Releases.Submitted(ctx, project.ID, r.ID, m.EntryID)
		if err != nil {
			return err
		}
		if m.Action == schedule.Publish {
			m.Snapshot = new(c.VersionOf(item.Fields(), item.Media()))
		}
		return nil
	}
	if actor.RoleInProject(project) == "" {
		return nil
	}
	s, err := rs.sealedAmong(ctx, actor, project, m.Member.Member, all)
	if err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	one := s.all[slices.IndexFunc(s.all, func(m2 *sealed) bool { return m2.EntryID == m.EntryID })]
	if m.Faults = one.found.List; one.gone {
		return nil
	}
	m.Withheld = c.Withheld(one.entry.Draft)
	if m.Action == schedule.Publish && one.doc != nil {
		m.Snapshot = new(c.VersionOf(one.doc, s.media(one)))
	}
	return nil
}

// compare sets the base of m, and how it, or m.From if earlier is true, differs from the snapshot.
func (rs *Releases) compare(ctx context.Context, project *core.Project, m *MemberContent, c *core.Collection, earlier bool) error {
	var base core.Document
	if m.BaseNumber != 0 {
		found, err := rs.stores.Publications.Contents(ctx, project.ID, []core.PublicationKey{{EntryID: m.EntryID, Number: m.BaseNumber}})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			base = found[0].Content
		}
	}
	if c != nil {
		shown := c.References(core.Document(base.Value("fields")))
		for _, v := range []*core.Version{m.Snapshot, m.From} {
			if v != nil {
				shown.Join(c.References(v.Fields))
			}
		}
		shown.Settle()
		var err error
		if m.Library, err = ports.MediaShown(ctx, rs.stores.Media, project.ID, shown); err != nil {
			return err
		}
		m.Fields = slices.DeleteFunc(slices.Clone(c.Fields), (*core.Field).Secret)
		components := c.Components()
		for _, slug := range slices.Sorted(maps.Keys(components)) {
			m.Components = append(m.Components, components[slug])
		}
	}
	if base != nil {
		fields, media := core.Document(base.Value("fields")), core.Document(base.Value("media"))
		if media == nil && c != nil {
			media = c.Seal(fields, m.Library)
		}
		m.Published = new(c.VersionOf(fields, media))
	}
	from, to := m.Published.Document(), m.Snapshot.Document()
	var err error
	if m.Patch, err = core.Patch(from, to); err != nil {
		return err
	}
	if earlier {
		from = m.From.Document()
		if m.FromPatch, err = core.Patch(from, to); err != nil {
			return err
		}
	}
	m.Changes = c.Changes(from, to)
	return nil
}

// Mark keeps the actor's marks of members that the actor has seen, with their content. It returns
// core.KindConflict with the code content_changed if one has other content, and core.ErrInvalid, by index, for one
// that is no member.
func (rs *Releases) Mark(ctx context.Context, actor core.Actor, project *core.Project, id int64, marks []release.Mark) error {
	if err := checkCall("members", len(marks)); err != nil {
		return err
	}
	r, err := rs.Release(ctx, actor, project, id)
	if err != nil {
		return err
	}
	if r.State == release.Open {
		return core.Conflict("not_submitted", "the release is open: marks are for what was submitted")
	}
	members, err := rs.stores.Releases.Members(ctx, project.ID, r.ID, false)
	if err != nil {
		return err
	}
	if err := checkMarks(marks, members); err != nil {
		return err
	}
	return rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Releases.Mark(ctx, project.ID, r.ID, actor.UserID(), marks)
	})
}

// checkMarks checks marks against the members of a release.
func checkMarks(marks []release.Mark, members []release.Member) error {
	hashes := make(map[int64]string, len(members))
	for _, m := range members {
		hashes[m.EntryID] = m.ContentHash
	}
	var found core.Faults
	seen := map[int64]bool{}
	conflict := core.Conflict("content_changed", "members have other content by now")
	for i, mark := range marks {
		at := memberAt(i)
		hash, in := hashes[mark.EntryID]
		switch {
		case mark.EntryID == 0:
			found.Add(at+".entryId", nil, "is required")
		case !in:
			found.Add(at+".entryId", mark.EntryID, "is no member of the release")
		case seen[mark.EntryID]:
			found.Add(at+".entryId", mark.EntryID, "is in the list twice")
		case hash != mark.ContentHash:
			conflict.Fields = append(conflict.Fields, core.FieldError{Location: at + ".contentHash", Message: "is not the hash of the member"})
		}
		seen[mark.EntryID] = true
	}
	if err := found.Err(); err != nil || len(conflict.Fields) == 0 {
		return err
	}
	return conflict
}

// memberAt returns the location of the member with an index in the body of a call.
func memberAt(i int) string { return "members[" + strconv.Itoa(i) + "]" }
