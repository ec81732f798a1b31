package sqlite

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// otherProcess names the database that this process is to have open, as another one does.
const otherProcess = "SQLITE_TEST_OTHER_PROCESS"

func TestOthersAreThereWhileTheyHaveTheDatabaseOpen(t *testing.T) {
	t.Parallel()
	if path := os.Getenv(otherProcess); path != "" {
		openUntilTold(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "a.db")
	own, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close() //nolint:errcheck // a temporary file
	there, err := Others(path)
	if err != nil {
		t.Fatal(err)
	}
	if there() {
		t.Error("there are others while only this process has it open")
	}

	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), otherProcess+"="+path)
	leave, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	says, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(says).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if !there() {
		t.Error("there are no others while another process has it open")
	}
	if err := leave.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	if there() {
		t.Error("there are others when the other process is gone")
	}
}

// openUntilTold has a database open, without doing anything with it, until its input ends.
func openUntilTold(t *testing.T, path string) {
	t.Helper()
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the test is about having it open
	fmt.Println("open")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		t.Fatal(err)
	}
}
