package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/core/identity"
	"imprimatur/core/media"
	"imprimatur/core/review"
	"imprimatur/core/writing"
)

// workflows creates a workflow of three steps for the Newsroom and of one step for
// Investor Relations. Content that already exists stays public without approval.
func (s *seed) workflows(ctx context.Context) error {
	_, err := s.Workflows.SetDepartment(ctx, core.SystemActor, s.newsroom, approval.WorkflowInput{Steps: []approval.StepInput{
		{StepOrder: 1, RequiredRoleKind: string(core.RoleAdmin), StepLabel: new("Desk editor")},
		{StepOrder: 2, RequiredRoleKind: string(core.RoleDepartmentAdmin), RequiredCustomRoleID: &s.facts.CustomRoles.Legal, StepLabel: new("Legal")},
		{StepOrder: 3, RequiredRoleKind: string(core.RoleDepartmentAdmin), StepLabel: new("Head of the newsroom")},
	}})
	if err != nil {
		return fmt.Errorf("workflow of the newsroom: %w", err)
	}
	_, err = s.Workflows.SetProject(ctx, core.SystemActor, s.investors, approval.WorkflowInput{Steps: []approval.StepInput{
		{StepOrder: 1, RequiredRoleKind: string(core.RoleTenantAdmin), StepLabel: new("Board office")},
	}})
	return err
}

// requests submits and reviews articles, so that each step has pending requests, one
// article is scheduled for tomorrow and one was returned to its author.
func (s *seed) requests(ctx context.Context) error {
	people, tomorrow := s.actors, time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 1)
	for _, story := range []struct {
		title     string
		at        *time.Time
		approvers []string // of the first steps, in order
		revision  string   // the change that the approver of the next step requests, if any
	}{
		{title: "What a census cannot ask in Beirut"},
		{title: "The cobalt question, one shift at a time", approvers: []string{"projectAdmin"}},
		{title: "Iceland measures a volcano by its silence", approvers: []string{"projectAdmin", "legal"}},
		{title: "Dakar rehearses for the rain", at: &tomorrow, approvers: []string{"projectAdmin", "legal", "departmentAdmin"}},
		{title: "The teachers who cross the Mekong before breakfast", approvers: []string{"projectAdmin"}, revision: "Please get the parents' consent for the names in the third paragraph."},
	} {
		entry := s.written[story.title]
		if _, err := s.Writer.Publish(ctx, people["editor"], review.EntryRef{Project: s.worldDesk, CollectionID: s.facts.Collections.Articles, ID: entry}, writing.Publication{At: story.at}, nil); err != nil {
			return fmt.Errorf("submitting %q: %w", story.title, err)
		}
		if err := s.approve(ctx, people, entry, story.approvers...); err != nil {
			return fmt.Errorf("%q: %w", story.title, err)
		}
		if story.revision != "" {
			if _, err := s.Reviews.RequestRevision(ctx, people["legal"], review.EntryRef{Project: s.worldDesk, CollectionID: s.facts.Collections.Articles, ID: entry}, approval.Decision{Comment: story.revision}); err != nil {
				return err
			}
		}
	}
	if err := s.correction(ctx, people["editor"]); err != nil {
		return err
	}
	if err := s.revisePages(ctx, people["editor"]); err != nil {
		return fmt.Errorf("a later version of a page: %w", err)
	}
	if err := s.history(ctx, people); err != nil {
		return fmt.Errorf("an article with a history: %w", err)
	}
	_, err := s.Writer.Create(ctx, people["departmentAdmin"], s.investors, s.facts.Collections.Notices, core.EntryWrite{
		Published: new(true), Fields: core.WrittenFields{Raw: texts("title", "Change on the supervisory board", "body", "Ines Moreau follows Karl Aumann from 1 July.")},
	})
	return err
}

