package event

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"imprimatur/core"
)

// Event is one committed change. It is recorded in the transaction of the change. It contains
// no content of drafts. Members that do not apply are zero.
type Event struct {
	ID        int64 // ascending; see ports.EventStore for the order of commits
	Type      Type
	At        time.Time // the database's clock
	Actor     core.ActorRef
	TenantID  int64 // 0: the event belongs to no Tenant
	ProjectID int64 // 0: the event belongs to no Project
	// SubjectID is the id of the changed thing if no other member has the id: a media item,
	// component, token, user, department, custom role, signing key, approval request, comment, delegation or identity provider. For a session or a role in a scope it is the id
	// of the user.
	SubjectID     int64
	Collection    string // slug
	EntryID       int64
	Locale        string
	ContentHash   string // of the submitted, decided or published content; see core.Collection.Snapshot
	ReleaseNumber string
	RequestID     string // the id of the HTTP request
	Group         int64  // the translation group of EntryID
	Slug          string // of what was published: its first slug field; of a component
	// Reason is why the entry was unpublished, trashed or destroyed, in the words of the actor; of SessionCreated
	// account.SessionOrigin.Said.
	Reason string
	// Role and Place say which role a user has got or lost, and where: a Role or the name of a custom role, and
	// the name of the Tenant, Department or Project then.
	Role, Place string
	// Import says whether an import made the change. The transaction sets it from its Actor.
	Import core.Import
	// Imported is what an import has done, of ImportFinished.
	Imported *Imported
	// ReleaseID is the release that the event is about, or that has published or unpublished the entry; 0: none.
	ReleaseID int64
	// Released has the entries of ReleasePublished.
	Released *Released
	// Public reports whether the change is one that readers of published content, or of the media
	// library, see. Stores set it for the types that are always public, see Type.Shown.
	Public bool
}

// Released has the entries that a release published or unpublished.
type Released struct {
	Entries []ReleasedEntry `json:"entries"`
}

// ReleasedEntry is an entry of Released.
type ReleasedEntry struct {
	ID         int64  `json:"id"`
	Group      int64  `json:"group"`
	Collection string `json:"collection"` // slug
	Locale     string `json:"locale"`
}

// Imported is the result of an import.
type Imported struct {
	Counts      ImportCounts `json:"counts"`
	Collections []string     `json:"collections"` // slugs of the collections that it wrote
}

// ImportCounts counts the entries of an import, translations included, and the refused lines.
type ImportCounts struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
}

// MaxReason is the maximum length of Event.Reason in code points.
const MaxReason = 500

// Passes reports whether e is about one of the collections and one of the locales; none: no restriction. An event
// about no collection is about all, and so are those about no locale. The event of a release passes if one
// of its entries does.
func (e *Event) Passes(collections, locales []string) bool {
	if e.Released != nil {
		return slices.ContainsFunc(e.Released.Entries, func(r ReleasedEntry) bool {
			return (len(collections) == 0 || slices.Contains(collections, r.Collection)) && (len(locales) == 0 || slices.Contains(locales, r.Locale))
		})
	}
	return (len(collections) == 0 || e.ofAny(collections)) && (e.Locale == "" || len(locales) == 0 || slices.Contains(locales, e.Locale))
}

// ofAny reports whether e is about one of the collections. An event about none is about all.
func (e *Event) ofAny(collections []string) bool {
	if e.Imported != nil {
		return slices.ContainsFunc(e.Imported.Collections, func(slug string) bool { return slices.Contains(collections, slug) })
	}
	return e.Collection == "" || slices.Contains(collections, e.Collection)
}

