package access_test

import (
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
)

// BenchmarkTokenToPlace measures the authorization of a content API request.
func BenchmarkTokenToPlace(b *testing.B) {
	w := setup(b)
	_, secret := w.token(b, w.worldDesk, core.AbilityRead)
	target := access.Target{ProjectUUID: w.worldDesk.UUID}
	b.ReportAllocs()
	for b.Loop() {
		actor, err := w.authenticator.Token(b.Context(), secret, core.AbilityRead)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.authorizer.Authorize(b.Context(), actor, access.ReadPublic, target); err != nil {
			b.Fatal(err)
		}
	}
}
