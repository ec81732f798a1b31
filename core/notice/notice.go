package notice

import (
	"fmt"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// Notice tells a user about an event that concerns the user.
type Notice struct {
	ID     int64
	UserID int64
	// Key is unique among the notices of a user: what was told is not told again.
	Key       string
	Kind      Kind
	Event     event.Type // the type of the event
	Reminder  bool       // tells again of an earlier event
	ProjectID int64      // 0: none
	// ForAdmins means that only admins of the Project see the notice. Otherwise, everybody does who
	// has a role in the Project or may see the request.
	ForAdmins     bool
	ApprovalID    int64 // the request; 0: none
	ActionID      int64 // the action on the request; 0: none
	CollectionID  int64
	EntryID       int64
	ReleaseID     int64  // 0: none
	Title         string // of the entry or the webhook, or the name of the release
	ReleaseNumber string
	Actor         core.ActorRef // the zero core.ActorRef: nobody acted
	Comment       string        // of the decision, the text of the comment, or why something failed
	Role, Place   string        // as in Event; of Delegation: Place is the name of the user that may decide, and Title of the other one
	At            time.Time
	ReadAt        time.Time // zero: unread
}

// Kind is the kind of a Notice.
type Kind string

// The kinds of notices.
const (
	YourTurn          Kind = "your_turn" // a request waits for the user
	Rejected          Kind = "rejected"
	RevisionRequested Kind = "revision_requested"
	Approved          Kind = "approved" // at one step
	Published         Kind = "published"
	Withdrawn         Kind = "withdrawn"
	Unpublished       Kind = "unpublished" // also trashed and destroyed
	Unreachable       Kind = "unreachable" // no user can approve a step of a request
	Overdue           Kind = "overdue"     // the time of a publication came before its approval
	PublicationFailed Kind = "publication_failed"
	ReleaseFailed     Kind = "release_failed"
	Comment           Kind = "comment"    // on a request
	Mention           Kind = "mention"    // in a comment
	Resolved          Kind = "resolved"   // a comment
	Delegation        Kind = "delegation" // was set or ended
	WebhookOff        Kind = "webhook_off"
	Account           Kind = "account" // another user changed the account or its roles
)

// Kinds returns all kinds of notices, in the order of their declaration.
func Kinds() []Kind {
	return []Kind{
		YourTurn, Rejected, RevisionRequested, Approved, Published, Withdrawn,
		PublicationFailed, WebhookOff, Account, Unpublished, Unreachable, ReleaseFailed,
		Comment, Mention, Resolved, Delegation, Overdue,
	}
}

// Retention is how long notices are kept.
const Retention = 90 * 24 * time.Hour

// noticeEvents maps the types of events to the kinds of the notices that they cause. Submissions and
// approvals also cause YourTurn.
var noticeEvents = map[event.Type]Kind{
	event.RequestSubmitted: YourTurn, event.RequestApproved: Approved, event.RequestRejected: Rejected,
	event.RequestRevisionRequested: RevisionRequested, event.RequestWithdrawn: Withdrawn, event.RequestPublished: Published,
	event.EntryUnpublished: Unpublished, event.EntryTrashed: Unpublished, event.EntryDestroyed: Unpublished,
	event.PublicationFailed: PublicationFailed, event.ReleaseFailed: ReleaseFailed, event.WebhookOff: WebhookOff,
	event.CommentCreated: Comment, event.CommentUpdated: Mention, event.CommentResolved: Resolved,
	event.UserUpdated: Account, event.EmailChanged: Account, event.PasswordChanged: Account, event.UserLinked: Account, event.UserUnlinked: Account,
	event.MemberUpdated: Account, event.MemberRemoved: Account, event.MemberKept: Account, event.DomainLost: Account,
	event.RoleGiven: Account, event.RoleTaken: Account, event.DelegationCreated: Delegation, event.DelegationEnded: Delegation,
	event.FactorAdded: Account, event.FactorRemoved: Account, event.FactorUsedBack: Account, event.RecoveryRenewed: Account, event.RecoveryUsed: Account,
}

// OfType returns the kind of the notices that events of the type cause, or "".
func OfType(t event.Type) Kind { return noticeEvents[t] }

// Link returns the path of the page of the dashboard that n is about.
func (n *Notice) Link() string {
	switch {
	case n.Kind == WebhookOff:
		return fmt.Sprintf("/dashboard/projects/%d/webhooks", n.ProjectID)
	case n.ReleaseID != 0:
		return fmt.Sprintf("/dashboard/projects/%d/releases/%d", n.ProjectID, n.ReleaseID)
	case n.EntryID == 0:
		return "/dashboard/account"
	case n.ApprovalID != 0:
		return fmt.Sprintf("/dashboard/review/%d/%d/%d", n.ProjectID, n.CollectionID, n.EntryID)
	default:
		return fmt.Sprintf("/dashboard/projects/%d/collections/%d/entries/%d", n.ProjectID, n.CollectionID, n.EntryID)
	}
}

// VisibleTo reports whether the actor may see n now. p is the Project of n, r the request; nil: none.
func (n *Notice) VisibleTo(actor core.Actor, p *core.Project, r *review.Request) bool {
	switch {
	case n.ProjectID == 0:
		return true
	case n.ForAdmins:
		return actor.RoleInProject(p).Includes(core.RoleAdmin)
	default:
		return actor.RoleInProject(p) != "" || r != nil && r.VisibleTo(actor, p)
	}
}

// Persons returns the ids of the users among refs, ascending, each once: the users themselves, and
// the creators of tokens.
func Persons(refs ...core.ActorRef) (ids []int64) {
	for _, ref := range refs {
		if person := ref.Person(); person != 0 {
			ids = append(ids, person)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mailed are the kinds of which users get e-mails unless they set otherwise.
var mailed = []Kind{YourTurn, Rejected, RevisionRequested, Unpublished, Unreachable, PublicationFailed, WebhookOff, Account, ReleaseFailed, Mention, Delegation, Overdue}

// Mails reports whether the user gets e-mails for notices of the kind.
func Mails(s core.Settings, kind Kind) bool {
	differs := s.Mail>>slices.Index(Kinds(), kind)&1 == 1
	return slices.Contains(mailed, kind) != differs
}

// MailsAbout reports whether the user gets an e-mail for n: always for changes of an account that only
// its owner makes (event.Type.TellsOwner).
func MailsAbout(s core.Settings, n *Notice) bool { return n.Event.TellsOwner() || Mails(s, n.Kind) }

// SetMails sets whether the user gets e-mails for notices of the kind.
func SetMails(s *core.Settings, kind Kind, mails bool) {
	if Mails(*s, kind) != mails {
		s.Mail ^= 1 << slices.Index(Kinds(), kind)
	}
}

// CommentKey returns the key of the notices of that kind about a comment.
func CommentKey(kind Kind, id int64) string { return fmt.Sprintf("%s %d", kind, id) }

// Of returns the kind of the notices that e causes, or "": readers must lose something by the end of an entry.
func Of(e *event.Event) Kind {
	kind := OfType(e.Type)
	if kind == Unpublished && (e.ContentHash == "" || e.ReleaseID != 0) { // the notices of a release are about all of it
		return ""
	}
	return kind
}
