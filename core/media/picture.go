package media

import (
	"context"

	"imprimatur/core"
)

// PictureSelection selects pictures of libraries.
type PictureSelection struct {
	ProjectID   int64 // 0: every Project
	MissingOnly bool  // only pictures that lack a thumbnail
	After       int64 // only pictures with a greater id, to resume a run
}

// PictureFault is a picture that could not be processed.
type PictureFault struct {
	ID  int64
	Err error
}

// pictureBatch is the number of items that are read at once.
const pictureBatch = 100

// Count returns the number of pictures that which selects.
func (s storage) Count(ctx context.Context, which PictureSelection) (int64, error) {
	return s.stores.Media.CountPictures(ctx, which.ProjectID, which.After, which.MissingOnly)
}

// eachPicture calls each with the pictures that which selects and their Projects, in ascending
// order of id. It stops at the first error of each and returns it. It calls progress, unless it is
// nil, after each picture with the number of pictures processed.
func (s storage) eachPicture(
	ctx context.Context, which PictureSelection, progress func(done int64), each func(*core.Project, core.MediaItem) error,
) error {
	projects := map[int64]*core.Project{}
	for done := int64(0); ; {
		items, err := s.stores.Media.Pictures(ctx, which.ProjectID, which.After, pictureBatch, which.MissingOnly)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, item := range items {
			if projects[item.ProjectID] == nil {
				if projects[item.ProjectID], err = s.stores.Projects.Project(ctx, item.ProjectID); err != nil {
					return err
				}
			}
			if err := each(projects[item.ProjectID], item); err != nil {
				return err
			}
			which.After = item.ID
			if done++; progress != nil {
				progress(done)
			}
		}
	}
}
