package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Notifier is a ports.Notifier.
type Notifier struct{ mails bool }

// NewNotifier returns a Notifier. mails says whether it also makes mails, for an installation that sends
// them.
func NewNotifier(mails bool) *Notifier { return &Notifier{mails} }

// Notify implements ports.Notifier. It skips events of what was deleted since.
func (r *Notifier) Notify(ctx context.Context, stores ports.Stores, events []event.Event) error {
	n := newRound(stores, r.mails)
	for i := range events {
		var err error
		switch e := &events[i]; notice.Of(e) {
		case "":
		case notice.PublicationFailed:
			err = n.failed(ctx, e)
		case notice.ReleaseFailed:
			err = n.releaseFailed(ctx, e)
		case notice.Unpublished:
			err = n.unpublished(ctx, e)
		case notice.WebhookOff:
			err = n.off(ctx, e)
		case notice.Account:
			err = n.account(ctx, e)
		case notice.Delegation:
			err = n.delegation(ctx, e)
		case notice.Comment, notice.Mention, notice.Resolved:
			err = n.comment(ctx, e)
		default:
			err = n.request(ctx, e)
		}
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
	}
	return n.store(ctx)
}

// round makes the notices of one transaction.
type round struct {
	stores ports.Stores
	mails  bool                 // also makes mails
	actors map[int64]core.Actor // by user id; the zero Actor for a user that is not active
	made   []*notice.Notice
}

func newRound(stores ports.Stores, mails bool) *round {
	return &round{stores: stores, mails: mails, actors: map[int64]core.Actor{}}
}

// store stores what was made.
func (n *round) store(ctx context.Context) error {
	if err := n.stores.Notices.Insert(ctx, n.made...); err != nil || !n.mails {
		return err
	}
	ids, err := n.mailed(ctx)
	if err != nil {
		return err
	}
	return n.stores.Mails.Insert(ctx, ids...)
}

// mailed returns the ids of the new notices whose users want a mail of their kind.
func (n *round) mailed(ctx context.Context) (ids []int64, err error) {
	var mailed []*notice.Notice
	for _, made := range n.made {
		if made.ID == 0 || !notice.MailsAbout(n.actors[made.UserID].User.Settings, made) {
			continue
		}
		quiet, err := n.quiet(ctx, made, mailed)
		if err != nil {
			return nil, err
		}
		if !quiet {
			ids, mailed = append(ids, made.ID), append(mailed, made)
		}
	}
	return ids, nil
}

// actor returns the user as an actor, with the present roles; the zero Actor if the user is not
// active.
func (n *round) actor(ctx context.Context, userID int64) (core.Actor, error) {
	if known, ok := n.actors[userID]; ok {
		return known, nil
	}
	user, err := n.stores.Users.User(ctx, userID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return core.Actor{}, err
	}
	var found core.Actor
	if err == nil && user.Active {
		found.User = &user
		if found.Grants, found.CustomRoles, err = n.stores.Grants.UserGrants(ctx, userID); err != nil {
			return core.Actor{}, err
		}
	}
	n.actors[userID] = found
	return found, nil
}

// tell adds a copy of about for each of users that may see it, except for the actor.
func (n *round) tell(ctx context.Context, about notice.Notice, p *core.Project, r *review.Request, users []int64) error {
	for _, id := range users {
		if id == about.Actor.Person() {
			continue
		}
		actor, err := n.actor(ctx, id)
		if err != nil {
			return err
		}
		if actor.User == nil || !about.VisibleTo(actor, p, r) {
			continue
		}
		told := about
		told.UserID = id
		n.made = append(n.made, &told)
	}
	return nil
}

