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
	logDelay  = 100 * time.Millisecond // longest time in the buffer; a killed process loses these lines
	logBuffer = 32 << 10               // bytes
)

// newLogger returns a logger that writes to standard error. Standard output is for the
// results of commands.
func newLogger(lifecycle fx.Lifecycle, cfg config.Config) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.LogLevel)
	if err != nil {
		return nil, startFault("setting --log-level: must be debug, info, warn or error")
	}
	// AddSync hides the Sync of the file: lines need not be synced to disk.
	stderr := zapcore.AddSync(struct{ io.Writer }{os.Stderr})
	out := &zapcore.BufferedWriteSyncer{WS: stderr, Size: logBuffer, FlushInterval: logDelay}
	lifecycle.Append(fx.StopHook(out.Stop))
	// Warnings are written at once, so that a crash does not lose them.
	flushWarnings := zap.Hooks(func(entry zapcore.Entry) error {
		if entry.Level >= zapcore.WarnLevel {
			return out.Sync()
		}
		return nil
	})
	return zap.New(zapcore.NewCore(lineEncoder(cfg.LogFormat), out, level), flushWarnings), nil
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
