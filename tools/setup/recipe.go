package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gornic/tools/toolset"
)

//go:embed requirements launchers
var files embed.FS

// writeLaunchers makes the commands of a pinned tool. Their texts are in launchers/; @PYTHON@ stands for the interpreter
// that the wheels were chosen for.
func writeLaunchers(bin, python string, pin toolset.Pin) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, name := range launchers(pin) {
		text, err := files.ReadFile("launchers/" + name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("@PYTHON@"), []byte(python))
		if err := os.WriteFile(filepath.Join(bin, name), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func launchers(pin toolset.Pin) []string {
	if pin.Name == toolset.Yosys {
		return append(slices.Clone(pin.Commands), "yosys.py")
	}
	return pin.Commands
}

// recipeFile is the name of the file in a pinned tool's folder that holds the recipe it was made by.
const recipeFile = "recipe"

// recipe is a digest of all that a pinned tool is made from.
func recipe(pin toolset.Pin) string {
	digest := sha256.New()
	names := []string{"requirements/" + pin.Name + ".txt"}
	for _, name := range launchers(pin) {
		names = append(names, "launchers/"+name)
	}
	for _, name := range names {
		text, _ := files.ReadFile(name) // all are there, as TestEveryPinHasItsFiles sees to
		fmt.Fprintf(digest, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(digest.Sum(nil)) + "\n"
}
