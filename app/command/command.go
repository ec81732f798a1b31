package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/core"
)

// Main runs the command line of the process and returns its exit code.
func Main(args []string) int {
	ConfigureCollector()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := New(os.Stdin, os.Stdout, os.Stderr).Run(ctx, args); err != nil {
		if code, ok := errors.AsType[exitCode](err); ok {
			return int(code)
		}
		fmt.Fprintln(os.Stderr, "imprimatur: "+Sentence(err))
		return 1
	}
	return 0
}

// exitCode is an error of a command that has printed its result and ends with this exit code.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// New returns the command line on the given streams.
func New(in io.Reader, out, diagnostics io.Writer) *cli.Command {
	return &cli.Command{
		Name:           "imprimatur",
		Usage:          "a headless content platform: let it be published",
		Reader:         in,
		Writer:         &outputWriter{Writer: out},
		ErrWriter:      diagnostics,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // Main prints the error once
		OnUsageError:   usageError,
		Commands: complete(
			demoCommand(), serveCommand(), migrateCommand(),
			group("user", "manage users", userCreateCommand(), userResetCommand(), userFactorsCommand(), userSessionsCommand()),
			group("token", "manage tokens of the content API", tokenCreateCommand()),
			importCommand(), exportCommand(), backupCommand(), restoreCommand(), restoredCommand(), resumeCommand(), checkCommand(),
			group("approvals", "export approval requests", approvalsExportCommand()),
			verifyCommand(),
			group("keys", "manage the keys that sign proofs", keysShowCommand(), keysRotateCommand(), keysRevokeCommand()),
			group("events", "export events", eventsExportCommand()),
			group("deliveries", "manage deliveries to webhooks", deliveriesListCommand(), deliveriesRetryCommand(), deliveriesParkCommand()),
			group("mail", "check the sending of e-mails", mailTestCommand()),
			group("media", "manage files of the media libraries", mediaSweepCommand(), mediaRebuildCommand(), mediaCleanCommand()),
			explainCommand(), openAPICommand(), schemaCommand(), typesCommand(), configCommand(), versionCommand(), licencesCommand(),
		),
		Before: func(ctx context.Context, c *cli.Command) (context.Context, error) {
			return ctx, config.CheckEnvironment(variables(c.Root()), os.Environ())
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if name := c.Args().First(); name != "" {
				return fmt.Errorf("unknown command %q; see imprimatur --help", name)
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
}

// variables returns the environment variables that c and its subcommands read.
func variables(c *cli.Command) (names []string) {
	for _, f := range c.Flags {
		if documented, ok := f.(cli.DocGenerationFlag); ok {
			names = append(names, documented.GetEnvVars()...)
		}
	}
	for _, sub := range c.Commands {
		names = append(names, variables(sub)...)
	}
	return names
}

// group returns a command that only has subcommands.
func group(name, usage string, commands ...*cli.Command) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, Commands: commands}
}

// outputWriter remembers the first error of its Writer.
type outputWriter struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (w *outputWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// complete adds to each command with an action the handler of usage errors, a check that standard
// output received everything and, unless the command documents arguments, a check that it has none.
func complete(commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		complete(c.Commands...)
		if c.Action == nil {
			continue
		}
		c.OnUsageError = usageError
		run, arguments := c.Action, c.ArgsUsage != ""
		c.Action = func(ctx context.Context, c *cli.Command) error {
			if !arguments && c.Args().Present() {
				return fmt.Errorf("%s: unexpected argument %q", c.FullName(), c.Args().First())
			}
			if err := run(ctx, c); err != nil {
				return err
			}
			return c.Root().Writer.(*outputWriter).err
		}
	}
	return commands
}

func usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	return fmt.Errorf("%w; see %s --help", err, c.FullName())
}

// valueErrors replaces the messages of the library about values of the wrong type.
var valueErrors = []struct {
	pattern *regexp.Regexp
	message string
}{
	{regexp.MustCompile(`^invalid value ("(?:[^"\\]|\\.)*") for flag -([\w-]+): .*?(; see |$)`), "setting --$2: invalid value $1$3"},
	{regexp.MustCompile(`^could not parse ("(?:[^"\\]|\\.)*") as \S+ value from environment variable "(\w+)".*`), "setting $2: invalid value $1"},
}

// Sentence returns the message of err for the operator, with all faults of the input and
// without the internal details of a core.Error. Control characters, which messages can have from
// files, are escaped.
func Sentence(err error) string {
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		text := err.Error()
		for _, e := range valueErrors {
			text = e.pattern.ReplaceAllString(text, e.message)
		}
		return printableLines(text)
	}
	text := printable(e.Message)
	for _, f := range e.Fields {
		text += "\n  " + printable(f.Location)
		if value, err := json.Marshal(f.Value); err == nil && f.Value != nil {
			text += " (" + printable(string(value)) + ")"
		}
		text += ": " + printable(f.Message)
	}
	if e.Kind == core.KindInternal && e.Err != nil {
		text += ": " + printableLines(e.Err.Error())
	}
	return text
}
