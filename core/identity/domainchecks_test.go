package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/ports"
)

// TestRecheck asks for the records of claimed domains day by day.
func TestRecheck(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	c := connect(t)
	made := c.add(t, valid())
	record := made.Claims[0].Record
	c.outside.records["meridian.example"] = []string{record}
	claim := func(domain string, means account.ClaimMeans) {
		must(c.Claim(t.Context(), c.actor(t, "super"), c.meridian.ID, made.ID, domain, means))(t)
	}
	claim("meridian.example", account.ClaimByRecord)
	claim("bücher.example", account.ClaimByAdmin) // needs no record
	read := func() identity.ShownProvider { return must(c.Provider(t.Context(), c.meridian.ID, made.ID))(t) }
	check := func() *account.DomainClaim {
		t.Helper()
		require.False(t, must(c.Recheck(t.Context()))(t))
		return read().Claims[0].Claim
	}
	lost := func() (to []int64) {
		for _, e := range must(c.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 10_000}))(t) {
			if e.Type == event.DomainLost {
				require.Equal(t, []any{c.meridian.ID, "meridian.example"}, []any{e.TenantID, e.Place})
				to = append(to, e.SubjectID)
			}
		}
		return to
	}
	c.outside.records["meridian.example"] = nil
	c.clock.pass(day)
	require.Zero(t, check().CheckedAt, "not yet a day")
	c.clock.pass(time.Millisecond)
	missing := c.clock.now
	require.Equal(t, missing, check().MissingSince)

	// Back in time.
	c.clock.pass(6 * day)
	require.Equal(t, missing, check().MissingSince)
	c.outside.records["meridian.example"] = []string{"v=spf1 -all", record}
	c.clock.pass(2 * day)
	require.Zero(t, check().MissingSince)

	// Unreadable records are not missing, however long.
	c.outside.fails = true
	for range 10 {
		c.clock.pass(day + time.Millisecond)
		require.Zero(t, check().MissingSince)
		require.Equal(t, c.clock.now, check().CheckedAt)
	}

	// Gone for 7 days.
	c.outside.fails = false
	c.outside.records["meridian.example"] = []string{made.Claims[1].Record}
	on := must(c.stores.Providers.Provider(t.Context(), c.meridian.ID, made.ID))(t)
	on.State = account.ProviderOn
	ok(t, c.stores.Providers.Update(t.Context(), on))
	c.clock.pass(day + time.Millisecond)
	missing = check().MissingSince
	require.Equal(t, c.clock.now, missing)
	c.clock.pass(7*day - time.Millisecond)
	require.NotNil(t, check())
	c.outside.fails = true
	c.clock.pass(day + time.Millisecond)
	require.NotNil(t, check(), "a claim does not end while its record cannot be read")
	require.Equal(t, account.ProviderOn, read().State)
	require.Empty(t, lost())
	c.outside.fails = false
	c.clock.pass(day + time.Millisecond)
	require.Nil(t, check())
	require.Equal(t, account.ProviderOff, read().State)
	require.Equal(t, []int64{c.people["tenant"]}, lost())
	require.NotNil(t, read().Claims[1].Claim, "the word of a super admin stays")
	require.Equal(t, []string{"meridian.example", "bücher.example"}, read().Domains)
	check()
	require.Len(t, lost(), 1)

	// Another provider can claim it then.
	beside := c.add(t, valid())
	c.outside.records["meridian.example"] = []string{record}
	must(c.Claim(t.Context(), c.actor(t, "tenant"), c.meridian.ID, beside.ID, "meridian.example", account.ClaimByRecord))(t)
}
