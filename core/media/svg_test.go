package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizeOfSVG(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for attributes, want := range map[string][2]int{
		`width="120" height="80"`:                         {120, 80},
		`width="120px" height="79.6px" viewBox="0 0 1 1"`: {120, 80},
		`viewBox="0 0 300 150"`:                           {300, 150},
		`viewBox="-10,-10 , 30.4 15"`:                     {30, 15},
		`width="100%" height="100%" viewBox="0 0 24 24"`:  {24, 24},
		`width="600" viewBox="0 0 300 150"`:               {600, 300},
		`height="1in" viewBox="0 0 300 150"`:              {192, 96},
		`width="2.54cm" height="72pt"`:                    {96, 96},
		``:                                                {},
		`width="10"`:                                      {},
		`width="-5" height="5"`:                           {},
		`width="1e300" height="5"`:                        {},
		`width="NaN" height="Inf"`:                        {},
		`viewBox="0 0 0 0"`:                               {},
		`viewBox="0 0 10"`:                                {},
		`width="3em" height="2em"`:                        {},
		`xmlns:x="urn:x" x:width="9" x:height="9" viewBox="0 0 12 7"`: {12, 7},
	} {
		for _, before := range []string{"", `<?xml version="1.0" encoding="ISO-8859-1"?><!-- a --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + "\n"} {
			item := d.upload(t, "a.svg", before+`<svg xmlns="http://www.w3.org/2000/svg" `+attributes+`><rect width="7" height="7"/></svg>`)
			require.Equal(t, want, [2]int{item.Width, item.Height}, attributes)
		}
	}
	item := d.upload(t, "a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="5" height=`)
	require.Zero(t, item.Width)
}
