package release

import "imprimatur/core"

// OfMembers returns err with the locations of faults of entries inside these members of a release.
func OfMembers(err error) error {
	return core.EditFields(err, func(f *core.FieldError) {
		if f.Entry != 0 {
			f.Location = MemberLocation(f.Entry, f.Location)
		}
	})
}
