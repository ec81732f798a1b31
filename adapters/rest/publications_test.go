package rest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/approval/proof"
)

func TestTheExampleProofIsValid(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(storyProof)
	require.NoError(t, err)
	document, err := json.Marshal(storyKeys)
	require.NoError(t, err)
	keys, err := proof.ReadKeys(document)
	require.NoError(t, err)
	s, err := proof.Verify(raw, keys)
	require.NoError(t, err)
	require.True(t, s.Trusted)
	require.Equal(t, 3, s.Steps)
	require.Equal(t, storyHash, s.ContentHash)
}
