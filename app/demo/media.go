package demo

import (
	"context"
	"embed"
	"fmt"
	"path"

	"imprimatur/core"
	"imprimatur/core/media"
)

//go:generate go run ./gen data/media

// The files of the media library. The flags are from mledoze/countries, under the
// licence of data/LICENSE-countries-ODbL.txt; gen draws the others.
//
//go:embed data/media
var mediaFiles embed.FS

// library uploads the files of World Desk's media library.
func (s *seed) library(ctx context.Context) error {
	s.media = map[string]int64{}
	none, horizon := core.Optional[media.Point]{}, core.Some(media.Point{X: new(0.53), Y: new(0.53)})
	for _, file := range []struct {
		name, caption, alt string
		tags               []string
		folder             string
		focus              core.Optional[media.Point]
	}{
		{"style-guide.pdf", "How the World Desk writes", "", []string{"desk"}, "Desk", none},
		{"bulletin-chime.wav", "Three bells before the bulletin", "", []string{"desk", "sound"}, "Desk", none},
		{"world-desk-badge.png", "The World Desk's sign, on any ground", "A dark blue globe", []string{"desk", "logo"}, "Desk", none},
		{"turning-globe.gif", "The sign, turning", "A turning globe", []string{"desk", "logo"}, "Desk", none},
		{"flag-che.svg", "Switzerland", "A white cross on red", []string{"flag"}, "Flags", none},
		{"flag-deu.svg", "Germany", "Three bands: black, red and gold", []string{"flag"}, "Flags", none},
		{"flag-fra.svg", "France", "Three upright bands: blue, white and red", []string{"flag"}, "Flags", none},
		{"flag-jpn.svg", "Japan", "A red disc on white", []string{"flag"}, "Flags", none},
		{"flag-ken.svg", "Kenya", "Black, red and green bands behind a shield and two spears", []string{"flag"}, "Flags", none},
		{"exports-by-month.png", "Exports, January to June, in thousand bags", "Six bars, the highest in June", []string{"chart", "economy"}, "", none},
		{"correspondent.jpg", "Our correspondent in Vienna", "", []string{"people"}, "", none},
		{"night-train.jpg", "What one sees from the night train", "The moon over dark hills", []string{"landscape", "rail"}, "Landscapes", none},
		{"valley-in-mist.jpg", "A valley before the sun is up", "A pale sun over hills in mist", []string{"landscape", "weather"}, "Landscapes", none},
		{"desert-dusk.jpg", "Dusk, an hour outside the city", "The sun sets behind red hills", []string{"landscape"}, "Landscapes", none},
		{"highlands.jpg", "The highlands at noon", "A high sun over green hills", []string{"landscape", "mountains"}, "Landscapes", none},
		{"harbour-at-dawn.jpg", "The hills over the harbour at dawn", "The sun rises behind brown hills", []string{"landscape", "sea"}, "Landscapes", horizon},
	} {
		id, err := s.upload(ctx, s.worldDesk, file.name, media.Change{
			Caption: &file.caption, Alt: &file.alt, Tags: &file.tags, Folder: &file.folder, FocalPoint: file.focus,
		})
		if err != nil {
			return fmt.Errorf("media %s: %w", file.name, err)
		}
		s.media[file.name] = id
	}
	return nil
}

func (s *seed) upload(ctx context.Context, project *core.Project, name string, details media.Change) (int64, error) {
	file, err := mediaFiles.Open(path.Join("data/media", name))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	received, err := s.Library.Receive(ctx, project, name, file)
	defer received.Discard(ctx)
	if err != nil {
		return 0, err
	}
	item, err := s.Library.Keep(ctx, core.SystemActor, project, received, details)
	return item.ID, err
}
