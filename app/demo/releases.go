package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// reviewers approve the steps of the newsroom's workflow, in order.
var reviewers = []string{"projectAdmin", "legal", "departmentAdmin"}

// releases creates a release of World Desk in each state that a visitor should see: published, published and
// reverted, scheduled, and in review.
func (s *seed) releases(ctx context.Context) error {
	countries, err := s.countryIDs(ctx)
	if err != nil {
		return err
	}
	facts := &s.facts.Releases
	if facts.Published, err = s.measured(ctx, countries); err != nil {
		return fmt.Errorf("published release: %w", err)
	}
	if facts.Reverted, err = s.renamed(ctx, countries); err != nil {
		return fmt.Errorf("reverted release: %w", err)
	}
	if facts.Scheduled, err = s.mapRoom(ctx, countries); err != nil {
		return fmt.Errorf("scheduled release: %w", err)
	}
	if facts.InReview, err = s.islands(ctx, countries); err != nil {
		return fmt.Errorf("release in review: %w", err)
	}
	return nil
}

func (s *seed) measured(ctx context.Context, countries map[string]int64) (int64, error) {
	var members []releasing.MemberInput
	for _, country := range []struct{ code, area string }{{"KIR", "811.2"}, {"NRU", "21.1"}, {"TON", "748.5"}, {"TUV", "25.6"}} {
		id := countries[country.code]
		if err := s.change(ctx, s.facts.Collections.Countries, id, map[string]json.RawMessage{"area": json.RawMessage(country.area)}); err != nil {
			return 0, err
		}
		members = append(members, releasing.MemberInput{EntryID: id})
	}
	return s.release(ctx, releasing.Change{Name: new("Atlas: the Pacific, measured again"), Description: new("Areas by the survey of this spring.")}, members, reviewers...)
}

// renamed publishes official names as names, and takes them back: the drafts keep them.
func (s *seed) renamed(ctx context.Context, countries map[string]int64) (int64, error) {
	var members []releasing.MemberInput
	for _, country := range []struct{ code, name string }{{"SWZ", "Kingdom of Eswatini"}, {"TLS", "Democratic Republic of Timor-Leste"}} {
		id := countries[country.code]
		if err := s.change(ctx, s.facts.Collections.Countries, id, texts("name", country.name)); err != nil {
			return 0, err
		}
		members = append(members, releasing.MemberInput{EntryID: id})
	}
	renamed, err := s.release(ctx, releasing.Change{Name: new("Atlas: official names first")}, members, reviewers...)
	if err != nil {
		return 0, err
	}
	back, err := s.Releases.Revert(ctx, s.actors["editor"], s.worldDesk, renamed, false)
	if err != nil {
		return 0, err
	}
	return renamed, s.submit(ctx, back.ID, "Readers search for the short names.", reviewers...)
}

func (s *seed) mapRoom(ctx context.Context, countries map[string]int64) (int64, error) {
	members := []releasing.MemberInput{{EntryID: s.written["The map room"]}}
	for _, country := range []struct{ code, capital string }{{"FJI", `["Suva","Lautoka"]`}, {"PLW", `["Ngerulmud","Koror"]`}} {
		id := countries[country.code]
		if err := s.change(ctx, s.facts.Collections.Countries, id, map[string]json.RawMessage{"capital": json.RawMessage(country.capital)}); err != nil {
			return 0, err
		}
		members = append(members, releasing.MemberInput{EntryID: id})
	}
	opening := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 3)
	return s.release(ctx, releasing.Change{
		Name: new("The map room opens"), Description: new("The page of the map room, and the maps that it shows first."),
		PublishAt: core.Some(opening),
	}, members, reviewers...)
}

// islands sends a new and two changed articles, a country and the end of an article to review together.
func (s *seed) islands(ctx context.Context, countries map[string]int64) (int64, error) {
	const wind, reefs = "Salt, wind and a hundred new kilowatts in Cape Verde", "Small nation, long memory: Tuvalu digitises its reefs"
	for _, change := range []struct {
		collection, entry int64
		fields            map[string]json.RawMessage
	}{
		{s.facts.Collections.Countries, countries["CPV"], texts("name", "Cabo Verde")},
		{s.facts.Collections.Articles, s.written[wind], texts(
			"title", "Salt, wind and two hundred new kilowatts in Cabo Verde",
			"summary", "The second turbine turns since May, and the ice for the fish comes from it.",
		)},
		{s.facts.Collections.Articles, s.written[reefs], texts("summary", "Nine atolls, four divers and one hard disk that is carried to Suva every month.")},
	} {
		if err := s.change(ctx, change.collection, change.entry, change.fields); err != nil {
			return 0, err
		}
	}
	return s.release(ctx, releasing.Change{Name: new("The islands issue"), Description: new("Everything for the issue about islands, at one time.")}, []releasing.MemberInput{
		{EntryID: countries["CPV"]}, {EntryID: s.written[wind]}, {EntryID: s.written[reefs]},
		{EntryID: s.written["Old dykes, new clay: the Dutch winter test"]},
		{EntryID: s.written["Postal boats of the Stockholm archipelago"], Action: schedule.Unpublish},
	})
}

// change changes the draft of an entry.
func (s *seed) change(ctx context.Context, collection, entry int64, fields map[string]json.RawMessage) error {
	ref := review.EntryRef{Project: s.worldDesk, CollectionID: collection, ID: entry}
	_, err := s.Writer.Update(ctx, s.actors["editor"], ref, nil, core.EntryWrite{Fields: core.WrittenFields{Raw: fields}})
	return err
}

// release creates a release of the editor with these members, submits it, approves the steps of the approvers and
// returns its id.
func (s *seed) release(ctx context.Context, in releasing.Change, members []releasing.MemberInput, approvers ...string) (int64, error) {
	created, err := s.Releases.Create(ctx, s.actors["editor"], s.worldDesk, in)
	if err != nil {
		return 0, err
	}
	if _, err := s.Releases.PutMembers(ctx, s.actors["editor"], releasing.Ref{Project: s.worldDesk, ID: created.ID}, members); err != nil {
		return 0, err
	}
	return created.ID, s.submit(ctx, created.ID, "", approvers...)
}

// submit submits a release for the editor and approves the steps of the approvers.
func (s *seed) submit(ctx context.Context, id int64, comment string, approvers ...string) error {
	if _, err := s.Releases.Publish(ctx, s.actors["editor"], releasing.Ref{Project: s.worldDesk, ID: id}, releasing.Publication{Comment: comment}); err != nil {
		return err
	}
	for _, approver := range approvers {
		if _, err := s.Reviews.Approve(ctx, s.actors[approver], review.ReleaseRef{Project: s.worldDesk, ID: id}, approval.Decision{}); err != nil {
			return fmt.Errorf("approval of %s: %w", approver, err)
		}
	}
	return nil
}
