package delivery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/letter"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/core/secret"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

const (
	// mailsAtOnce is the number of mails that a process sends at the same time, each through a connection
	// of its own, without those that are slow: after slowMail they take no room from others, up to
	// mostMailsAtOnce.
	mailsAtOnce     = 4
	mostMailsAtOnce = 16
	slowMail        = 2 * time.Second
	// mailLease is how long a claimed mail is left alone: longer than an attempt takes.
	mailLease = time.Minute
)

// pauses are the times without attempts while the server takes no mails. They grow with the number of
// failed attempts, of which one is made after each.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// Mailer sends due mails. Any number of mailers may run on one database.
type Mailer struct {
	stores ports.Stores
	sender ports.MailSender
	key    secret.Key
	now    func() time.Time // for pauses, in which the clock of the machine may jump

	// Invite, when not nil, returns the letter of an open invitation to an address without an account that
	// has asked for a new password (identity.Invitations.Again). It returns core.ErrNotFound without one.
	Invite func(ctx context.Context, email string) (letter.Letter, error)
	// Barred, when not nil, reports whether a user has no use for a new password: it gets no letter about one.
	Barred func(ctx context.Context, user *core.User) (bool, error)
	// Observe, when not nil, is called with each attempt's outcome.
	Observe func(m notice.Mail)

	mu      sync.Mutex
	sending map[int64]time.Time // when those that are being sent began, by id
	downs   int                 // attempts since the server last took, or refused, a mail
	until   time.Time           // the end of the pause
	running sync.WaitGroup
}

// NewMailer returns a Mailer. key opens letters.
func NewMailer(stores ports.Stores, sender ports.MailSender, key secret.Key) *Mailer {
	return &Mailer{stores: stores, sender: sender, key: key, now: time.Now, sending: map[int64]time.Time{}}
}

// Send begins to send due mails, as many as there is room for, and reports whether it has begun any.
// done is called after each. While the server is down, it makes an attempt now and then, so that the
// other mails need none.
func (m *Mailer) Send(ctx context.Context, done func()) (begun bool, err error) {
	room := m.room()
	if room <= 0 {
		return false, nil
	}
	claimed, err := m.stores.Mails.Claim(ctx, room, mailLease)
	if err != nil {
		return false, err
	}
	ctx = context.WithoutCancel(ctx) // a stop waits for mails that are being sent, and records them
	for _, c := range claimed {
		m.begin(c)
		m.running.Go(func() {
			defer done()
			defer m.end(c)
			// Without an outcome, the mail is sent again after its lease.
			_ = m.attempt(ctx, c)
		})
	}
	return len(claimed) > 0, nil
}

// Wait waits until all begun mails are sent.
func (m *Mailer) Wait() { m.running.Wait() }

func (m *Mailer) room() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.now().Before(m.until):
		return 0
	case m.downs > 0:
		return 1 - len(m.sending)
	}
	quick := 0
	for _, begun := range m.sending {
		if m.now().Sub(begun) < slowMail {
			quick++
		}
	}
	return min(mailsAtOnce-quick, mostMailsAtOnce-len(m.sending))
}

func (m *Mailer) begin(c notice.Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sending[c.ID] = m.now()
}

func (m *Mailer) end(c notice.Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sending, c.ID)
}

// remember notes whether the server takes mails.
func (m *Mailer) remember(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !down {
		m.downs, m.until = 0, time.Time{}
		return
	}
	m.until = m.now().Add(pauses[min(m.downs, len(pauses)-1)])
	m.downs++
}

// attempt makes one attempt and records its outcome, by the clock of the database.
func (m *Mailer) attempt(ctx context.Context, c notice.Mail) error {
	message, wanted, err := m.message(ctx, c)
	if err != nil {
		return err
	}
	answer := ports.MailAnswer{}
	if wanted {
		answer = m.sender.Send(ctx, message)
		m.remember(answer.Down)
	}
	c.Fault = answer.Fault
	err = whileUnavailable(ctx, func() error {
		now, err := m.stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		switch {
		case !wanted:
			c.Status = notice.MailDropped
		case answer.Fault == "":
			c.Status = notice.MailSent
		case answer.Final || now.Sub(c.CreatedAt) >= givenUp:
			c.Status = notice.MailParked
		}
		return m.stores.Mails.Record(ctx, c, wait(c.Attempts, 0, rand.Float64())) //nolint:gosec // not a secret
	})
	if m.Observe != nil {
		m.Observe(c)
	}
	return err
}

// message returns what is sent. wanted is false if the user may no longer see what it is about, or
// wants no such mail.
func (m *Mailer) message(ctx context.Context, c notice.Mail) (message ports.MailMessage, wanted bool, err error) {
	if c.NoticeID == 0 {
		return m.letter(ctx, c)
	}
	a := about{id: c.ID}
	if err := a.read(ctx, m.stores, c.NoticeID); err != nil {
		if errors.Is(err, core.ErrNotFound) { // was deleted meanwhile
			return message, false, nil
		}
		return message, false, err
	}
	if !a.wanted() {
		return message, false, nil
	}
	return a.message(), true, nil
}

// about is what a mail is about, as it is when the mail is sent.
type about struct {
	id      int64 // of the mail
	notice  notice.Notice
	actor   core.Actor // the receiver
	project *core.Project
	request *review.Request
	step    string
	tenant  core.Tenant
}

