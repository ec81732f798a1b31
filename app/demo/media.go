package demo

import (
	"context"
	"embed"
	"fmt"
	"path"

	"imprimatur/core"
)

//go:generate go run ./studio data/media

// The files of the media library. The flags are from mledoze/countries, under the
// licence of data/LICENSE-countries-ODbL.txt; studio generates the others.
//
//go:embed data/media
var mediaFiles embed.FS

// library uploads the files of World Desk's media library.
func (s *seed) library(ctx context.Context) error {
	s.media = map[string]int64{}
	for _, file := range []struct {
		name, caption string
		tags          []string
	}{
		{"style-guide.pdf", "How the World Desk writes", []string{"desk"}},
		{"bulletin-chime.wav", "Three bells before the bulletin", []string{"desk", "sound"}},
		{"world-desk-badge.png", "The World Desk's sign, on any ground", []string{"desk", "logo"}},
		{"turning-globe.gif", "The sign, turning", []string{"desk", "logo"}},
		{"flag-che.svg", "Switzerland", []string{"flag"}},
		{"flag-deu.svg", "Germany", []string{"flag"}},
		{"flag-fra.svg", "France", []string{"flag"}},
		{"flag-jpn.svg", "Japan", []string{"flag"}},
		{"flag-ken.svg", "Kenya", []string{"flag"}},
		{"exports-by-month.png", "Exports, January to June, in thousand bags", []string{"chart", "economy"}},
		{"correspondent.jpg", "Our correspondent in Vienna", []string{"people"}},
		{"night-train.jpg", "What one sees from the night train", []string{"landscape", "rail"}},
		{"valley-in-mist.jpg", "A valley before the sun is up", []string{"landscape", "weather"}},
		{"desert-dusk.jpg", "Dusk, an hour outside the city", []string{"landscape"}},
		{"highlands.jpg", "The highlands at noon", []string{"landscape", "mountains"}},
		{"harbour-at-dawn.jpg", "The hills over the harbour at dawn", []string{"landscape", "sea"}},
	} {
		id, err := s.upload(ctx, file.name, file.caption, file.tags)
		if err != nil {
			return fmt.Errorf("media %s: %w", file.name, err)
		}
		s.media[file.name] = id
	}
	return nil
}

func (s *seed) upload(ctx context.Context, name, caption string, tags []string) (int64, error) {
	file, err := mediaFiles.Open(path.Join("data/media", name))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	received, err := s.Library.Receive(ctx, s.worldDesk, name, file)
	defer received.Discard(ctx)
	if err != nil {
		return 0, err
	}
	item, err := s.Library.Keep(ctx, core.SystemActor, s.worldDesk, received, caption, tags)
	return item.ID, err
}
