package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"imprimatur/core/approval/proof"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:        "verify",
		Usage:       "check the proof of a publication, without a server or a database",
		ArgsUsage:   "FILE",
		Description: "FILE is the response of …/publications/{number}/proof; - reads standard input.",
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return errors.New("verify takes one FILE; - reads standard input")
			}
			name := c.Args().First()
			text, err := readProof(c.Root().Reader, name)
			if err != nil {
				return err
			}
			s, err := proof.Verify(text)
			if err != nil {
				return fmt.Errorf("%s is not a valid proof: %w", name, err)
			}
			fmt.Fprintln(c.Root().Writer, sentenceOf(s))
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

// sentenceOf returns what a proof proves.
func sentenceOf(s proof.Summary) string {
	text := fmt.Sprintf("valid: publication %d of entry %d, public since %s", s.Number, s.EntryID, s.PublishedAt)
	if s.UnpublishedAt != "" {
		text = fmt.Sprintf("valid: publication %d of entry %d, public from %s to %s", s.Number, s.EntryID, s.PublishedAt, s.UnpublishedAt)
	}
	text += "\ncontent " + s.ContentHash
	if s.ReleaseNumber == "" {
		return text + "\nno approval request"
	}
	return text + fmt.Sprintf("\n%s: approved at all %d steps, %d actions", s.ReleaseNumber, s.Steps, s.Actions)
}
