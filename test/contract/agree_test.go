package contract_test

import (
	"flag"
	"os"
	"testing"

	"imprimatur/test/contract"
)

// checks is the number of random histories per run unless -rapid.checks is given. It is
// small enough for every commit.
const checks = "18"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	contract.Agree(t, map[string]contract.Factory{
		"memory": openMemory, "sqlite": openSQLite, "postgres": openPostgres, "partitions": openPartitioned,
	})
}

func TestEnginesAgreeOnMany(t *testing.T) {
	t.Parallel()
	contract.AgreeOnMany(t, map[string]contract.Factory{"memory": openMemory, "sqlite": openSQLite, "postgres": openPostgres})
}

// searches is the number of searches of TestEnginesAgreeOnWords, small enough for every commit.
var searches = flag.Int("searches", 500, "random searches that all engines must answer alike")

func TestEnginesAgreeOnWords(t *testing.T) {
	t.Parallel()
	contract.AgreeOnWords(t, map[string]contract.Factory{"memory": openMemory, "sqlite": openSQLite, "postgres": openPostgres}, *searches)
}
