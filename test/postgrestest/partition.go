package postgrestest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"imprimatur/test/checkout"
)

// partitions is the number of partitions in a database of Partitioned.
const partitions = 4

// PartitionScript returns the path of the script that partitions the content tables.
func PartitionScript() (string, error) {
	folder, err := checkout.Folder()
	return filepath.Join(folder, "app/deploy/partition.sql"), err
}

// psqlCommand is a line of a script that psql executes itself.
var psqlCommand = regexp.MustCompile(`(?m)^\\.*$`)

// Partition runs the partition script on the migrated database at url. It needs no
// psql, which is missing where npm installed the server.
func Partition(ctx context.Context, url string, partitions int) error {
	path, err := PartitionScript()
	if err != nil {
		return err
	}
	script, err := os.ReadFile(path)
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
