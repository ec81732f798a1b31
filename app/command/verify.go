package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/core/approval/proof"
)

// exitUntrusted is the exit code for a proof that is consistent, but was not checked against a
// trusted key.
const exitUntrusted exitCode = 2

func verifyCommand() *cli.Command {
	var key string
	return &cli.Command{
		Name:      "verify",
		Usage:     "check the proof of a publication, without a server or a database",
		ArgsUsage: "FILE",
		Description: "FILE is the response of …/publications/{number}/proof; - reads standard input.\n\n" +
			"The exit code is 0 when a trusted key signed the proof, 2 when the proof is consistent, but no trusted key was named or it has no signature, and 1 when it is not valid.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "key", Usage: "the keys that you trust: a file or URL with the installation's /.well-known/imprimatur-keys.json", Destination: &key},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return errors.New("verify takes one FILE; - reads standard input")
			}
			name := c.Args().First()
			text, err := readProof(c.Root().Reader, name)
			if err != nil {
				return err
			}
			var trusted *proof.Keys
			if c.IsSet("key") {
				if trusted, err = readKeys(ctx, key); err != nil {
					return fmt.Errorf("setting --key: %s", printable(err.Error()))
				}
			}
			s, err := proof.Verify(text, trusted)
			if err != nil { // one line: text of the proof cannot look like another verdict
				return errors.New(printable(fmt.Sprintf("%s is not a valid proof: %v", name, err)))
			}
			fmt.Fprintln(c.Root().Writer, printableLines(verdictOf(s)))
			if !s.Trusted {
				return exitUntrusted
			}
			return nil
		},
	}
}

func readProof(in io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}

const (
	// maxKeyDocument is the longest document of keys in bytes.
	maxKeyDocument = 1 << 20
	// keyTimeout is the time limit for its download.
	keyTimeout = 10 * time.Second
)

// readKeys reads the document of keys at a path or URL.
func readKeys(ctx context.Context, place string) (*proof.Keys, error) {
	open := func() (io.ReadCloser, error) { return os.Open(place) }
	if address, err := url.Parse(place); err == nil && (address.Scheme == "https" || address.Scheme == "http") {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, keyTimeout)
		defer cancel()
		open = func() (io.ReadCloser, error) { return download(ctx, place) }
	}
	document, err := open()
	if err != nil {
		return nil, err
	}
	defer document.Close()
	text, err := io.ReadAll(io.LimitReader(document, maxKeyDocument+1))
	if err != nil {
		return nil, err
	}
	keys, err := proof.ReadKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a document of keys: %w", place, err)
	}
	return keys, nil
}

// download returns the body of the response at a URL. A redirect must not lead from https to http.
func download(ctx context.Context, address string) (io.ReadCloser, error) {
	client := http.Client{CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) >= 5 || via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return errors.New("refused redirect to " + next.URL.String())
		}
		return nil
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request) //nolint:bodyclose // the caller closes it
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s answered with status %d", address, response.StatusCode), response.Body.Close())
	}
	return response.Body, nil
}

// verdictOf returns what a proof proves, in a few lines.
func verdictOf(s proof.Summary) string {
	period := "public since " + s.PublishedAt
	if s.UnpublishedAt != "" {
		period = "public from " + s.PublishedAt + " to " + s.UnpublishedAt
	}
	what := fmt.Sprintf("publication %d of entry %d, %s", s.Number, s.EntryID, period)
	var lines []string
	switch {
	case s.Trusted:
		lines = []string{"valid: " + what, "signed at " + s.SignedAt + " by " + s.SignedBy}
	case s.SignedBy != "":
		lines = []string{"consistent, signed by " + s.SignedBy + "; name the key that you trust", "it says, at " + s.SignedAt + ": " + what}
	default:
		lines = []string{"consistent, unsigned: anyone can have made it", "it says: " + what}
	}
	lines = append(lines, "content "+s.ContentHash)
	if s.ReleaseNumber == "" {
		lines = append(lines, "no approval request")
	} else {
		if s.ReleaseName != "" {
			lines = append(lines, fmt.Sprintf("one of %d members of the release %q", s.Members, s.ReleaseName))
		}
		approved := fmt.Sprintf("%s: approved at all %d steps, %d actions", printable(s.ReleaseNumber), s.Steps, s.Actions)
		if s.Confirmed > 0 {
			approved += fmt.Sprintf("; at %d of the steps the reviewer proved again who they are", s.Confirmed)
		}
		if s.Signed > 0 {
			approved += fmt.Sprintf("; %d signed approvals, %d of them by passkeys", s.Signed, s.Passkeys)
		}
		lines = append(lines, approved)
	}
	return strings.Join(lines, "\n")
}
