// Command gen draws the files of the example organisation's media library except
// for the flags. All pictures and sounds are computed, so they are free of third-party
// rights. The argument is the output folder.
package main

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen <folder>")
		os.Exit(2)
	}
	if err := produce(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func produce(folder string) error {
	var turning []image.Image
	const steps, meridians = 12, 12
	for i := range steps {
		turning = append(turning, globe(160, float64(i)*2*math.Pi/meridians/steps))
	}
	for name, file := range map[string]func() ([]byte, error){
		"harbour-at-dawn.jpg":  func() ([]byte, error) { return jpegFile(landscape(800, dawn, 4.2)) },
		"highlands.jpg":        func() ([]byte, error) { return jpegFile(landscape(800, noon, 11.7)) },
		"desert-dusk.jpg":      func() ([]byte, error) { return jpegFile(landscape(720, dusk, 7.1)) },
		"night-train.jpg":      func() ([]byte, error) { return jpegFile(landscape(720, night, 2.9)) },
		"valley-in-mist.jpg":   func() ([]byte, error) { return jpegFile(landscape(800, haze, 16.4)) },
		"correspondent.jpg":    func() ([]byte, error) { return turnedFile(portrait(600, 800)) },
		"exports-by-month.png": func() ([]byte, error) { return pngFile(chart(900, 500, 3, 5, 4, 8, 9, 12)) },
		"world-desk-badge.png": func() ([]byte, error) { return pngFile(globe(400, 0)) },
		"turning-globe.gif":    func() ([]byte, error) { return gifFile(turning) },
		"bulletin-chime.wav":   func() ([]byte, error) { return chime(523.25, 659.25, 783.99), nil },
		"style-guide.pdf": func() ([]byte, error) {
			return pdf("World Desk style guide",
				"1. Say what happened, then who says so.", "2. Places by the names that their people use.",
				"3. Numbers with their source, their date and their unit.", "4. A picture is captioned, dated and credited, or not shown.",
				"5. Corrections are published where the mistake was."), nil
		},
	} {
		bytes, err := file()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), bytes, 0o644); err != nil {
			return err
		}
	}
	return nil
}
