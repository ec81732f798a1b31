package newsroom_test

import (
	"testing"
	"time"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// launch is a newsroom whose workflow excludes contributors, with a release of two articles by two authors.
type launch struct {
	*newsroom.Fixture
	releases *releasing.Releases
	id       int64 // of the release
	entries  [2]int64
}

// newLaunch returns a release without members. Its articles and the release are by the super admin.
func newLaunch(t *testing.T) *launch {
	t.Helper()
	store := memory.New()
	w := newsroom.New(t, store.Stores(), store, systemclock.New())
	c := &launch{Fixture: w, releases: releasing.New(w.Stores, w.Tx, w.Writer, w.Requests, w.Publisher)}
	c.governStrictly()
	for i := range c.entries {
		c.entries[i] = c.article("super")
	}
	c.id = c.create("super")
	return c
}

func (c *launch) governStrictly() {
	c.Helper()
	_, err := c.Workflows.SetProject(c.Context(), core.Actor{System: true}, c.Project, approval.WorkflowInput{
		AllowSelfApproval: new(false), Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)},
	})
	c.OK(err)
}

func (c *launch) article(by string) int64 {
	c.Helper()
	e, err := c.Writer.Create(c.Context(), c.Actor(by), c.Project, c.Articles.ID, newsroom.Article("title"))
	c.OK(err)
	return c.Show(e).ID
}

func (c *launch) edit(by core.Actor, id int64, wr core.EntryWrite) {
	c.Helper()
	_, err := c.Writer.Update(c.Context(), by, c.Ref(id), nil, wr)
	c.OK(err)
}

func (c *launch) create(by string) int64 {
	c.Helper()
	name := "Launch"
	r, err := c.releases.Create(c.Context(), c.Actor(by), c.Project, releasing.Change{Name: &name})
	c.OK(err)
	return r.ID
}

func (c *launch) ref() releasing.Ref { return releasing.Ref{Project: c.Project, ID: c.id} }

func (c *launch) put(by string, members ...releasing.MemberInput) {
	c.Helper()
	_, err := c.releases.PutMembers(c.Context(), c.Actor(by), c.ref(), members)
	c.OK(err)
}

// submit adds both entries, unless they are members, and submits the release.
func (c *launch) submit(by string) {
	c.Helper()
	members, err := c.Stores.Releases.Members(c.Context(), c.Project.ID, c.id, false)
	c.OK(err)
	for _, id := range c.entries {
		if len(members) == 0 {
			c.put("super", releasing.MemberInput{EntryID: id})
		}
	}
	_, err = c.releases.Publish(c.Context(), c.Actor(by), c.ref(), releasing.Publication{})
	c.OK(err)
}

func (c *launch) decide(by string) error {
	_, err := c.Reviews.Approve(c.Context(), c.Actor(by), review.ReleaseRef{Project: c.Project, ID: c.id}, approval.Decision{})
	return err
}

