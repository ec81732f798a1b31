package core

import (
	"fmt"
	"slices"
	"time"
)

// Notice tells a user about an event that concerns the user.
type Notice struct {
	ID     int64
	UserID int64
	// Key is unique among the notices of a user: what was told is not told again.
	Key       string
	Kind      NoticeKind
	Event     EventType // the type of the event
	Reminder  bool      // tells again of an earlier event
	ProjectID int64     // 0: none
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
	Actor         ActorRef // the zero ActorRef: nobody acted
	Comment       string   // of the decision, the text of the comment, or why something failed
	Role, Place   string   // as in Event; of NoticeDelegation: Place is the name of the user that may decide, and Title of the other one
	At            time.Time
	ReadAt        time.Time // zero: unread
}

// NoticeKind is the kind of a Notice.
type NoticeKind string

// The kinds of notices.
const (
	NoticeYourTurn          NoticeKind = "your_turn" // a request waits for the user
	NoticeRejected          NoticeKind = "rejected"
	NoticeRevisionRequested NoticeKind = "revision_requested"
	NoticeApproved          NoticeKind = "approved" // at one step
	NoticePublished         NoticeKind = "published"
	NoticeWithdrawn         NoticeKind = "withdrawn"
	NoticeUnpublished       NoticeKind = "unpublished" // also trashed and destroyed
	NoticeUnreachable       NoticeKind = "unreachable" // no user can approve a step of a request
	NoticeOverdue           NoticeKind = "overdue"     // the time of a publication came before its approval
	NoticePublicationFailed NoticeKind = "publication_failed"
	NoticeReleaseFailed     NoticeKind = "release_failed"
	NoticeComment           NoticeKind = "comment"    // on a request
	NoticeMention           NoticeKind = "mention"    // in a comment
	NoticeResolved          NoticeKind = "resolved"   // a comment
	NoticeDelegation        NoticeKind = "delegation" // was set or ended
	NoticeWebhookOff        NoticeKind = "webhook_off"
	NoticeAccount           NoticeKind = "account" // another user changed the account or its roles
)

// NoticeKinds returns all kinds of notices, in the order of their declaration.
func NoticeKinds() []NoticeKind {
	return []NoticeKind{
		NoticeYourTurn, NoticeRejected, NoticeRevisionRequested, NoticeApproved, NoticePublished, NoticeWithdrawn,
		NoticePublicationFailed, NoticeWebhookOff, NoticeAccount, NoticeUnpublished, NoticeUnreachable, NoticeReleaseFailed,
		NoticeComment, NoticeMention, NoticeResolved, NoticeDelegation, NoticeOverdue,
	}
}

// NoticeRetention is how long notices are kept.
const NoticeRetention = 90 * 24 * time.Hour

// noticeEvents maps the types of events to the kinds of the notices that they cause. Submissions and
// approvals also cause NoticeYourTurn.
var noticeEvents = map[EventType]NoticeKind{
	EventRequestSubmitted: NoticeYourTurn, EventRequestApproved: NoticeApproved, EventRequestRejected: NoticeRejected,
	EventRequestRevisionRequested: NoticeRevisionRequested, EventRequestWithdrawn: NoticeWithdrawn, EventRequestPublished: NoticePublished,
	EventEntryUnpublished: NoticeUnpublished, EventEntryTrashed: NoticeUnpublished, EventEntryDestroyed: NoticeUnpublished,
	EventPublicationFailed: NoticePublicationFailed, EventReleaseFailed: NoticeReleaseFailed, EventWebhookOff: NoticeWebhookOff,
	EventCommentCreated: NoticeComment, EventCommentUpdated: NoticeMention, EventCommentResolved: NoticeResolved,
	EventUserUpdated: NoticeAccount, EventEmailChanged: NoticeAccount, EventPasswordChanged: NoticeAccount, EventUserLinked: NoticeAccount, EventUserUnlinked: NoticeAccount,
	EventMemberUpdated: NoticeAccount, EventMemberRemoved: NoticeAccount, EventMemberKept: NoticeAccount, EventDomainLost: NoticeAccount,
	EventRoleGiven: NoticeAccount, EventRoleTaken: NoticeAccount, EventDelegationCreated: NoticeDelegation, EventDelegationEnded: NoticeDelegation,
	EventFactorAdded: NoticeAccount, EventFactorRemoved: NoticeAccount, EventFactorUsedBack: NoticeAccount, EventRecoveryRenewed: NoticeAccount, EventRecoveryUsed: NoticeAccount,
}

