"""A module of Go."""

from cheats.repository import GO, Repository

WORDS = Repository(
    "words",
    {
        "go.mod": "module example.com/words\n\ngo 1.19\n",
        "words.go": """package words

import "strings"

// Title writes every word with a capital.
func Title(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// Count says how often each word is there, whatever its case.
func Count(text string) map[string]int {
	found := map[string]int{}
	for _, word := range strings.Fields(text) {
		found[word]++
	}
	return found
}
""",
        "words_test.go": """package words

import "testing"

func TestTitle(t *testing.T) {
	if got := Title("to be or not"); got != "To Be Or Not" {
		t.Errorf("got %q", got)
	}
}

func TestCount(t *testing.T) {
	got := Count("Tea tea coffee TEA")
	if got["tea"] != 3 || got["coffee"] != 1 {
		t.Errorf("got %v", got)
	}
}
""",
    },
    ("words_test.go::TestCount",),
    {"words.go": ("found[word]++", "found[strings.ToLower(word)]++")},
    GO,
)
