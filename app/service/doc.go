// Package service wires the program with fx: one file per module, each a list of
// constructors that also work without fx. Options is the whole service, Core is the service
// without listeners and workers, for commands. Run and Use start them.
package service
