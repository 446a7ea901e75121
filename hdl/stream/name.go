package stream

import (
	"fmt"
	"strings"

	"gornic/hdl"
)

// moduleName names the module of a part for one payload: "slice_beat_64_8".
func moduleName[T any](part string, proto T, params ...int) string {
	name := part + "_" + hdl.ShapeName(proto)
	for _, p := range params {
		name += fmt.Sprintf("_x%d", p)
	}
	return name
}

// name joins words and numbers with underscores.
func name(parts ...any) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = fmt.Sprint(p)
	}
	return strings.Join(words, "_")
}
