/** A Go module with its tests: pflag's own sources. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

const FROM = "/usr/share/gocode/src/github.com/spf13/pflag";

export const PFLAG: EverydayProject = {
  name: "pflag",
  npm: {},
  debian: { "/usr/bin/go": "golang-go", [FROM]: "golang-github-spf13-pflag-dev" },
  sources: [[FROM, "."]],
  files: {
    "go.mod": "module github.com/spf13/pflag\n\ngo 1.12\n",
    ".gitignore": ".env\nout/\n",
    "NOTES": "An agent works here.\n",
    "README.md": "# pflag\n\nFlags as POSIX has them.\n\nSee NOTES.\n",
    "Makefile":
      "all: build\nbuild:\n\tgo build -o out/demo ./cmd/demo\ntest:\n\tgo test ./...\nclean:\n\trm -rf out\n.PHONY: all build test clean\n",
    "cmd/demo/main.go": `package main

import (
	"fmt"

	flag "github.com/spf13/pflag"
)

func main() {
	n := flag.Int("n", 1, "how many")
	flag.Parse()
	fmt.Println("n is", *n)
}
`,
  },
  history: TWO_COMMITS,
};
