// Package retry_test kills the program just before and just after the commit of a request,
// and repeats the request with the same Idempotency-Key.
package retry_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// planVariable is the environment variable with the plan of a child process.
const planVariable = "TEST_RETRY_PLAN"

// plan is the database of a child process, and the point at which it kills itself, if any.
type plan struct{ Database, Point string }

const (
	beforeCommit = "before the commit"
	afterCommit  = "after the commit"
)

// TestMain also runs the child processes.
func TestMain(m *testing.M) {
	if text := os.Getenv(planVariable); text != "" {
		if err := runPlan(text); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// runPlan is the child process: it prints its address and serves until it is killed.
func runPlan(text string) error {
	var p plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	var addresses *service.Addresses
	app := fx.New(service.Options(settings(p.Database)), fx.Populate(&addresses),
		fx.Decorate(func(tx ports.Tx) ports.Tx { return killingTx{tx, p.Point} }))
	if err := app.Start(context.Background()); err != nil {
		return err
	}
	fmt.Println(addresses.Public)
	select {}
}

func settings(database string) config.Config {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL, cfg.LogLevel = database, "mem://", "error"
	cfg.SecretKey = postgrestest.SecretKey
	cfg.Listen, cfg.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	return cfg
}

// killingTx kills its process in the transaction of a request with an Idempotency-Key.
type killingTx struct {
	ports.Tx
	point string
}

func (x killingTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	keyed := actor.Claim != nil
	err := x.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		err := do(ctx, stores)
		if keyed && x.point == beforeCommit {
			die()
		}
		return err
	})
	if keyed && x.point == afterCommit {
		die()
	}
	return err
}

// die sends SIGKILL to the own process.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // the process ends here
	select {}
}

// engines maps drivers to functions that return the address of a new database.
var engines = map[string]func(t *testing.T) string{
	"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "imprimatur.db") },
	"pgx":    func(t *testing.T) string { return postgrestest.New(t) },
}

// TestRepeatAfterCrash repeats a request whose process was killed: it takes effect if it
// had not before, and otherwise returns idempotency_answer_lost.
func TestRepeatAfterCrash(t *testing.T) {
	t.Parallel()
	for driver, place := range engines {
		for point, outcomes := range map[string][2]string{
			beforeCommit: {`201 "state":"draft"`, `201 "state":"draft"`},
			afterCommit:  {`409 "code":"idempotency_answer_lost"`, `409 "code":"idempotency_answer_lost"`},
		} {
			t.Run(driver+" "+point, func(t *testing.T) {
				t.Parallel()
				address := place(t)
				database := address
				if driver == "sqlite" {
					database = "sqlite:" + address
				}
				path, token := fill(t, database)
				first := launch(t, plan{database, point})
				_, err := first.create(t, path, token)
				require.Error(t, err, "a response arrived")
				first.killed(t)

				p := launch(t, plan{Database: database})
				expect(t, `409 "code":"idempotency_key_in_use"`, p, path, token)
				age(t, driver, address)
				for _, outcome := range outcomes {
					expect(t, outcome, p, path, token)
				}
				require.Equal(t, 1, count(t, driver, address))
			})
		}
	}
}

// fill creates a project and returns the path of its entries and a token.
func fill(t *testing.T, database string) (path, secret string) {
	t.Helper()
	var organisation *access.Organisation
	var tokens *access.Tokens
	var collections *definition.Collections
	stop, err := service.Use(t.Context(), settings(database), &organisation, &tokens, &collections)
	require.NoError(t, err)
	defer stop()
	tenant, err := organisation.CreateTenant(t.Context(), core.Actor{System: true}, "Meridian")
	require.NoError(t, err)
	project, err := organisation.CreateProject(t.Context(), core.Actor{System: true}, tenant.ID, access.ProjectInput{Name: "Desk", Locales: []string{"en"}})
	require.NoError(t, err)
	_, err = collections.Create(t.Context(), core.Actor{System: true}, project, definition.CollectionInput{
		Slug: "articles", Name: "Articles", Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}},
	})
	require.NoError(t, err)
	_, secret, err = tokens.Create(t.Context(), core.Actor{System: true}, project, access.TokenInput{
		Name: "writer", Abilities: []core.Ability{core.AbilityCreate},
	})
	require.NoError(t, err)
	return "/public/v2/projects/" + project.UUID + "/collections/articles/entries", secret
}

// process is a running child process.
type process struct {
	command *exec.Cmd
	address string
}

func launch(t *testing.T, p plan) *process {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	command := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
	command.Env = append(os.Environ(), planVariable+"="+string(text))
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may be dead
		_ = command.Wait()
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, address, "http://")
	return &process{command, strings.TrimSpace(address)}
}

// killed waits for the process and requires that SIGKILL ended it.
func (p *process) killed(t *testing.T) {
	t.Helper()
	var ended *exec.ExitError
	require.ErrorAs(t, p.command.Wait(), &ended)
	status, ok := ended.Sys().(syscall.WaitStatus)
	require.True(t, ok && status.Signaled() && status.Signal() == syscall.SIGKILL, "%v", ended)
}

// create sends the request with the fixed key and returns status and body.
func (p *process) create(t *testing.T, path, token string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.address+path, strings.NewReader(`{"fields":{"title":"Once"}}`))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Idempotency-Key": "5f9c2d3e-8a41-4b6f",
	} {
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprintf("%d %s", response.StatusCode, body), err
}

// expect repeats the request; want is the status and a part of the body.
func expect(t *testing.T, want string, p *process, path, token string) {
	t.Helper()
	response, err := p.create(t, path, token)
	require.NoError(t, err)
	status, part, _ := strings.Cut(want, " ")
	require.Regexp(t, "^"+status+" ", response)
	require.Contains(t, response, part)
}

// age makes the stored key three minutes older.
func age(t *testing.T, driver, address string) {
	t.Helper()
	result, err := open(t, driver, address).ExecContext(t.Context(), "UPDATE idempotency_keys SET claimed_at = claimed_at - 180000")
	require.NoError(t, err)
	keys, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, keys)
}

// count returns the number of entries.
func count(t *testing.T, driver, address string) (entries int) {
	t.Helper()
	require.NoError(t, open(t, driver, address).QueryRowContext(t.Context(), "SELECT count(*) FROM entries").Scan(&entries))
	return entries
}

func open(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	if driver == "sqlite" {
		address += "?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
