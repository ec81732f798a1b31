package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// Config contains all settings of the service. Flags sets them from flags and the
// environment, Validate checks them.
type Config struct {
	DatabaseURL  string // sqlite:<path> or postgres://…
	BlobURL      string // file:<dir>, mem:// or s3://…
	RedisURL     string // redis://…, rediss://… or unix://…, for shared rate limits; may be empty
	BaseURL      string // public address of the service; empty: http:// and Listen
	MediaBaseURL string // public address of /files, such as a CDN; empty: BaseURL
	Listen       string // host:port of the public listener
	OpsListen    string // host:port of /livez, /readyz and /metrics
	NoMigrate    bool
	Bulk         bool // no flag: the process only writes large amounts of data

	TrustedProxies string // networks of the load balancers, separated by commas; empty: none

	RateLimit     int           // requests per minute and token; 0: none
	ImageMemoryMB int           // megabytes for all pictures that are scaled at once; a picture that needs more is refused
	ReadCacheMB   int           // megabytes of cached responses; 0: none
	SlowQuery     time.Duration // reads that take longer are logged with their plan; 0: none
	StopDelay     time.Duration // how long a stopping process accepts requests while /readyz answers 503
	DrainTimeout  time.Duration // how long a stop waits for running requests
	// EventRetention is how long events are kept; 0 keeps all.
	EventRetention time.Duration

	LogLevel  string // debug, info, warn or error
	LogFormat string // json or console
}

// Default returns the default settings.
func Default() Config {
	return Config{
		DatabaseURL:   "sqlite:var/imprimatur.db",
		BlobURL:       "file:var/blobs",
		Listen:        "127.0.0.1:8080",
		OpsListen:     "127.0.0.1:9090",
		RateLimit:     600,
		ReadCacheMB:   32,
		ImageMemoryMB: 256,
		SlowQuery:     250 * time.Millisecond,
		DrainTimeout:  30 * time.Second,

		EventRetention: 400 * 24 * time.Hour,
		LogLevel:       "info",
		LogFormat:      "json",
	}
}

// DatabaseFlags returns the flags of commands that only need the database.
func (c *Config) DatabaseFlags() []cli.Flag {
	return []cli.Flag{
		text("database-url", "database: sqlite:<path> or postgres://…", &c.DatabaseURL),
		text("redis-url", "server of rate limits shared by all processes: redis://…, rediss://… or unix://…", &c.RedisURL),
		text("log-level", "debug, info, warn or error", &c.LogLevel),
		text("log-format", "json or console", &c.LogFormat),
	}
}

// StorageFlags returns the flags of commands that need the database and the files.
func (c *Config) StorageFlags() []cli.Flag {
	return append(c.DatabaseFlags(),
		text("blob-url", "storage of media files: file:<dir>, mem:// or s3://<bucket>/<prefix>?region=…&endpoint=…", &c.BlobURL),
	)
}

// Flags returns the flags of the service. The environment variable of each is
// IMPRIMATUR_<NAME>.
func (c *Config) Flags() []cli.Flag {
	return append(c.StorageFlags(), append(c.ListenFlags(),
		&cli.BoolFlag{Name: "no-migrate", Usage: "do not apply migrations at start", Sources: env("no-migrate"), Destination: &c.NoMigrate},
	)...)
}

// ListenFlags returns the flags of the listeners and of request handling.
func (c *Config) ListenFlags() []cli.Flag {
	return []cli.Flag{
		text("base-url", "public address of the service, when it is not the address of the listener", &c.BaseURL),
		text("media-base-url", "public address of /files, such as a CDN", &c.MediaBaseURL),
		text("listen", "host:port to serve on", &c.Listen),
		text("ops-listen", "host:port of /livez, /readyz and /metrics", &c.OpsListen),
		text("trusted-proxies", "networks of the load balancers whose X-Forwarded-For is trusted: 10.0.0.0/8,fd00::/8", &c.TrustedProxies),
		&cli.IntFlag{Name: "rate-limit", Usage: "requests per minute for a token without a limit of its own; 0 is no limit", Value: c.RateLimit, Sources: env("rate-limit"), Destination: &c.RateLimit},
		&cli.IntFlag{Name: "read-cache-mb", Usage: "megabytes of cached responses to reads, kept until something in their Project changes; 0 disables the cache", Value: c.ReadCacheMB, Sources: env("read-cache-mb"), Destination: &c.ReadCacheMB},
		c.ImageFlag(),
		&cli.DurationFlag{Name: "stop-delay", Usage: "how long a stopping process accepts requests while /readyz answers 503, so that load balancers notice", Value: c.StopDelay, Sources: env("stop-delay"), Destination: &c.StopDelay},
		&cli.DurationFlag{Name: "slow-query", Usage: "log the plan of lists and totals that take longer; 0 logs none", Value: c.SlowQuery, Sources: env("slow-query"), Destination: &c.SlowQuery},
		&cli.DurationFlag{Name: "drain-timeout", Usage: "how long a stop waits for running requests", Value: c.DrainTimeout, Sources: env("drain-timeout"), Destination: &c.DrainTimeout},
		&cli.DurationFlag{Name: "event-retention", Usage: "how long events are kept; 0 keeps all", Value: c.EventRetention, Sources: env("event-retention"), Destination: &c.EventRetention},
	}
}

