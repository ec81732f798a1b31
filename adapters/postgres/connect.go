package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ConnectFault is why a server did not accept a connection, in words for the operator.
type ConnectFault struct {
	Reason string
	// Temporary is set if the same connection may succeed later.
	Temporary bool
	// NoDatabase is set if only the database is missing.
	NoDatabase bool
}

// Diagnose explains the error of a connection to the database at url. The reason has no password.
func Diagnose(url string, err error) ConnectFault {
	config, parsing := pgx.ParseConfig(url)
	if parsing != nil {
		return ConnectFault{Reason: "is not a valid Postgres URL"}
	}
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return unanswered(config, err)
	}
	switch fault.Code {
	case "28000", "28P01":
		if strings.Contains(fault.Message, "does not exist") {
			return ConnectFault{Reason: fmt.Sprintf("the server has no role %q", config.User)}
		}
		return ConnectFault{Reason: fmt.Sprintf("the server does not accept the role %q with this password or from this address", config.User)}
	case "3D000":
		return ConnectFault{Reason: fmt.Sprintf("the server has no database %q", config.Database), NoDatabase: true}
	case "42501":
		return ConnectFault{Reason: fmt.Sprintf("the role %q may not connect to the database %q", config.User, config.Database)}
	case "53300":
		return ConnectFault{Reason: "the server has no connection left", Temporary: true}
	case "57P03":
		return ConnectFault{Reason: "the server is starting or stopping", Temporary: true}
	}
	return ConnectFault{Reason: "the server refuses the connection (SQLSTATE " + fault.Code + ")"}
}

// unanswered explains an error that the server did not send.
func unanswered(config *pgx.ConnConfig, err error) ConnectFault {
	server := fmt.Sprintf("%s:%d", config.Host, config.Port)
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return ConnectFault{Reason: fmt.Sprintf("the certificate of the server at %s is not valid: %v", server, certificate.Err)}
	}
	if strings.Contains(err.Error(), "server refused TLS connection") { // pgconn has no type for it
		return ConnectFault{Reason: fmt.Sprintf("the server at %s takes no TLS connections, which sslmode asks for", server)}
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		return ConnectFault{Reason: fmt.Sprintf("no host has the name %q", config.Host), Temporary: true}
	}
	return ConnectFault{Reason: "no server answers at " + server, Temporary: true}
}

// Denied explains the error of a statement of the program that the role of url may not run, such as one of
// a migration. It returns "" for other errors.
func Denied(url string, err error) string {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	config, parsing := pgx.ParseConfig(url)
	if !ok || parsing != nil || fault.Code != "42501" {
		return ""
	}
	return fmt.Sprintf("the role %q lacks a right: %s; grant it, or use the role that owns the schema", config.User, fault.Message)
}

// Create creates the database that url names, on a server that has the database postgres. It does
// nothing if another process has created it meanwhile.
func Create(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	name := config.Database
	config.Database = "postgres"
	return execute(ctx, config, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize(), "42P04", "23505")
}

// CreateSchema creates the schema that the search_path of url names first, if it does not exist.
func CreateSchema(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(config.RuntimeParams["search_path"], ",")
	if name = strings.Trim(strings.TrimSpace(name), `"`); name == "" || name == "$user" {
		return nil
	}
	return execute(ctx, config, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{name}.Sanitize(), "42P06", "23505")
}

// execute runs a statement on a connection of its own. Errors with the given codes, which say that
// another process was faster, count as success.
func execute(ctx context.Context, config *pgx.ConnConfig, statement string, ignored ...string) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is open on it
	_, err = conn.Exec(ctx, statement)
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, code := range ignored {
			if fault.Code == code {
				return nil
			}
		}
	}
	return err
}