// request makes the notices of an event of an approval request.
func (n *round) request(ctx context.Context, e *event.Event) error {
	r, project, actions, err := n.find(ctx, e.ProjectID, e.SubjectID)
	if err != nil {
		return err
	}
	at := actionOf(actions, e)
	if at < 0 {
		return nil
	}
	about := aboutRequest(r, &actions[at])
	about.Key, about.Kind, about.Event = fmt.Sprintf("event %d", e.ID), notice.OfType(e.Type), e.Type
	if e.Type != event.RequestSubmitted {
		if err := n.tell(ctx, about, project, r, involved(r, actions[:at])); err != nil {
			return err
		}
	}
	if !begins(&actions[at], r) {
		return nil
	}
	if err := n.unreachable(ctx, about, project, r); err != nil {
		return err
	}
	about.Key = fmt.Sprintf("turn %d %d", r.ID, r.Current)
	return n.turn(ctx, about, project, r, r.OpenSteps()...)
}

// unreachable makes about for the submitter of r and the admins of the Project if one of the steps to come cannot be
// approved: once for a request. The one who acted is told too.
func (n *round) unreachable(ctx context.Context, about notice.Notice, p *core.Project, r *review.Request) error {
	reviewers, err := n.stores.Grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID)
	if err != nil {
		return err
	}
	warnings := r.Deciders(reviewers).Warnings(r.Steps)
	if len(warnings) == 0 {
		return nil
	}
	about.Key, about.Kind, about.Actor, about.Comment = fmt.Sprintf("unreachable %d", r.ID), notice.Unreachable, core.ActorRef{}, strings.Join(warnings[0].Reasons, "; ")
	told, err := n.reviewers(ctx, p, &review.Step{RoleKind: core.RoleAdmin})
	if err != nil {
		return err
	}
	told = append(told, notice.Persons(r.SubmittedBy)...)
	slices.Sort(told)
	return n.tell(ctx, about, p, r, slices.Compact(told))
}

// find returns a request with its Project and its actions.
func (n *round) find(ctx context.Context, projectID, id int64) (*review.Request, *core.Project, []review.Action, error) {
	r, err := n.stores.Requests.Request(ctx, projectID, id)
	if err != nil {
		return nil, nil, nil, err
	}
	project, err := n.stores.Projects.Project(ctx, projectID)
	if err != nil {
		return nil, nil, nil, err
	}
	actions, err := n.stores.Requests.Actions(ctx, projectID, id)
	return &r, project, actions, err
}

// aboutRequest returns a notice of an action of r, without Key, Kind and Event.
func aboutRequest(r *review.Request, action *review.Action) notice.Notice {
	item, about := r.Item(), notice.Notice{
		ProjectID: r.ProjectID, ApprovalID: r.ID, ActionID: action.ID,
		Title: r.Title(), ReleaseNumber: r.ReleaseNumber(), Actor: action.Actor, Comment: action.Comment,
	}
	if about.CollectionID, about.EntryID = item.CollectionID, item.EntryID; r.Release != nil {
		about.ReleaseID = r.Release.ID
	}
	return about
}

// begins reports whether r still waits at the steps where it arrived by action, none of which has an approval yet.
func begins(action *review.Action, r *review.Request) bool {
	arrives := action.Outcome.Status == review.RequestPending && (action.Type == review.ActionSubmit || action.Type == review.ActionApprove)
	return arrives && r.Arrived() && len(r.Approvals) == action.Outcome.Approved()
}

// turn makes about for those who may decide one of the steps of r with these ids.
func (n *round) turn(ctx context.Context, about notice.Notice, p *core.Project, r *review.Request, steps ...int) error {
	about.Kind = notice.YourTurn
	var told []int64
	for _, id := range steps {
		users, err := n.deciders(ctx, p, r, id, &r.Steps[id-1])
		if err != nil {
			return err
		}
		told = append(told, users...)
	}
	slices.Sort(told)
	return n.tell(ctx, about, p, r, slices.Compact(told))
}