// OfEntry returns the events, at least one, of a write that changes an entry of the schema's
// collection from before to after. before is nil for a new entry; only its times are used.
func OfEntry(schema core.Schema, before, after *core.Entry) []Event {
	var events []Event
	add := func(happened bool, t Type) {
		if happened {
			events = append(events, ofEntry(schema, t, after))
		}
	}
	was, is := before.IsPublic(), after.IsPublic()
	if before == nil {
		add(true, EntryCreated)
		before = &core.Entry{UpdatedAt: after.UpdatedAt}
	}
	add(!after.UpdatedAt.Equal(before.UpdatedAt), EntryUpdated)
	if after.Published != nil && !after.ReleasedAt.Equal(before.ReleasedAt) {
		add(true, EntryPublished)
		events[len(events)-1].ReleaseID = after.Move.ReleaseID
		events[len(events)-1].ContentHash = after.PublishedHash
		events[len(events)-1].Slug = schema.Collection.Slugged(after.Published)
		events[len(events)-1].Public = is
	}
	add(after.Published == nil && !before.PublishedAt.IsZero(), EntryUnpublished)
	add(before.TrashedAt.IsZero() && !after.TrashedAt.IsZero(), EntryTrashed)
	if was && !is {
		events[len(events)-1].ContentHash, events[len(events)-1].Reason = before.PublishedHash, after.Reason
		events[len(events)-1].ReleaseID = after.Move.ReleaseID
	}
	add(!before.TrashedAt.IsZero() && after.TrashedAt.IsZero(), EntryRestored)
	add(len(events) == 0, EntryUpdated) // two writes in the same millisecond
	redated := is && !after.CreatedAt.Equal(before.CreatedAt)
	if was != is || redated {
		events[len(events)-1].Public = true
	}
	return events
}

// OfDestroyed returns the event of the end of e, which is in the trash, with the reason. Its ContentHash is that
// of the version that restoring the entry would have published.
func OfDestroyed(schema core.Schema, e *core.Entry, reason string) Event {
	event := ofEntry(schema, EntryDestroyed, e)
	event.ContentHash, event.Reason = e.PublishedHash, reason
	return event
}

// ofEntry returns an event of that type for e, without ContentHash.
func ofEntry(schema core.Schema, t Type, e *core.Entry) Event {
	return Event{
		Type: t, TenantID: schema.Project.TenantID, ProjectID: schema.Project.ID,
		Collection: schema.Collection.Slug, EntryID: e.ID, Locale: e.Locale, Group: e.Group, Public: t == EntryDestroyed && e.IsPublic(),
	}
}

// Digest tells the event from others that a database may have under the same id after it was restored.
func (e *Event) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %s %d %d %d %d %d %q", e.ID, e.At.UnixMilli(), e.Type, e.Actor.Kind, e.Actor.ID,
		e.TenantID, e.ProjectID, e.SubjectID, e.EntryID, e.RequestID))
	return hex.EncodeToString(sum[:8])
}

// OfToken returns the event of an update of a token. t is the token after the update.
func OfToken(t core.Token) Event {
	event := Event{Type: TokenUpdated, ProjectID: t.ProjectID, SubjectID: t.ID}
	if !t.RevokedAt.IsZero() {
		event.Type = TokenRevoked
	}
	return event
}

// OfUser returns the types of the events of a change of an account: one for a new address, one
// for a new password, and UserUpdated for any other change, or if nothing has changed.
func OfUser(before, after core.User) (types []Type) {
	if before.Email != after.Email {
		types = append(types, EmailChanged)
	}
	if before.PasswordHash != after.PasswordHash {
		types = append(types, PasswordChanged)
	}
	rest := before
	rest.Email, rest.PasswordHash, rest.MustChangePassword = after.Email, after.PasswordHash, after.MustChangePassword
	rest.TOTP, rest.Passkeys, rest.Generation, rest.LastSignInAt = after.TOTP, after.Passkeys, after.Generation, after.LastSignInAt
	rest.UpdatedAt, rest.CreatedAt = after.UpdatedAt, after.CreatedAt
	if len(types) == 0 || rest != after {
		types = append(types, UserUpdated)
	}
	return types
}
