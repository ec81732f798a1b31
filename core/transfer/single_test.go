package transfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
)

func TestImportRefusesASecondGroupOfASingleton(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c, err := d.collections.Create(t.Context(), d.actor, d.project, definition.CollectionInput{
		Slug: "home", Name: "Home", Singleton: true, Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}},
	})
	require.NoError(t, err)
	one := `{"group":"a","fields":{"title":"One"},"translations":{"de":{"title":"Eins"}}}`
	report := d.load(t, c, lines(one, `{"group":"b","fields":{"title":"Two"}}`), transfer.ImportOptions{})
	require.Equal(t, int64(2), report.Created)
	require.Len(t, report.Failed, 1)
	require.Equal(t, int64(2), report.Failed[0].Line)
	require.Equal(t, "singleton", report.Failed[0].Err.Code)

	report = d.load(t, c, lines(one), transfer.ImportOptions{})
	require.Equal(t, int64(2), report.Unchanged)
}