// turnAt is turn for those who may decide a step with an id as it is for those that it is escalated to, and not before.
func (n *round) turnAt(ctx context.Context, about notice.Notice, p *core.Project, r *review.Request, id int, step *review.Step) error {
	about.Kind = notice.YourTurn
	users, err := n.deciders(ctx, p, r, id, step)
	if err != nil {
		return err
	}
	before, err := n.deciders(ctx, p, r, id, &r.Steps[id-1])
	if err != nil {
		return err
	}
	return n.tell(ctx, about, p, r, slices.DeleteFunc(users, func(user int64) bool { return slices.Contains(before, user) }))
}

// deciders returns those to tell that the step of r with an id waits, and those who may decide on their behalf,
// ascending. step is that step, or as it is for those that it is escalated to.
func (n *round) deciders(ctx context.Context, p *core.Project, r *review.Request, id int, step *review.Step) ([]int64, error) {
	reviewers, err := n.reviewers(ctx, p, step)
	if err != nil {
		return nil, err
	}
	users := slices.DeleteFunc(reviewers, func(user int64) bool { return r.Bars(user, id) != review.MayDecide })
	delegates, err := n.delegates(ctx, p, r, id, users)
	told := slices.Concat(users, delegates)
	slices.Sort(told)
	return slices.Compact(told), err
}

// actionOf returns the index of the action that e is about: the last of its type up to the time of e.
// Without one, it is -1.
func actionOf(actions []review.Action, e *event.Event) int {
	found := -1
	for i, a := range actions {
		if a.Type == review.RequestAction(e.Type) && (found < 0 || !a.CreatedAt.After(e.At)) {
			found = i
		}
	}
	return found
}

// involved returns the users with a part in r: its submitter, its contributors, and those who decided
// before.
func involved(r *review.Request, before []review.Action) []int64 {
	refs := append([]core.ActorRef{r.SubmittedBy}, r.Contributors...)
	for _, a := range before {
		if a.Type.Decision() {
			refs = append(refs, a.Actor, a.OnBehalfOf)
		}
	}
	return notice.Persons(refs...)
}

// reviewers returns the users to tell that step waits: the holders of its custom role, or those with
// exactly its role. It adds the users with a higher role who have asked for this.
func (n *round) reviewers(ctx context.Context, p *core.Project, step *review.Step) (users []int64, err error) {
	all, err := n.stores.Grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		if !v.MayActOn(*step) {
			continue
		}
		if step.CustomRoleID == 0 && v.Role != step.RoleKind {
			actor, err := n.actor(ctx, v.UserID)
			if err != nil {
				return nil, err
			}
			if actor.User == nil || !actor.User.Settings.ReachAbove {
				continue
			}
		}
		users = append(users, v.UserID)
	}
	slices.Sort(users)
	return slices.Compact(users), nil
}

// failed makes the notices of a publication that failed: one for all attempts.
func (n *round) failed(ctx context.Context, e *event.Event) error {
	schedules, err := n.stores.Schedules.ScheduledOf(ctx, e.ProjectID, []int64{e.EntryID})
	if err != nil {
		return err
	}
	project, err := n.stores.Projects.Project(ctx, e.ProjectID)
	if err != nil {
		return err
	}
	admins, err := n.reviewers(ctx, project, &review.Step{RoleKind: core.RoleAdmin})
	if err != nil {
		return err
	}
	for _, s := range schedules {
		if s.Attempts == 0 {
			continue
		}
		about := notice.Notice{
			Key: fmt.Sprintf("failed %d %s %d", s.EntryID, s.Action, s.DueAt.UnixMilli()), Kind: notice.PublicationFailed, Event: e.Type,
			ProjectID: s.ProjectID, CollectionID: s.CollectionID, EntryID: s.EntryID, ApprovalID: s.RequestID, Comment: s.LastFault,
		}
		told := append(notice.Persons(s.ScheduledBy), admins...)
		var request *review.Request
		if s.RequestID != 0 {
			r, err := n.stores.Requests.Request(ctx, s.ProjectID, s.RequestID)
			if err != nil {
				return err
			}
			request, about.Title, about.ReleaseNumber = &r, r.Item().Title, r.ReleaseNumber()
			told = append(told, notice.Persons(r.SubmittedBy)...)
		} else if about.Title, err = n.title(ctx, &s); err != nil {
			return err
		}
		slices.Sort(told)
		if err := n.tell(ctx, about, project, request, slices.Compact(told)); err != nil {
			return err
		}
	}
	return nil
}

