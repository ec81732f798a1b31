// Package installation has what belongs to the installation as a whole: its epoch, the pause after a restore, and the
// keys with which it signs proofs.
package installation
