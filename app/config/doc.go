// Package config defines the settings of the program, reads them from flags and the
// environment, and validates them. Start with Config.
package config