// releaseFailed makes the notices of a release that was not published at its time: one for all attempts. They are for
// those with a part in its request and for the admins of the Project.
func (n *round) releaseFailed(ctx context.Context, e *event.Event) error {
	release, err := n.stores.Releases.Release(ctx, e.ProjectID, e.ReleaseID)
	if err != nil {
		return err
	}
	project, err := n.stores.Projects.Project(ctx, e.ProjectID)
	if err != nil {
		return err
	}
	about := notice.Notice{
		Key: fmt.Sprintf("release failed %d %d %d", release.ID, release.RequestID, release.PublishAt.UnixMilli()), Kind: notice.ReleaseFailed, Event: e.Type,
		ProjectID: e.ProjectID, ReleaseID: release.ID, ApprovalID: release.RequestID, Title: release.Name, Comment: release.Fault,
	}
	told, err := n.reviewers(ctx, project, &review.Step{RoleKind: core.RoleAdmin})
	if err != nil {
		return err
	}
	told = append(told, notice.Persons(release.Contributors...)...)
	var request *review.Request
	if release.RequestID != 0 {
		r, _, actions, err := n.find(ctx, e.ProjectID, release.RequestID)
		if err != nil {
			return err
		}
		request, about.ReleaseNumber = r, r.ReleaseNumber()
		told = append(told, involved(r, actions)...)
	}
	if scheduled, err := n.stores.Schedules.ScheduledRelease(ctx, e.ProjectID, release.ID); err == nil {
		about.Comment = scheduled.LastFault
	} else if !errors.Is(err, core.ErrNotFound) {
		return err
	}
	slices.Sort(told)
	return n.tell(ctx, about, project, request, slices.Compact(told))
}

// title returns the title of the draft of a scheduled entry.
func (n *round) title(ctx context.Context, s *schedule.Schedule) (string, error) {
	collection, err := n.stores.Collections.Collection(ctx, s.ProjectID, s.CollectionID)
	if err != nil {
		return "", err
	}
	entry, err := n.stores.Entries.Entry(ctx, s.ProjectID, s.EntryID)
	if err != nil {
		return "", err
	}
	return collection.Title(entry.Draft), nil
}

// off makes the notices of a webhook that the program switched off. A later change of it by a user has
// an event of the same type.
func (n *round) off(ctx context.Context, e *event.Event) error {
	if e.Actor.Kind != core.SystemActor.Ref().Kind {
		return nil
	}
	w, err := n.stores.Webhooks.Webhook(ctx, e.ProjectID, e.SubjectID)
	if err != nil {
		return err
	}
	project, err := n.stores.Projects.Project(ctx, e.ProjectID)
	if err != nil {
		return err
	}
	admins, err := n.reviewers(ctx, project, &review.Step{RoleKind: core.RoleAdmin})
	if err != nil {
		return err
	}
	about := notice.Notice{
		Key: fmt.Sprintf("event %d", e.ID), Kind: notice.WebhookOff, Event: e.Type, ProjectID: e.ProjectID, ForAdmins: true,
		Title: w.Name, Comment: string(w.OffReason),
	}
	return n.tell(ctx, about, project, nil, admins)
}

// account makes the notice of a change of an account or its roles.
func (n *round) account(ctx context.Context, e *event.Event) error {
	about := notice.Notice{Key: fmt.Sprintf("event %d", e.ID), Kind: notice.Account, Event: e.Type, Actor: e.Actor, Role: e.Role, Place: e.Place}
	if e.Type.TellsOwner() && e.SubjectID == e.Actor.Person() {
		about.Actor = core.ActorRef{} // so that it is told
	}
	return n.tell(ctx, about, nil, nil, []int64{e.SubjectID})
}
