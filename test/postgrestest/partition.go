package postgrestest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
)

// partitions is the number of partitions in a database of Partitioned.
const partitions = 4

// PartitionScript returns the path of the script that partitions the content tables.
func PartitionScript() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../app/deploy/partition.sql")
}

// psqlCommand is a line of a script that psql executes itself.
var psqlCommand = regexp.MustCompile(`(?m)^\\.*$`)

// Partition runs the partition script on the migrated database at url. It needs no
// psql, which is missing where npm installed the server.
func Partition(ctx context.Context, url string, partitions int) error {
	script, err := os.ReadFile(PartitionScript())
	if err != nil {
		return err
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // several statements in one query
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the script has its own COMMIT
	statements := psqlCommand.ReplaceAllString(string(script), "")
	_, err = conn.Exec(ctx, strings.ReplaceAll(statements, ":'partitions'", fmt.Sprintf("'%d'", partitions)))
	return err
}