// read reads what a notice is about. It returns core.ErrNotFound if any of it was deleted.
func (a *about) read(ctx context.Context, stores ports.Stores, noticeID int64) (err error) {
	if a.notice, err = stores.Notices.Notice(ctx, noticeID); err != nil {
		return err
	}
	user, err := stores.Users.User(ctx, a.notice.UserID)
	if err != nil {
		return err
	}
	a.actor.User = &user
	if a.actor.Grants, a.actor.CustomRoles, err = stores.Grants.UserGrants(ctx, user.ID); err != nil {
		return err
	}
	tenant := user.TenantID
	if a.notice.ProjectID != 0 {
		if a.project, err = stores.Projects.Project(ctx, a.notice.ProjectID); err != nil {
			return err
		}
		tenant = a.project.TenantID
	}
	if tenant != 0 {
		if a.tenant, err = stores.Tenants.Tenant(ctx, tenant); err != nil {
			return err
		}
	}
	if a.notice.ApprovalID == 0 {
		return nil
	}
	r, err := stores.Requests.Request(ctx, a.notice.ProjectID, a.notice.ApprovalID)
	if err != nil {
		return err
	}
	a.request = &r
	if slices.ContainsFunc(r.Steps, func(s review.Step) bool { return s.Delegable }) {
		now, err := stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		lenders, err := ports.Lenders(ctx, stores, user.ID, now)
		if err != nil {
			return err
		}
		a.actor.Lent = core.LentAt(lenders, now)
	}
	return a.readStep(ctx, stores)
}

// readStep sets the step that waits, or that the notice's decision was made at.
func (a *about) readStep(ctx context.Context, stores ports.Stores) error {
	if may := a.request.StandingOf(a.actor, a.project).Steps; a.notice.Kind == notice.YourTurn && len(may) > 0 {
		a.step = nameOf(&a.request.Steps[may[0]-1])
	}
	if !review.RequestAction(a.notice.Event).Decision() || a.notice.Kind == notice.YourTurn {
		return nil
	}
	actions, err := stores.Requests.Actions(ctx, a.request.ProjectID, a.request.ID)
	at := slices.IndexFunc(actions, func(action review.Action) bool { return action.ID == a.notice.ActionID })
	if at < 0 {
		return err
	}
	if i := slices.IndexFunc(a.request.Steps, func(s review.Step) bool { return s.Order == actions[at].StepOrder }); i >= 0 {
		a.step = nameOf(&a.request.Steps[i])
	}
	if step := a.request.ApprovedBy(&actions[at]); step != nil {
		a.step = nameOf(step)
	}
	return err
}

func nameOf(step *review.Step) string {
	if step.Label == "" {
		return strconv.Itoa(step.Order)
	}
	return step.Label
}

// wanted reports whether the user is to get a mail: the user wants it, may still see what it is about,
// and may still decide the request that it says to wait for the user.
func (a *about) wanted() bool {
	user := a.actor.User
	if !user.Active || user.Email == "" || !notice.MailsAbout(user.Settings, &a.notice) || !a.notice.VisibleTo(a.actor, a.project, a.request) {
		return false
	}
	switch a.notice.Kind {
	case notice.YourTurn:
	case notice.Comment, notice.Mention, notice.Resolved:
		return a.notice.Comment != "" // else it was deleted
	default:
		return true
	}
	return len(a.request.StandingOf(a.actor, a.project).Steps) > 0
}

// message returns the message, without what it is about if the Tenant wants it so. Why a publication failed can name values of the draft, so the mail has
// only that it did.
func (a *about) message() ports.MailMessage {
	n, user := &a.notice, a.actor.User
	message := ports.MailMessage{
		ID: a.id, Name: user.Name, Address: user.Email, Language: user.Settings.Language, Kind: n.Kind, Event: n.Event, Reminder: n.Reminder, Link: n.Link(),
	}
	if a.request != nil {
		message.Thread = fmt.Sprintf("%d/%d", n.ProjectID, n.ApprovalID)
	}
	if a.tenant.NeutralMail {
		message.Neutral = true
		return message
	}
	message.Title, message.ReleaseNumber, message.Step, message.Actor = n.Title, n.ReleaseNumber, a.step, n.Actor.Name
	if a.project != nil {
		message.Project = a.project.Name
	}
	switch n.Kind {
	case notice.Account:
		message.Role, message.Place = n.Role, n.Place
		if message.At = n.At.In(zoneOf(user)); n.Actor.Kind == core.SystemActor.Ref().Kind {
			message.Actor = "" // a command of an operator has no name
		}
	case notice.Unpublished:
		if message.Comment = n.Comment; n.Actor.Kind == core.SystemActor.Ref().Kind {
			message.Actor = "" // the end of a publication has no person
		}
	case notice.PublicationFailed:
	case notice.WebhookOff:
		message.OffReason = webhook.OffReason(n.Comment)
	case notice.Delegation:
		message.Comment, message.Place = n.Comment, n.Place
	default:
		message.Comment = n.Comment
	}
	return message
}

// zoneOf returns the time zone of the user's settings, UTC for a user without one.
func zoneOf(user *core.User) *time.Location {
	zone, err := time.LoadLocation(user.Settings.TimeZone) // UTC for ""
	if err != nil {
		return time.UTC
	}
	return zone
}