// Whoever put a release together, or a part of its content, never decides about it where four eyes are needed.
func TestComposersOfReleasesDoNotDecide(t *testing.T) {
	t.Parallel()
	name := func(text string) releasing.Change { return releasing.Change{Name: &text} }
	for what, admin := range map[string]func(c *launch){
		"creates the release": func(c *launch) { c.id = c.create("admin") },
		"adds a member": func(c *launch) {
			c.put("admin", releasing.MemberInput{EntryID: c.entries[0]})
			c.put("super", releasing.MemberInput{EntryID: c.entries[1]})
		},
		"replaces a member": func(c *launch) {
			c.submit("super")
			c.reject()
			c.put("admin", releasing.MemberInput{EntryID: c.entries[0], Action: schedule.Unpublish})
			c.put("super", releasing.MemberInput{EntryID: c.entries[0]})
		},
		"removes a member": func(c *launch) {
			extra := c.article("super")
			c.put("super", releasing.MemberInput{EntryID: extra}, releasing.MemberInput{EntryID: c.entries[0]}, releasing.MemberInput{EntryID: c.entries[1]})
			_, err := c.releases.RemoveMembers(c.Context(), c.Actor("admin"), c.ref(), []int64{extra})
			c.OK(err)
		},
		"names the release": func(c *launch) {
			_, err := c.releases.Update(c.Context(), c.Actor("admin"), c.ref(), name("Other"))
			c.OK(err)
		},
		"sets the time": func(c *launch) {
			due := core.Some(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
			_, err := c.releases.Update(c.Context(), c.Actor("admin"), c.ref(), releasing.Change{PublishAt: due})
			c.OK(err)
		},
		"writes the first article":  func(c *launch) { c.edit(c.Actor("admin"), c.entries[0], newsroom.Article("A")) },
		"writes the second article": func(c *launch) { c.edit(c.Actor("admin"), c.entries[1], newsroom.Article("A")) },
		"wrote it before another": func(c *launch) {
			c.edit(c.Actor("admin"), c.entries[1], newsroom.Article("A"))
			c.edit(c.Actor("super"), c.entries[1], newsroom.Article("B"))
		},
		"made the token that writes": func(c *launch) { c.edit(c.TokenOf("admin"), c.entries[1], newsroom.Article("A")) },
		"wrote the publication that is taken again": func(c *launch) {
			c.edit(c.Actor("admin"), c.entries[0], newsroom.Article("A"))
			c.edit(c.Actor("super"), c.entries[0], newsroom.Article("A", newsroom.Published(true)))
			c.OK(c.Approve("tenant", c.entries[0]))
			c.edit(c.Actor("super"), c.entries[0], newsroom.Article("B"))
			c.put("super", releasing.MemberInput{EntryID: c.entries[0], From: 1}, releasing.MemberInput{EntryID: c.entries[1]})
		},
		"wrote the publication of a time without a workflow that is taken again": func(c *launch) {
			c.OK(c.Workflows.RemoveProject(c.Context(), core.Actor{System: true}, c.Project))
			c.edit(c.Actor("admin"), c.entries[0], newsroom.Article("A"))
			c.edit(c.Actor("super"), c.entries[0], newsroom.Article("A", newsroom.Published(true)))
			c.edit(c.Actor("super"), c.entries[0], newsroom.Article("B", newsroom.Published(true)))
			c.governStrictly()
			c.put("super", releasing.MemberInput{EntryID: c.entries[0], From: 1}, releasing.MemberInput{EntryID: c.entries[1]})
		},
		"published at a time without a workflow what is taken again": func(c *launch) {
			c.OK(c.Workflows.RemoveProject(c.Context(), core.Actor{System: true}, c.Project))
			_, err := c.Writer.Publish(c.Context(), c.Actor("admin"), c.Ref(c.entries[0]), writing.Publication{}, nil)
			c.OK(err)
			c.edit(c.Actor("super"), c.entries[0], newsroom.Article("B", newsroom.Published(true)))
			c.governStrictly()
			c.put("super", releasing.MemberInput{EntryID: c.entries[0], From: 1}, releasing.MemberInput{EntryID: c.entries[1]})
		},
		"takes a release back": func(c *launch) {
			c.submit("super")
			c.OK(c.decide("tenant"))
			back, err := c.releases.Revert(c.Context(), c.Actor("admin"), c.Project, c.id, false)
			c.OK(err)
			c.id = back.ID
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := newLaunch(t)
			admin(c)
			c.submit("super")
			before := c.publicTitles()
			if err := c.decide("admin"); core.KindOf(err) != core.KindForbidden {
				t.Errorf("the admin who %s decides: %v", what, err)
			}
			if after := c.publicTitles(); after != before {
				t.Errorf("readers see %v, before %v", after, before)
			}
			c.OK(c.decide("tenant"))
		})
	}
	t.Run("does nothing", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.submit("super")
		c.OK(c.decide("admin"))
	})
	t.Run("submits", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.submit("admin")
		if err := c.decide("admin"); core.KindOf(err) != core.KindForbidden {
			t.Errorf("the submitter decides: %v", err)
		}
	})
}