// ImageFlag returns the flag of commands that scale pictures.
func (c *Config) ImageFlag() cli.Flag {
	return &cli.IntFlag{Name: "image-memory-mb", Usage: "megabytes for all pictures that are scaled at once; a picture that needs more is refused", Value: c.ImageMemoryMB, Sources: env("image-memory-mb"), Destination: &c.ImageMemoryMB}
}

func text(name, usage string, value *string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: *value, Sources: env(name), Destination: value}
}

func env(name string) cli.ValueSourceChain {
	return cli.EnvVars("IMPRIMATUR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}

// Validate returns an error with one sentence for each invalid setting.
func (c *Config) Validate() error {
	var errs []error
	fault := func(name, format string, args ...any) {
		errs = append(errs, fmt.Errorf("setting --"+name+": "+format, args...))
	}
	if _, _, err := c.Database(); err != nil {
		fault("database-url", "%v", err)
	}
	if !hasScheme(c.BlobURL, "file", "mem", "s3") {
		fault("blob-url", "must start with file:, mem:// or s3://")
	}
	if _, err := url.Parse(c.RedisURL); c.RedisURL != "" && (err != nil || !hasScheme(c.RedisURL, "redis", "rediss", "unix")) {
		fault("redis-url", "must be redis://<host>:<port>/<database>, rediss://… or unix://<path>")
	}
	for name, address := range map[string]string{"base-url": c.BaseURL, "media-base-url": c.MediaBaseURL} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
			fault(name, "must be http:// or https:// and a host, without a path")
		}
	}
	for name, address := range map[string]string{"listen": c.Listen, "ops-listen": c.OpsListen} {
		if _, _, err := net.SplitHostPort(address); err != nil {
			fault(name, "must be host:port")
		}
	}
	if _, err := c.Proxies(); err != nil {
		fault("trusted-proxies", "must be networks joined by commas, like 10.0.0.0/8,fd00::/8")
	}
	if c.RateLimit < 0 {
		fault("rate-limit", "must not be negative")
	}
	if c.ReadCacheMB < 0 {
		fault("read-cache-mb", "must not be negative")
	}
	if c.ImageMemoryMB < 16 {
		fault("image-memory-mb", "must be at least 16")
	}
	if c.StopDelay < 0 {
		fault("stop-delay", "must not be negative")
	}
	if c.SlowQuery < 0 {
		fault("slow-query", "must not be negative")
	}
	if c.DrainTimeout < 0 {
		fault("drain-timeout", "must not be negative")
	}
	if c.EventRetention < 0 {
		fault("event-retention", "must not be negative")
	}
	switch c.LogLevel {
	case "debug", "info", "warn", "error":
	default:
		fault("log-level", "must be debug, info, warn or error")
	}
	if c.LogFormat != "json" && c.LogFormat != "console" {
		fault("log-format", "must be json or console")
	}
	return errors.Join(errs...)
}

// Engine is a kind of database.
type Engine string

// The supported engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Database returns the engine that DatabaseURL names, and its location: a file
// path for SQLite, the URL for Postgres.
func (c *Config) Database() (Engine, string, error) {
	if path, ok := strings.CutPrefix(c.DatabaseURL, "sqlite:"); ok && strings.TrimPrefix(path, "//") != "" {
		return SQLite, strings.TrimPrefix(path, "//"), nil
	}
	if hasScheme(c.DatabaseURL, "postgres", "postgresql") {
		if _, err := url.Parse(c.DatabaseURL); err != nil {
			return "", "", errors.New("must be a valid URL")
		}
		return Postgres, c.DatabaseURL, nil
	}
	return "", "", errors.New("must be sqlite:<path> or postgres://…")
}

// Proxies returns the networks that TrustedProxies names.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	if c.TrustedProxies == "" {
		return nil, nil
	}
	var networks []netip.Prefix
	for name := range strings.SplitSeq(c.TrustedProxies, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

func hasScheme(address string, schemes ...string) bool {
	for _, s := range schemes {
		if strings.HasPrefix(address, s+":") {
			return true
		}
	}
	return false
}
