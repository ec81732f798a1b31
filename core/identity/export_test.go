package identity

// Device returns the value of the device cookie after a sign-in in a browser with the value previous.
func (s *Sessions) Device(previous, email string) string { return s.devices.add(previous, email) }

// LinkHash is linkHash.
var LinkHash = linkHash