func (c *launch) reject() {
	c.Helper()
	_, err := c.Reviews.Reject(c.Context(), c.Actor("tenant"), review.ReleaseRef{Project: c.Project, ID: c.id}, approval.Decision{Comment: "no"})
	c.OK(err)
}

func (c *launch) publicTitles() [2]string {
	return [2]string{c.Public(c.entries[0]), c.Public(c.entries[1])}
}

// A release is no way around a workflow.
func TestReleasesDoNotEvadeWorkflows(t *testing.T) {
	t.Parallel()
	due := core.Some(time.Now().Add(time.Hour))
	t.Run("a release that waits when a workflow begins", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.OK(c.Workflows.RemoveProject(c.Context(), core.Actor{System: true}, c.Project))
		c.put("editor", releasing.MemberInput{EntryID: c.entries[0]})
		_, err := c.releases.Publish(c.Context(), c.Actor("editor"), c.ref(), releasing.Publication{PublishAt: due})
		c.OK(err)
		c.governStrictly()
		r, err := c.releases.Publish(c.Context(), c.Actor("editor"), c.ref(), releasing.Publication{})
		c.OK(err)
		if r.State != release.Pending || c.Public(c.entries[0]) != "" {
			t.Errorf("the release is %s and readers see %q", r.State, c.Public(c.entries[0]))
		}
	})
	t.Run("a Project that is moved to a department with a workflow", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.OK(c.Workflows.RemoveProject(c.Context(), core.Actor{System: true}, c.Project))
		_, err := c.Workflows.SetDepartment(c.Context(), core.Actor{System: true}, c.Marketing, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
		c.OK(err)
		c.put("editor", releasing.MemberInput{EntryID: c.entries[0]})
		_, err = c.releases.Publish(c.Context(), c.Actor("editor"), c.ref(), releasing.Publication{PublishAt: due})
		c.OK(err)
		c.Move(c.Marketing.ID)
		r, err := c.releases.Release(c.Context(), c.Actor("super"), c.Project, c.id)
		c.OK(err)
		if r.State != release.Open {
			t.Errorf("the release is %s under a workflow", r.State)
		}
	})
	t.Run("a publication of another entry", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.edit(c.Actor("super"), c.entries[0], newsroom.Article("A", newsroom.Published(true)))
		c.OK(c.Approve("tenant", c.entries[0]))
		_, err := c.releases.PutMembers(c.Context(), c.Actor("editor"), c.ref(), []releasing.MemberInput{{EntryID: c.entries[1], From: 1}})
		if core.KindOf(err) != core.KindInvalid {
			t.Errorf("took the publication of another entry: %v", err)
		}
	})
	t.Run("an unpublication as a disguise", func(t *testing.T) {
		t.Parallel()
		c := newLaunch(t)
		c.edit(c.Actor("super"), c.entries[0], newsroom.Article("A", newsroom.Published(true)))
		c.OK(c.Approve("tenant", c.entries[0]))
		c.edit(c.Actor("super"), c.entries[0], newsroom.Article("B"))
		c.put("super", releasing.MemberInput{EntryID: c.entries[0], Action: schedule.Unpublish})
		_, err := c.releases.Publish(c.Context(), c.Actor("super"), c.ref(), releasing.Publication{})
		c.OK(err)
		if got := c.Public(c.entries[0]); got != "A" {
			t.Errorf("readers see %q before the approval", got)
		}
		c.OK(c.decide("tenant"))
		if got := c.Public(c.entries[0]); got != "" {
			t.Errorf("readers see %q of an unpublished member", got)
		}
		if err := c.Approve("tenant", c.entries[0]); err == nil {
			t.Error("the request of the entry was decided again")
		}
	})
}