// NoticeOfType returns the kind of the notices that events of the type cause, or "".
func NoticeOfType(t EventType) NoticeKind { return noticeEvents[t] }

// TellsOwner reports whether events of the type are about a way into the account. Its user is told
// also of own changes, in case that another person has made them.
func (t EventType) TellsOwner() bool {
	switch t {
	case EventEmailChanged, EventPasswordChanged, EventUserLinked, EventUserUnlinked, EventFactorAdded, EventFactorRemoved, EventFactorUsedBack, EventRecoveryRenewed, EventRecoveryUsed:
		return true
	default:
		return false
	}
}

// RequestAction returns the action on a request that events of the type are about, or "".
func RequestAction(t EventType) ActionType { return requestActions[t] }

var requestActions = map[EventType]ActionType{
	EventRequestSubmitted: ActionSubmit, EventRequestApproved: ActionApprove, EventRequestRejected: ActionReject,
	EventRequestRevisionRequested: ActionRequestRevision, EventRequestWithdrawn: ActionWithdraw, EventRequestPublished: ActionPublish,
}

// Link returns the path of the page of the dashboard that n is about.
func (n *Notice) Link() string {
	switch {
	case n.Kind == NoticeWebhookOff:
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
func (n *Notice) VisibleTo(actor Actor, p *Project, r *Request) bool {
	switch {
	case n.ProjectID == 0:
		return true
	case n.ForAdmins:
		return actor.RoleInProject(p).Includes(RoleAdmin)
	default:
		return actor.RoleInProject(p) != "" || r != nil && r.VisibleTo(actor, p)
	}
}

// ReachOf returns the Reach of the actor.
func ReachOf(actor Actor) Reach {
	r := Reach{UserID: actor.UserID(), SuperAdmin: actor.User != nil && actor.User.SuperAdmin, Grants: actor.Grants}
	for _, role := range actor.CustomRoles {
		r.CustomRoles = append(r.CustomRoles, role.ID)
	}
	r.Lent = actor.Lent
	return r
}

// Persons returns the ids of the users among refs, ascending, each once: the users themselves, and
// the creators of tokens.
func Persons(refs ...ActorRef) (ids []int64) {
	for _, ref := range refs {
		if person := ref.Person(); person != 0 {
			ids = append(ids, person)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// NoticeSet is a set of kinds of notices: bit n is set for the n-th of NoticeKinds.
type NoticeSet uint32

// mailed are the kinds of which users get e-mails unless they set otherwise.
var mailed = []NoticeKind{NoticeYourTurn, NoticeRejected, NoticeRevisionRequested, NoticeUnpublished, NoticeUnreachable, NoticePublicationFailed, NoticeWebhookOff, NoticeAccount, NoticeReleaseFailed, NoticeMention, NoticeDelegation, NoticeOverdue}

// Mails reports whether the user gets e-mails for notices of the kind.
func Mails(s Settings, kind NoticeKind) bool {
	differs := s.Mail>>slices.Index(NoticeKinds(), kind)&1 == 1
	return slices.Contains(mailed, kind) != differs
}

// MailsAbout reports whether the user gets an e-mail for n: always for changes of an account that only
// its owner makes (EventType.TellsOwner).
func MailsAbout(s Settings, n *Notice) bool { return n.Event.TellsOwner() || Mails(s, n.Kind) }

// SetMails sets whether the user gets e-mails for notices of the kind.
func SetMails(s *Settings, kind NoticeKind, mails bool) {
	if Mails(*s, kind) != mails {
		s.Mail ^= 1 << slices.Index(NoticeKinds(), kind)
	}
}
