package service

import (
	"io"
	"os"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"imprimatur/app/config"
)

var logModule = fx.Module("log", fx.Provide(newLogger))

const (
	// logDelay is how long a line is buffered: what a killed process does not log.
	logDelay = 100 * time.Millisecond
	// logBuffer is the size of the buffer in bytes.
	logBuffer = 32 << 10
)

// newLogger returns a logger that writes to standard error, which leaves standard
// output to what a command prints.
func newLogger(lifecycle fx.Lifecycle, cfg config.Config) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.LogLevel)
	if err != nil {
		return nil, startFault("setting --log-level: must be debug, info, warn or error")
	}
	// Without the Sync of a file: lines are to leave the process, not to reach a disk.
	stderr := zapcore.AddSync(struct{ io.Writer }{os.Stderr})
	out := &zapcore.BufferedWriteSyncer{WS: stderr, Size: logBuffer, FlushInterval: logDelay}
	lifecycle.Append(fx.StopHook(out.Stop))
	// Warnings go out at once: they must not be lost in a crash.
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
