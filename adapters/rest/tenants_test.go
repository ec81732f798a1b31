package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTenantChangesReportAllFaults(t *testing.T) {
	t.Parallel()
	w := setup(t)
	got := w.send(http.MethodPatch, "/api/tenants/"+itoa(w.tenant.ID), `{"name":"a\nb","mailContent":"some"}`, w.as("super"))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Contains(t, string(got.body), `"location":"name"`)
	require.Contains(t, string(got.body), `{"message":"must be full or none","location":"mailContent","value":"some"}`)
}
