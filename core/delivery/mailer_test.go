package delivery_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/approval"
	"imprimatur/core/delivery"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/notices"
	"imprimatur/core/secret"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// mailClock moves on with each look.
type mailClock struct{ now time.Time }

func (c *mailClock) Now() time.Time {
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

// postOffice is a newsroom whose notices become mails.
type postOffice struct {
	*newsroom.Fixture
	t        *testing.T
	clock    *mailClock
	key      secret.Key
	elapsed  time.Time // the clock of the machine
	mailer   *delivery.Mailer
	outcomes []notice.MailStatus

	mu      sync.Mutex
	sent    []ports.MailMessage
	answers map[string]ports.MailAnswer // by the address
	slow    string                      // mails to this address take until release is closed
	release chan struct{}
}

func newPostOffice(t *testing.T, steps ...approval.StepInput) *postOffice {
	t.Helper()
	c := &mailClock{now: time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(c)
	w := &postOffice{Fixture: newsroom.New(t, store.Stores(), store, c), t: t, clock: c, key: secret.New(), elapsed: time.Unix(0, 0), answers: map[string]ports.MailAnswer{}}
	w.mailer = delivery.NewMailer(w.Stores, w, w.key)
	w.mailer.SetNow(func() time.Time { return w.elapsed })
	w.mailer.Observe = func(m notice.Mail) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.outcomes = append(w.outcomes, m.Status)
	}
	w.SetWorkflow(steps...)
	w.notify()
	w.send() // of the accounts
	w.sent, w.outcomes = nil, nil
	return w
}

// Send implements ports.MailSender.
func (w *postOffice) Send(_ context.Context, m ports.MailMessage) ports.MailAnswer {
	if m.Address == w.slow {
		<-w.release
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	answer := w.answers[m.Address]
	if answer.Fault == "" {
		w.sent = append(w.sent, m)
	}
	return answer
}

// notify makes notices and mails of what happened.
func (w *postOffice) notify() {
	w.t.Helper()
	require.NoError(w.t, w.Tx.Do(w.t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
		events, err := s.Outbox.Take(ctx, 1000)
		if err != nil {
			return err
		}
		return notices.NewNotifier(true).Notify(ctx, s, events)
	}))
}

// send sends all due mails and returns them: the kind and the name of the receiver.
func (w *postOffice) send() (all []string) {
	w.t.Helper()
	w.sent = nil
	for begun := true; begun; {
		var err error
		begun, err = w.mailer.Send(w.t.Context(), func() {})
		require.NoError(w.t, err)
		w.mailer.Wait()
	}
	for _, m := range w.sent {
		name, _, _ := strings.Cut(m.Address, "@")
		all = append(all, string(m.Kind)+" "+name)
	}
	slices.Sort(all)
	return all
}

// mails makes and sends all mails.
func (w *postOffice) mails() []string {
	w.t.Helper()
	w.notify()
	return w.send()
}

func (w *postOffice) submit() int64 {
	w.t.Helper()
	return w.Create(newsroom.Article("Ceasefire", newsroom.Published(true))).ID
}

// settings changes the settings of a user.
func (w *postOffice) settings(name string, change func(*core.User)) {
	w.t.Helper()
	user, err := w.Stores.Users.User(w.t.Context(), w.Actor(name).UserID())
	require.NoError(w.t, err)
	change(&user)
	require.NoError(w.t, w.Stores.Users.Update(w.t.Context(), user))
	w.notify()
	w.send()
	w.outcomes = nil
}

func TestMailsReachThoseConcerned(t *testing.T) {
	t.Parallel()
	label := "Chief"
	step := newsroom.Step(1, core.RoleAdmin)
	step.StepLabel = &label
	w := newPostOffice(t, step, newsroom.Step(2, core.RoleDepartmentAdmin))
	id := w.submit()
	require.Equal(t, []string{"your_turn admin"}, w.mails())
	first := w.sent[0]
	require.Equal(t, []any{"Ceasefire", "World Desk", "Chief", "editor", ""}, []any{first.Title, first.Project, first.Step, first.Actor, first.Comment})
	require.Regexp(t, `^CR-\d{4}-0001$`, first.ReleaseNumber)
	require.Regexp(t, fmt.Sprintf(`^/dashboard/review/%d/%d/%d$`, w.Project.ID, w.Articles.ID, id), first.Link)
	require.NoError(t, w.Approve("admin", id))
	require.Equal(t, []string{"your_turn department"}, w.mails()) // approvals are not mailed by default
	require.Equal(t, first.Thread, w.sent[0].Thread)
	require.Equal(t, "2", w.sent[0].Step)
	_, err := w.Reviews.Reject(t.Context(), w.Actor("department"), w.Ref(id), approval.Decision{Comment: "no"})
	require.NoError(t, err)
	require.Equal(t, []string{"rejected admin", "rejected editor"}, w.mails())
	require.Equal(t, []any{"no", "department", "2", first.Thread}, []any{w.sent[0].Comment, w.sent[0].Actor, w.sent[0].Step, first.Thread})
	require.Empty(t, w.mails())
}

// One person may decide two steps with equal comments: each mail names its own step.
func TestMailsNameTheStepOfTheirDecision(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
	w.settings("editor", func(u *core.User) { notice.SetMails(&u.Settings, notice.Approved, true) })
	id := w.submit()
	require.NoError(t, w.Approve("admin", id))
	w.notify()
	require.NoError(t, w.Approve("admin", id))
	w.notify()
	w.send()
	var steps []string
	for _, m := range w.sent {
		if m.Kind == notice.Approved {
			steps = append(steps, m.Step)
		}
	}
	slices.Sort(steps)
	require.Equal(t, []string{"1", "2"}, steps)
}

func TestRightsAndWishesAreCheckedWhenSending(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *postOffice, id int64){
		"lost the role":   func(w *postOffice, _ int64) { w.Revoke("admin", core.RoleAdmin) },
		"is not active":   func(w *postOffice, _ int64) { w.SetActive("admin", false) },
		"has a lower one": func(w *postOffice, _ int64) { w.Revoke("admin", core.RoleAdmin); w.Grant("admin", core.RoleViewer) },
		"was decided":     func(w *postOffice, id int64) { require.NoError(w.t, w.Approve("department", id)) },
		"wants none": func(w *postOffice, _ int64) {
			user, err := w.Stores.Users.User(w.t.Context(), w.Actor("admin").UserID())
			require.NoError(w.t, err)
			notice.SetMails(&user.Settings, notice.YourTurn, false)
			require.NoError(w.t, w.Stores.Users.Update(w.t.Context(), user))
		},
		"is gone": func(w *postOffice, _ int64) {
			require.NoError(w.t, w.Stores.Projects.Delete(w.t.Context(), w.Project.ID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
			id := w.submit()
			w.notify()
			change(w, id)
			require.Empty(t, w.send())
			if name != "is gone" { // with its notice
				require.Equal(t, []notice.MailStatus{notice.MailDropped}, w.outcomes)
			}
		})
	}
}

func TestMailsAreSetByKind(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	w.settings("admin", func(u *core.User) { notice.SetMails(&u.Settings, notice.YourTurn, false) })
	w.settings("editor", func(u *core.User) {
		notice.SetMails(&u.Settings, notice.Published, true)
		u.Settings.Language = "de"
	})
	id := w.submit()
	require.Empty(t, w.mails())
	require.NoError(t, w.Approve("admin", id))
	require.Equal(t, []string{"published editor"}, w.mails())
	require.Equal(t, "de", w.sent[0].Language)
}

func TestMailsOfATenantSayNothing(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	tenant := w.Tenant
	tenant.NeutralMail = true
	require.NoError(t, w.Stores.Tenants.Update(t.Context(), tenant))
	id := w.submit()
	require.Equal(t, []string{"your_turn admin"}, w.mails())
	m := w.sent[0]
	require.Equal(t, ports.MailMessage{
		ID: m.ID, Name: "admin", Address: m.Address, Kind: notice.YourTurn, Event: event.RequestSubmitted,
		Link: fmt.Sprintf("/dashboard/review/%d/%d/%d", w.Project.ID, w.Articles.ID, id), Thread: m.Thread, Neutral: true,
	}, m)
}

// A mail about an account names the other person who acted, and when, in the zone of its user.
func TestMailsAboutAnAccountSayWhoActed(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	w.settings("editor", func(u *core.User) { u.Settings.TimeZone = "Asia/Tokyo" })
	editor := w.Actor("editor").UserID()
	for name, by := range map[string]core.Actor{"admin": w.Actor("admin"), "": core.SystemActor} { // a command has no name
		require.NoError(t, w.Tx.Do(t.Context(), by, func(ctx context.Context, s ports.Stores) error {
			require.NoError(t, s.TOTP.Set(ctx, account.TOTP{UserID: editor, Secret: []byte("x"), CreatedAt: w.clock.Now()}))
			require.NoError(t, s.TOTP.Confirm(ctx, editor, 1))
			return s.TOTP.Delete(ctx, editor)
		}))
		require.Equal(t, []string{"account editor", "account editor"}, w.mails())
		for _, m := range w.sent {
			require.Equal(t, "Asia/Tokyo", m.At.Location().String())
			require.WithinDuration(t, w.clock.now, m.At, time.Minute)
			require.Equal(t, name, m.Actor)
		}
	}
}

func TestMailsAreRetried(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	address := w.Actor("admin").User.Email
	w.answers[address] = ports.MailAnswer{Fault: "451 later"}
	w.submit()
	began := w.clock.now
	require.Empty(t, w.mails())
	require.Equal(t, []notice.MailStatus{notice.MailWaiting}, w.outcomes)
	require.Empty(t, w.send())
	w.clock.now = w.clock.now.Add(-time.Hour) // the clock jumps
	require.Empty(t, w.send())
	w.clock.now = w.clock.now.Add(time.Hour + 10*time.Second)
	w.answers[address] = ports.MailAnswer{}
	require.Equal(t, []string{"your_turn admin"}, w.send())

	w.answers[address] = ports.MailAnswer{Fault: "451 later"}
	w.submit()
	w.outcomes = nil
	require.Empty(t, w.mails())
	for !slices.Contains(w.outcomes, notice.MailParked) {
		require.Less(t, w.clock.now.Sub(began), 5*24*time.Hour)
		w.clock.now = w.clock.now.Add(time.Hour)
		require.Empty(t, w.send())
	}
	require.GreaterOrEqual(t, w.clock.now.Sub(began), 3*24*time.Hour)
	w.answers[address] = ports.MailAnswer{}
	w.clock.now = w.clock.now.Add(24 * time.Hour)
	require.Empty(t, w.send())

	w.answers[address] = ports.MailAnswer{Fault: "550 no such user", Final: true}
	w.submit()
	w.outcomes = nil
	require.Empty(t, w.mails())
	require.Equal(t, []notice.MailStatus{notice.MailParked}, w.outcomes)
}

func TestADeadServerCostsFewAttempts(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	address := w.Actor("admin").User.Email
	w.answers[address] = ports.MailAnswer{Fault: "refused", Down: true}
	for range 20 {
		w.submit()
	}
	require.Empty(t, w.mails())
	require.Len(t, w.outcomes, 4) // those that were sent at the same time
	w.clock.now = w.clock.now.Add(time.Minute)
	require.Empty(t, w.send())
	require.Len(t, w.outcomes, 4)
	for i := range 3 {
		w.elapsed = w.elapsed.Add(2 * time.Minute)
		require.Empty(t, w.send())
		require.Len(t, w.outcomes, 5+i)
	}
	w.elapsed = w.elapsed.Add(2 * time.Minute)
	w.clock.now = w.clock.now.Add(time.Hour)
	w.answers[address] = ports.MailAnswer{}
	require.Len(t, w.send(), 20)
}

func TestASlowRecipientDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	w.slow, w.release = w.Actor("admin").User.Email, make(chan struct{})
	begun := func() bool {
		some, err := w.mailer.Send(t.Context(), func() {})
		require.NoError(t, err)
		return some
	}
	for range 10 {
		w.submit()
	}
	w.notify()
	require.True(t, begun())
	require.False(t, begun(), "more than four at once")
	for range 3 {
		w.elapsed = w.elapsed.Add(2 * time.Second)
		begun()
	}
	require.False(t, begun())
	close(w.release)
	w.mailer.Wait()
	require.Len(t, w.sent, 10)
}

func TestManyMailsAreSentOnceWithFewConnections(t *testing.T) {
	t.Parallel()
	w := newPostOffice(t, newsroom.Step(1, core.RoleAdmin))
	w.submit()
	w.mails()
	const count = 500
	user := w.Actor("editor").UserID()
	made := make([]*notice.Notice, count)
	ids := make([]int64, count)
	for i := range made {
		made[i] = &notice.Notice{UserID: user, Key: fmt.Sprint(i), Kind: notice.Account, Event: event.MemberUpdated}
	}
	require.NoError(t, w.Tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
		if err := s.Notices.Insert(ctx, made...); err != nil {
			return err
		}
		for i, n := range made {
			ids[i] = n.ID
		}
		return s.Mails.Insert(ctx, ids...)
	}))
	require.Len(t, w.send(), count)
	seen := map[int64]bool{}
	for _, m := range w.sent {
		seen[m.ID] = true
	}
	require.Len(t, seen, count)
}
