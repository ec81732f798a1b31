package fileurl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/fileurl"
)

// The addresses that a browser turns into a path of a file are files; see the URL standard.
func TestFind(t *testing.T) {
	t.Parallel()
	const (
		project = "3b241101-e2bb-4255-8caf-4136c566a962"
		hash    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
		rest    = project + "/" + hash + "/a%20b.png"
	)
	for _, address := range []string{
		"/files/" + rest,
		"files/" + rest,
		"../files/" + rest + "?x=1#y",
		"//cms.example/files/" + rest,
		"https://cms.example/base/files/" + rest,
		"https://cms.example/files/x/files/" + rest,
		"HTTPS:/files/" + rest,
		"http:files/" + rest,
		"/./files/" + rest,
		"/files/./" + rest,
		"/files/x/../" + rest,
		"/files/x/%2e%2E/" + rest,
		`\files\` + project + `\` + hash + `\a b.png`,
		`http:\\cms.example\files\` + project + `\` + hash + `\a b.png`,
		"/files/" + project + "%2F" + hash + "/a b.png",
		"/%66iles/" + rest,
	} {
		f, ok := fileurl.Find(address)
		require.True(t, ok, address)
		require.Equal(t, fileurl.File{Project: project, Blob: project + "/" + hash + ".png", Hash: hash, Name: "a b.png"}, f, address)
	}
	for _, address := range []string{"", "/", "/files/", "/files/" + project + "/" + hash, "/files/x/y/a.png", "https://cms.example/%zz/files/" + rest} {
		_, ok := fileurl.Find(address)
		require.False(t, ok, address)
	}
}
