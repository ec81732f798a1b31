// Package live tells listeners at once that published content has changed, so that copies need not ask.
//
// A Hub has the listeners of one process. For each Project with listeners it has a channel with one position in the
// changes of the Project. ports.Changes wakes the channel, also for changes of other processes; the channel then
// reads once what has changed since its position and gives the same Message to all its listeners. So neither the
// database nor the making of messages knows how many listen. A listener that comes with a position of its own gets what
// it missed in one read, which is shared by all that come with the same position.
//
// A Message never has content: it names what changed, and listeners read that from reading.Changes.
package live
