package peers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imprimatur/test/bench/article"
)

// objects returns the objects in the JSON documents of a response, each before those in it.
func objects(body []byte) (all []map[string]any, err error) {
	var collect func(value any)
	collect = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, element := range value {
				collect(element)
			}
		case map[string]any:
			all = append(all, value)
			for _, name := range slices.Sorted(maps.Keys(value)) {
				collect(value[name])
			}
		}
	}
	for decoder := json.NewDecoder(strings.NewReader(string(body))); decoder.More(); {
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		collect(value)
	}
	return all, nil
}

// verifyCounts checks the number of articles of each category. Some platforms group in another object, and write
// numbers as texts.
func (b *bench) verifyCounts(body []byte) error {
	all, err := objects(body)
	if err != nil {
		return err
	}
	want, found := map[string]int{}, map[string]int{}
	for _, a := range b.all {
		want[a.Category]++
	}
	for _, object := range all {
		category, count := "", -1
		for name, value := range object {
			if group, is := value.(map[string]any); is && name == "group" {
				value = group["category"]
			}
			text := fmt.Sprint(value)
			if _, is := want[text]; is {
				category = text
			} else if n, err := strconv.Atoi(text); err == nil {
				count = n
			}
		}
		if category != "" && count >= 0 {
			found[category] = count
		}
	}
	if !maps.Equal(found, want) {
		return fmt.Errorf("the counts are %v, want %v", found, want)
	}
	return nil
}

// verifyReferrers checks the newest five articles of each of the last twenty authors, and the number of all of them. This
// program counts to a thousand.
func (b *bench) verifyReferrers(body []byte) error {
	all, err := objects(body)
	if err != nil {
		return err
	}
	checked := 0
	for _, object := range all {
		name, _ := object["name"].(string)
		if !strings.HasPrefix(name, "Author ") || len(object) < 3 {
			continue
		}
		if want := article.Author(article.Authors - 1 - checked); name != want {
			return fmt.Errorf("number %d is %s, want %s", checked+1, name, want)
		}
		if err := b.verifyAuthor(object, article.Authors-1-checked); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		checked++
	}
	if checked != 20 {
		return fmt.Errorf("%d authors, want 20", checked)
	}
	return nil
}

// verifyAuthor checks the object of the author of that number.
func (b *bench) verifyAuthor(object map[string]any, author int) error {
	var found parsedResponse
	if err := found.collect(object); err != nil {
		return err
	}
	var want []string
	total := 0
	for i := len(b.all) - 1; i >= 0; i-- {
		if (i+1)%article.Authors != author {
			continue
		}
		if total++; len(want) < 5 {
			want = append(want, b.all[i].Slug)
		}
	}
	var slugs []string
	for _, row := range found.rows {
		a, err := b.original("Q12", row)
		if err != nil {
			return err
		}
		slugs = append(slugs, a.Slug)
	}
	if !slices.Equal(slugs, want) {
		return fmt.Errorf("has %v, want %v", slugs, want)
	}
	if !slices.Contains(found.totals, float64(total)) {
		return fmt.Errorf("the total is %v, want %d", found.totals, total)
	}
	return nil
}
