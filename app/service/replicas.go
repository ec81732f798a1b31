package service

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/redis"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/ports"
)

// replicaParts are the parts that coordinate with other processes of the installation.
type replicaParts struct {
	fx.In

	Lifecycle fx.Lifecycle
	Config    config.Config
	Log       *zap.Logger
	Database  *sqlstore.DB
	Redis     *redis.Client        // nil without --redis-url
	Registry  *prometheus.Registry `optional:"true"` // commands have none
}

// openRedis returns nil without --redis-url.
func openRedis(lifecycle fx.Lifecycle, cfg config.Config) (*redis.Client, error) {
	if cfg.RedisURL == "" {
		return nil, nil
	}
	client, err := redis.Open(cfg.RedisURL)
	if err != nil {
		return nil, startFault("setting --redis-url: %v", err)
	}
	lifecycle.Append(fx.StopHook(client.Close))
	return client, nil
}

// newChanges follows the events that every process records in the database.
func newChanges(parts replicaParts) ports.Changes {
	feed := changefeed.New(parts.Database, parts.Log)
	parts.Lifecycle.Append(fx.StartStopHook(feed.Start, feed.Stop))
	parts.condition("imprimatur_change_feed_live", "1 while the process receives the changes of other processes.", feed.Live)
	return feed
}

// newRateLimiter returns a limiter with budgets in Redis if it is configured, otherwise in
// this process.
func newRateLimiter(parts replicaParts, clock ports.Clock) ports.RateLimiter {
	local := ratelimit.NewLocal(clock)
	if parts.Redis == nil {
		return local
	}
	limiter := redis.NewLimiter(parts.Redis, local, parts.Log)
	parts.Lifecycle.Append(fx.StartStopHook(limiter.Start, limiter.Close))
	parts.condition("imprimatur_redis_unreachable", "1 while Redis is unreachable and rate limits are per process.", limiter.Unreachable)
	parts.register(counter("imprimatur_rate_limit_alone_total", "Rate limit decisions that this process made without Redis.", nil, limiter.LocalDecisions))
	return limiter
}

// condition registers a metric that is 1 while is reports true.
func (p replicaParts) condition(name, help string, is func() bool) {
	p.register(gauge(name, help, nil, func() int64 {
		if is() {
			return 1
		}
		return 0
	}))
}

func (p replicaParts) register(metric prometheus.Collector) {
	if p.Registry != nil {
		p.Registry.MustRegister(metric)
	}
}
