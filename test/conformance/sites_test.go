package conformance

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/program"
)

// TestSitesGuide runs the commands of the guide for sites, with a copy of the client's sources.
func TestSitesGuide(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(source, "api", "client"), os.DirFS("../../api/client")))
	p, _ := program.Demo(t)
	program.Tour(t, p, "../../api/sites.md", "# A site", "", 8, "SOURCE="+source, "SITE_PORT="+freePort(t))
}

// freePort returns a port of this machine that no program listened to a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}
