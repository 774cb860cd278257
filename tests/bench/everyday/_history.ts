/** A repository with a history: branches that merge, one that conflicts, tags, a remote beside it. */

import type { EverydayProject } from "./_project.ts";

export const HISTORY: EverydayProject = {
  name: "history",
  npm: {},
  debian: {},
  sources: [],
  files: {
    "a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "b.txt": "b\n",
    "docs/guide.md": "# Guide\n\nneedle\n",
    "src/main.sh": "echo main\n",
    ".gitignore": ".env\n",
    "old.txt": "this is renamed later\nand stays as it is\n",
  },
  history: `git init -q -b main
commit() { git add -A && git commit -q -m "$1"; }
commit "Begin"
for n in 1 2 3 4 5 6 7 8; do
  echo "line $n" >> b.txt
  commit "Add line $n"
done
git tag v1
git mv old.txt renamed.txt && commit "Rename"
git checkout -q -b topic
echo topic > topic.txt && commit "Add a topic"
echo more >> topic.txt && commit "More of the topic"
git checkout -q -b ahead main && echo ahead > ahead.txt && commit "Go ahead"
git checkout -q -b conflict main && sed -i 's/three/drei/' a.txt && commit "In German"
git checkout -q main
sed -i 's/one/uno/' a.txt && commit "In Italian"
git checkout -q ahead && git rebase -q main && git checkout -q main
git checkout -q conflict && sed -i 's/one/eins/' a.txt && commit "One in German" && git checkout -q main
git tag -a v2 -m "Version 2" HEAD~1
git init -q --bare ../remote.git
git remote add origin ../remote.git
git push -q origin main
git branch -q --set-upstream-to=origin/main
`,
};
