// Package otlp exports spans of requests, statements and deliveries with the OpenTelemetry SDK, by OTLP over
// HTTP. It is the only package that imports OpenTelemetry; the others use ports.Tracer, which is nil
// while spans are switched off.
package otlp
