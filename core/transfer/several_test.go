package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
)

// notes creates a collection whose entries point to notes, which have no key, and to countries.
func (d *fixture) notes(t *testing.T) *core.Collection {
	t.Helper()
	several := definition.FieldInput{Name: "about", Type: core.TypeRelation, Collections: []string{"countries", "notes"}, Multiple: true}
	c := d.collection(t, "notes",
		definition.FieldInput{Name: "title", Type: core.TypeText}, several,
		definition.FieldInput{Name: "lead", Type: core.TypeRelation, Collections: []string{"countries"}})
	_, err := d.collections.Components().Create(t.Context(), d.actor, d.project, definition.CollectionInput{
		Slug: "see", Name: "see", Fields: []definition.FieldInput{several},
	})
	require.NoError(t, err)
	c, err = d.collections.AddField(t.Context(), definition.Change{Actor: d.actor, Project: d.project, CollectionID: c.ID},
		definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"see"}})
	require.NoError(t, err)
	return c
}

// TestRelationsToSeveralAreCopied exports two collections, and imports them into an empty project.
func TestRelationsToSeveralAreCopied(t *testing.T) {
	t.Parallel()
	d := setup(t)
	countries, notes := d.countries(t), d.notes(t)
	peru := d.create(t, countries, `{"code":"PE","name":"Peru"}`)
	first := d.create(t, notes, `{"title":"One"}`)
	second := d.create(t, notes, fmt.Sprintf(`{"title":"Two","about":[%[1]d,%[2]d],"lead":%[2]d,"body":[{"_type":"see","_key":"k","about":[%[2]d,%[1]d]}]}`, first.ID, peru.ID), published(true))
	d.update(t, first, fmt.Sprintf(`{"about":[%d]}`, second.ID)) // a cycle
	exported := d.export(t, notes)
	require.Contains(t, exported, fmt.Sprintf(`"about":[{"collection":"notes","group":"%[1]s/%[2]d"},{"collection":"countries","group":"%[1]s/%[3]d","key":"PE"}]`, d.project.UUID, first.ID, peru.ID))
	require.Contains(t, exported, `"lead":{"collection":"countries",`)

	other := setup(t)
	otherCountries, copied := other.countries(t), other.notes(t)
	report := other.load(t, otherCountries, strings.NewReader(d.export(t, countries)), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 1, Created: 1}, report)
	report = other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 2, Created: 2}, report)
	require.Equal(t, exported, other.export(t, copied))
	report = other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 2, Unchanged: 2}, report)
}

func TestTargetsOfSeveralNameTheirCollection(t *testing.T) {
	t.Parallel()
	d := setup(t)
	countries, notes := d.countries(t), d.notes(t)
	peru := d.create(t, countries, `{"code":"PE","name":"Peru"}`)
	const form = `must be {"collection": …, "group": …, "key": …} with one of the collections countries, notes`
	for targets, want := range map[string]map[string]string{
		`["PE"]`:                                   {"relations.about[0]": form},
		`[{"group":"x"}]`:                          {"relations.about[0]": form},
		`[{"collection":"places","key":"PE"}]`:     {"relations.about[0]": form},
		`[{"collection":7,"key":"PE"}]`:            {"relations.about[0]": form},
		`[{"collection":"countries"}]`:             {"relations.about[0]": form},
		`[{"collection":"countries","key":"DE"}]`:  {"relations.about[0]": "no entry of countries has this key"},
		`[{"collection":"notes","group":"other"}]`: {"relations.about[0]": "no entry of notes has this group"},
		fmt.Sprintf(`[{"collection":"notes","group":"%s/%d"}]`, d.project.UUID, peru.ID): {"relations.about[0]": "no entry of notes has this group"},
		`[{"collection":"countries","key":"PE","x":1}]`:                                  {"relations.about[0].x": "no such member", "relations.about[0]": form},
	} {
		report := d.load(t, notes, lines(`{"relations":{"about":`+targets+`}}`), transfer.ImportOptions{})
		require.Len(t, report.Failed, 1, targets)
		require.Equal(t, want, locations(report.Failed[0].Err), targets)
	}
	named := d.load(t, notes, lines(`{"relations":{"about":[{"collection":"countries"}]}}`), transfer.ImportOptions{})
	require.Contains(t, fmt.Sprintf("%s", named.Failed[0].Err.Fields[0].Value), "countries", "the value as it was given")
	report := d.load(t, notes, lines(`{"fields":{"title":"N"},"relations":{"about":[{"collection":"countries","key":"PE"}],"lead":null}}`), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 1, Created: 1}, report)
}

// An export leaves out entries of collections that a relation no longer admits.
func TestExportsLeaveOutWhatARelationNoLongerAdmits(t *testing.T) {
	t.Parallel()
	d := setup(t)
	countries, notes := d.countries(t), d.notes(t)
	peru := d.create(t, countries, `{"code":"PE","name":"Peru"}`)
	d.create(t, notes, fmt.Sprintf(`{"title":"N","about":[%[1]d],"lead":%[1]d}`, peru.ID))
	_, err := d.collections.ReviseField(t.Context(), definition.Change{Actor: d.actor, Project: d.project, CollectionID: notes.ID}, "about", func(in definition.FieldInput) definition.FieldInput {
		in.Collections = []string{"notes"}
		return in
	})
	require.NoError(t, err)
	exported := d.export(t, notes)
	require.Contains(t, exported, `"about":[]`)
	require.Contains(t, exported, `"lead":{"collection":"countries"`)
}
