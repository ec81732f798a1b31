package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
	"go.uber.org/zap"

	"imprimatur/app/config"
)

// startTimeout is the time limit of the start, including the migrations of a large
// database.
const startTimeout = 10 * time.Minute

// Options returns the whole service: use cases, stores, both listeners and the workers.
func Options(cfg config.Config) fx.Option {
	return fx.Options(
		Core(cfg),
		secretModule,
		pauseModule,
		httpModule,
		opsModule,
		workersModule,
		publishingModule,
		deliveringModule,
		mailingModule,
		fx.StopTimeout(cfg.StopDelay+cfg.DrainTimeout+5*time.Second),
	)
}

// Core returns the service without listeners and workers, for commands.
func Core(cfg config.Config) fx.Option {
	return fx.Options(
		fx.Supply(cfg, starting{context.Background()}),
		fx.StartTimeout(startTimeout),
		fx.WithLogger(func(log *zap.Logger) fxevent.Logger {
			logger := &fxevent.ZapLogger{Logger: log}
			logger.UseLogLevel(zap.DebugLevel)
			logger.UseErrorLevel(zap.DebugLevel) // the command prints the error once
			return logger
		}),
		logModule,
		tracingModule,
		databaseModule,
		platformModule,
		accessModule,
		letterModule(cfg),
		contentModule,
		approvalModule,
		mediaModule,
		deliveryModule,
	)
}

// Use starts Core, applies migrations and sets targets, which are pointers to parts that
// the modules provide. The caller must call stop.
func Use(ctx context.Context, cfg config.Config, targets ...any) (stop func(), err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	app := fx.New(Core(cfg), fx.Replace(starting{ctx}), fx.Populate(targets...))
	if err := app.Start(ctx); err != nil {
		return nil, rootCause(err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout+time.Second)
		defer cancel()
		_ = app.Stop(ctx) // only the result of the command matters
	}, nil
}

// UseExisting is Use for a database that exists and is migrated, and for a folder of files that
// exists. Otherwise it returns an error for the operator and creates nothing.
func UseExisting(ctx context.Context, cfg config.Config, targets ...any) (stop func(), err error) {
	cfg.Existing = true
	return Use(ctx, cfg, targets...)
}

// Run serves until ctx ends or a listener fails, then waits for running requests. It calls
// ready, unless nil, when both listeners accept requests.
func Run(ctx context.Context, cfg config.Config, ready func(Addresses)) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	var addresses *Addresses
	var log *zap.Logger
	app := fx.New(Options(cfg), fx.Replace(starting{ctx}), fx.Populate(&addresses, &log))
	if err := app.Start(ctx); err != nil {
		return rootCause(err)
	}
	if ready != nil {
		ready(*addresses)
	}
	var failed error
	select {
	case <-ctx.Done():
	case signal := <-app.Wait():
		if signal.ExitCode != 0 {
			failed = errors.New("the service failed; see the log")
		}
	}
	log.Info("stopping, waiting for running requests")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), app.StopTimeout())
	defer cancel()
	if err := app.Stop(stopping); err != nil {
		return fmt.Errorf("stop: %w", rootCause(err))
	}
	return failed
}

// rootCause removes fx's description of the wiring, which an operator does not need.
func rootCause(err error) error {
	if start, ok := errors.AsType[*startError](err); ok {
		return start.cause
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// startError marks an error whose text is written for the operator.
type startError struct{ cause error }

func (e *startError) Error() string { return e.cause.Error() }
func (e *startError) Unwrap() error { return e.cause }

func startFault(format string, args ...any) error {
	return &startError{fmt.Errorf(format, args...)}
}
