package service

import (
	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"imprimatur/app/config"
)

var logModule = fx.Module("log", fx.Provide(newLogger))

// newLogger returns a logger that writes to standard error, which leaves standard
// output to what a command prints.
func newLogger(cfg config.Config) (*zap.Logger, error) {
	settings := zap.NewProductionConfig()
	if cfg.LogFormat == "console" {
		settings = zap.NewDevelopmentConfig()
		settings.Development = false
	}
	settings.DisableStacktrace = true // where a line was logged is not where things went wrong; a panic brings its own
	level, err := zapcore.ParseLevel(cfg.LogLevel)
	if err != nil {
		return nil, startFault("setting --log-level: must be debug, info, warn or error")
	}
	settings.Level = zap.NewAtomicLevelAt(level)
	settings.EncoderConfig.TimeKey = "time"
	settings.EncoderConfig.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	settings.Sampling = nil
	return settings.Build(zap.WithCaller(false))
}
