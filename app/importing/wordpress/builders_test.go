package wordpress_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/importing"
	"imprimatur/test/importtest"
)

// built are posts in the shape of those of page builders.
var built = map[string]string{
	"nested elements": `<div data-elementor-type="wp-page" data-elementor-id="7" class="elementor elementor-7"><section class="elementor-section" data-id="1a2b" data-element_type="section" data-settings="{&quot;background_background&quot;:&quot;classic&quot;}">
<style>.elementor-7{color:red}</style><div class="elementor-container">` + strings.Repeat(`<div class="elementor-column"><div class="elementor-widget-wrap">`, 40) + `
<h2 class="elementor-heading-title" style="font-size:3em">Harbour tours</h2><div class="elementor-text-editor"><p>Every <strong>day</strong> at noon.</p></div>
<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><a class="elementor-button" href="https://blog.example/book/"><span><span class="elementor-button-text">Book now</span></span></a>
<form action="/x"><input name="a" value="secret"><label>Your name</label> <button onclick="go()">Send</button></form><div>Left</div><div>Right</div><script>track()</script>` + strings.Repeat("</div></div>", 40) + `</div></section></div>`,
	"shortcodes": `[vc_row full_width="stretch_row" css=".vc_custom_1{padding: 1px !important;}"][vc_column width="1/2"][vc_column_text]

Every <strong>day</strong> at noon.

[/vc_column_text][/vc_column][vc_column width="1/2"][vc_raw_html]JTNDcCUzRVJhdyUzQyUyRnAlM0U=[/vc_raw_html][vc_empty_space height="32px"][/vc_column][/vc_row]`,
	"shortcodes with content in their attributes": `[et_pb_section fb_built="1" _builder_version="4.9"][et_pb_row][et_pb_column type="4_4"][et_pb_blurb title="Harbour tours" url="/book"]<p>Every day at noon.</p>[/et_pb_blurb][/et_pb_column][/et_pb_row][/et_pb_section]`,
	"blocks in blocks": `<!-- wp:group {"layout":{"type":"flex"}} --><div class="wp-block-group"><!-- wp:columns --><div class="wp-block-columns"><!-- wp:column {"width":"66%"} --><div class="wp-block-column" style="flex-basis:66%"><!-- wp:heading --><h2>Harbour tours</h2><!-- /wp:heading -->
<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button --><div class="wp-block-button"><a class="wp-block-button__link" href="https://blog.example/book/">Book now</a></div><!-- /wp:button --></div><!-- /wp:buttons --></div><!-- /wp:column --></div><!-- /wp:columns --></div><!-- /wp:group --><!-- wp:acme/slider {"ids":[1,2]} /-->`,
}

// TestPageBuilders imports posts of page builders: their words stay in order, their frames go, and all that goes is listed.
func TestPageBuilders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		words  string
		listed []string
	}{
		"nested elements": {"Harbour tours Every day at noon. Book now Your name Send Left Right", []string{"removed "}},
		"shortcodes": {
			"[vc_row full_width=\"stretch_row\" css=\".vc_custom_1{padding: 1px !important;}\"][vc_column width=\"1/2\"][vc_column_text] Every day at noon. " +
				"[/vc_column_text][/vc_column][vc_column width=\"1/2\"][vc_raw_html]JTNDcCUzRVJhdyUzQyUyRnAlM0U=[/vc_raw_html][vc_empty_space height=\"32px\"][/vc_column][/vc_row]",
			[]string{
				"the shortcode vc_row is text here 1", "the shortcode vc_column is text here 2", "the shortcode vc_column_text is text here 1", "the shortcode vc_raw_html is text here 1",
				"the shortcode vc_empty_space is text here 1",
			},
		},
		"shortcodes with content in their attributes": {
			`[et_pb_section fb_built="1" _builder_version="4.9"][et_pb_row][et_pb_column type="4_4"][et_pb_blurb title="Harbour tours" url="/book"] Every day at noon. ` +
				`[/et_pb_blurb][/et_pb_column][/et_pb_row][/et_pb_section]`,
			[]string{
				"the shortcode et_pb_section is text here 1", "the shortcode et_pb_row is text here 1", "the shortcode et_pb_column is text here 1", "the shortcode et_pb_blurb is text here 1",
			},
		},
		"blocks in blocks": {"Harbour tours Book now", []string{"removed class", "the block acme/slider has no content of its own"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := importtest.New(t)
			item := func(id, slug, content string) string {
				return `<item><title>` + slug + `</title><link>https://blog.example/` + slug + `/</link><wp:post_id>` + id + `</wp:post_id><wp:post_name>` + slug +
					`</wp:post_name><wp:post_type>page</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[` + content + `]]></content:encoded>`
			}
			file := written(t, item("1", "book", "<p>Call us</p>")+"</item>"+item("2", "tours", built[name])+
				"<wp:postmeta><wp:meta_key>_elementor_data</wp:meta_key><wp:meta_value>[{&quot;id&quot;:&quot;1a2b&quot;}]</wp:meta_value></wp:postmeta></item>")
			_, rows := s.Import(t, open(t, s, file), importing.Options{Fetcher: importtest.Fetcher{}, Publish: true})
			tours := s.Entry(t, "pages", "en", "slug", "tours")
			require.NotNil(t, tours.Published)
			body := text(tours, "body")
			require.Equal(t, want.words, strings.Join(wordsOf(body), " "))
			for _, gone := range []string{"style", "script", "onclick", "secret", "data-id", "data-settings", ` class=`} {
				require.NotContains(t, body, gone)
			}
			require.Equal(t, strings.Count(built[name], "https://blog.example/book/"), strings.Count(body, "data-entry="))
			var listed []string
			for _, row := range rows {
				listed = append(listed, row.Reason+" "+string(row.Value))
			}
			for _, reason := range want.listed {
				require.Contains(t, strings.Join(listed, "\n"), reason)
			}
			report, _ := s.Import(t, open(t, s, file), importing.Options{Fetcher: importtest.Fetcher{}, Publish: true})
			require.Zero(t, report.Collections["pages"].Created+report.Collections["pages"].Updated)
		})
	}
}
