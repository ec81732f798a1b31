// Package command implements the command line, one file per command. Commands start the
// service or parts of it with package service. Start with New.
package command
