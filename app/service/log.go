package service

import (
	"os"

	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"imprimatur/app/config"
)

var logModule = fx.Module("log", fx.Provide(newLogger))

// newLogger returns a logger that writes to standard error, which leaves standard
// output to what a command prints.
func newLogger(lifecycle fx.Lifecycle, cfg config.Config) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.LogLevel)
	if err != nil {
		return nil, startFault("setting --log-level: must be debug, info, warn or error")
	}
	out := newLines(os.Stderr)
	lifecycle.Append(fx.StopHook(out.holdNoMore))
	// A warning is worth a system call; nor should it go down with the process.
	prompt := zap.Hooks(func(entry zapcore.Entry) error {
		if entry.Level >= zapcore.WarnLevel {
			return out.Sync()
		}
		return nil
	})
	return zap.New(zapcore.NewCore(lineEncoder(cfg.LogFormat), out, level), prompt), nil
}

func lineEncoder(format string) zapcore.Encoder {
	settings, encoder := zap.NewProductionEncoderConfig(), zapcore.NewJSONEncoder
	if format == "console" {
		settings, encoder = zap.NewDevelopmentEncoderConfig(), zapcore.NewConsoleEncoder
	}
	settings.TimeKey = "time"
	settings.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	return encoder(settings)
}
