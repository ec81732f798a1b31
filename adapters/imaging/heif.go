package imaging

import (
	"errors"

	"imprimatur/adapters/imaging/heif"
)

// maxHEIFList is the maximum size in bytes of the list of items of an AVIF or HEIC.
const maxHEIFList = 1 << 20

// surveyHEIF reads the size of an AVIF or HEIC.
func surveyHEIF(in *offsetReader) (survey, error) {
	for {
		first, err := in.in.Peek(16)
		if len(first) < 8 {
			return survey{}, err
		}
		h, err := heif.ReadHeader(first)
		if err != nil || h.Length == 0 || h.Name == "meta" && h.Length > maxHEIFList {
			return survey{}, errInvalid
		}
		if h.Name != "meta" {
			if err := in.skip(h.Length); err != nil {
				return survey{}, err
			}
			continue
		}
		box, err := in.next(int(h.Length))
		if err != nil {
			return survey{}, err
		}
		info, err := heif.Read(box[h.Size:])
		if err != nil && !errors.Is(err, heif.ErrElsewhere) || info.Width < 1 || info.Height < 1 {
			return survey{}, errInvalid
		}
		return survey{width: info.Width, height: info.Height, frames: 1}, nil
	}
}
