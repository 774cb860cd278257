/** A C library with make and cmake: tree-sitter's own sources, and a grammar for JSON. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

export const TREE_SITTER: EverydayProject = {
  name: "treesitter",
  npm: { "tree-sitter": "0.25.0", "tree-sitter-json": "0.24.8" },
  debian: {
    "/usr/bin/gcc": "gcc",
    "/usr/bin/make": "make",
    "/usr/bin/cmake": "cmake",
    "/usr/bin/ninja": "ninja-build",
  },
  sources: [["tree-sitter/vendor/tree-sitter/lib", "lib"], ["tree-sitter-json/src", "json"]],
  files: {
    "Makefile": `CFLAGS ?= -O1
INCLUDES = -Ilib/include -Ilib/src
B = build

all: $(B)/parse
lib: $(B)/libtree-sitter.a

$(B)/lib.o: lib/src/lib.c | $(B)
	$(CC) $(CFLAGS) $(INCLUDES) -std=gnu11 -c $< -o $@
$(B)/json.o: json/parser.c | $(B)
	$(CC) $(CFLAGS) -Ijson -c $< -o $@
$(B)/main.o: main.c | $(B)
	$(CC) $(CFLAGS) $(INCLUDES) -c $< -o $@
$(B)/libtree-sitter.a: $(B)/lib.o
	ar rcs $@ $^
$(B)/parse: $(B)/main.o $(B)/json.o $(B)/libtree-sitter.a
	$(CC) $^ -o $@
$(B):
	mkdir -p $(B)
test: $(B)/parse
	./$(B)/parse sample.json
clean:
	rm -rf $(B)
.PHONY: all lib test clean
`,
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)
project(everyday C)
add_library(tree-sitter STATIC lib/src/lib.c)
target_include_directories(tree-sitter PUBLIC lib/include PRIVATE lib/src)
target_compile_definitions(tree-sitter PRIVATE _GNU_SOURCE)
add_executable(parse main.c json/parser.c)
target_link_libraries(parse tree-sitter)
enable_testing()
add_test(NAME sample COMMAND parse \${CMAKE_SOURCE_DIR}/sample.json)
`,
    "main.c": `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_json(void);

int main(int argc, char **argv) {
  char text[4096];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) return 2;
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_json());
  TSTree *tree = ts_parser_parse_string(parser, NULL, text, (unsigned)length);
  char *shown = ts_node_string(ts_tree_root_node(tree));
  puts(shown);
  free(shown);
  ts_tree_delete(tree);
  ts_parser_delete(parser);
  return 0;
}
`,
    "hello.c": `#include <stdio.h>\n\nint main(void) {\n  puts("hello");\n  return 0;\n}\n`,
    "sample.json": '{ "a": [1, true, null] }\n',
    "configure": `#!/bin/sh
# As autoconf's do: tries a compiler, and writes what it found.
set -e
cat > conftest.c <<END
int main(void) { return 0; }
END
\${CC:-cc} conftest.c -o conftest && ./conftest && found=1 || found=0
rm -f conftest conftest.c
echo "#define HAVE_CC $found" > config.h
echo "cc works: $found"
`,
    "fix.patch": `--- a/hello.c
+++ b/hello.c
@@ -1,6 +1,6 @@
 #include <stdio.h>
 
 int main(void) {
-  puts("hello");
+  puts("hello, world");
   return 0;
 }
`,
    ".gitignore": ".env\nbuild/\nb/\nbuild-cmake/\n*.o\n",
    "NOTES": "An agent works here.\n",
  },
  history: TWO_COMMITS,
};