// correction changes a published article. Readers see the old version until the change
// is approved.
func (s *seed) correction(ctx context.Context, editor core.Actor) error {
	fields := texts(
		"title", "Marseille bets on shade, street by street",
		"summary", "Forty streets get trees, awnings or both before next summer; the tram stops come first.",
		"body", "<p>Forty streets get trees, awnings or both before next summer, and everybody here has tried to be among them.</p>"+
			"<p>For a decade the answer was to wait. Then a heat wave closed two schools, and waiting became the expensive choice.</p>"+
			"<h2>What changed</h2><p>The figures are modest: a few hundred households, one workshop, a budget that fits on a page. "+
			"What has changed is the order in which things happen: the tram stops come first.</p>"+
			"<p>“We plant where people wait,” says the engineer, who counts the degrees herself.</p>"+
			"<p>Whether it lasts depends on who learns the trade next.</p>",
	)
	fields["cover"] = strconv.AppendInt(nil, s.media["harbour-at-dawn.jpg"], 10)
	marseille := review.EntryRef{Project: s.worldDesk, CollectionID: s.facts.Collections.Articles, ID: s.written["Marseille bets on shade"]}
	_, err := s.Writer.Update(ctx, editor, marseille, nil, core.EntryWrite{
		Published: new(true), Fields: core.WrittenFields{Raw: fields},
	})
	return err
}

// history gives a published article several revisions and a second publication, and then changes
// the caption of its picture. Readers keep the caption that was approved with the article.
func (s *seed) history(ctx context.Context, people map[string]core.Actor) error {
	const title = "A library on rails reaches the Bolivian altiplano"
	collection, entry := s.facts.Collections.Articles, s.written[title]
	for _, change := range []struct{ person, note, summary string }{
		{"editor", "Number of stops added", "A carriage of 4,000 books stops at eleven villages between Oruro and Uyuni."},
		{"projectAdmin", "Checked with the railway: twelve stops since May", "A carriage of 4,000 books stops at twelve villages between Oruro and Uyuni."},
	} {
		_, err := s.Writer.Update(ctx, people[change.person], review.EntryRef{Project: s.worldDesk, CollectionID: collection, ID: entry}, nil, core.EntryWrite{
			Note: &change.note, Fields: core.WrittenFields{Raw: texts("summary", change.summary)},
		})
		if err != nil {
			return err
		}
	}
	if _, err := s.Writer.Publish(ctx, people["editor"], review.EntryRef{Project: s.worldDesk, CollectionID: collection, ID: entry}, writing.Publication{}, nil); err != nil {
		return err
	}
	if err := s.approve(ctx, people, entry, "projectAdmin", "legal", "departmentAdmin"); err != nil {
		return err
	}
	caption := "The altiplano from the window of the night train"
	_, err := s.Library.Change(ctx, people["editor"], s.worldDesk, s.media["night-train.jpg"], media.Change{Caption: &caption})
	return err
}

// approve approves the open request of an article, one step for each of the approvers.
func (s *seed) approve(ctx context.Context, people map[string]core.Actor, entry int64, approvers ...string) error {
	for _, approver := range approvers {
		if _, err := s.Reviews.Approve(ctx, people[approver], review.EntryRef{Project: s.worldDesk, CollectionID: s.facts.Collections.Articles, ID: entry}, approval.Decision{}); err != nil {
			return fmt.Errorf("approval of %s: %w", approver, err)
		}
	}
	return nil
}

// signIn makes the users with a part in requests actors. It comes early: passwords take much memory, which the
// content needs later.
func (s *seed) signIn(ctx context.Context) error {
	s.actors = map[string]core.Actor{}
	for _, key := range []string{"editor", "projectAdmin", "legal", "departmentAdmin"} {
		account := s.facts.Users[key]
		in, err := s.Sessions.SignIn(ctx, identity.SignIn{Email: account.Email, Password: account.Password, Client: identity.Client{Address: "127.0.0.1"}})
		if err == nil {
			err = s.Sessions.SignOut(ctx, core.SystemActor, in.Session)
		}
		if err != nil {
			return fmt.Errorf("signing in %s: %w", key, err)
		}
		s.actors[key] = in.Actor
	}
	return nil
}

// texts returns the fields of alternating names and values.
func texts(pairs ...string) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i]] = canonical.Quote(pairs[i+1])
	}
	return fields
}
