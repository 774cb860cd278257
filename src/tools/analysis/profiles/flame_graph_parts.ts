/** What every flame graph has in it beside its frames: looks, and the script that zooms and searches. */

/** Of the picture, in pixels. */
export const WIDTH = 1200;
/** Of one row. */
export const ROW = 18;
/** Above the frames. */
export const HEAD = 64;
/** A letter of the 11-pixel monospaced font; those from U+2E80 on (East Asian scripts) are twice as wide. */
export const LETTER = 6.7;

/** `fill` of frames stands on them: it is their own. */
export const STYLE = `
svg { font: 11px ui-monospace, Menlo, Consolas, monospace; background: #fff; color: #222; }
text { fill: #222; pointer-events: none; }
text.title { font-size: 15px; font-weight: bold; }
#details, #matched, .head { fill: currentColor; }
g.f rect { stroke: #fff; stroke-width: 0.5; cursor: pointer; }
g.f:hover rect { stroke: #000; stroke-width: 1; }
g.above { opacity: 0.55; }
g.m rect { fill: #c23ad6; }
g.m text { fill: #fff; }
input { font: inherit; width: 100%; box-sizing: border-box; }
@media (prefers-color-scheme: dark) { svg { background: #1c1c1e; color: #ddd; } g.f rect { stroke: #1c1c1e; } }
`;

/**
 * Zooms into the frame that is clicked (Escape, or the widest frame, shows all again) and marks those whose names or
 * files hold what is searched. It reads what is drawn and loads nothing; names are only ever set as text.
 */
export const SCRIPT = `
(function () {
  "use strict";
  var WIDTH = ${WIDTH}, LETTER = ${LETTER}, NEAR = 0.001;
  var all = document.getElementById("all");
  var details = document.getElementById("details");
  var matched = document.getElementById("matched");
  var search = document.getElementById("search");
  var frames = Array.prototype.map.call(document.querySelectorAll("g.f"), function (group) {
    var rect = group.querySelector("rect");
    var title = group.querySelector("title").textContent, lines = title.split("\\n");
    return {
      group: group,
      rect: rect,
      text: group.querySelector("text"),
      title: title,
      name: lines[0],
      searched: lines.slice(0, -1).join("\\n").toLowerCase(),
      x: Number(rect.getAttribute("x")),
      y: Number(rect.getAttribute("y")),
      width: Number(rect.getAttribute("width"))
    };
  });
  var byGroup = new Map(frames.map(function (frame) { return [frame.group, frame]; }));

  function label(name, width) {
    var room = Math.floor((width - 6) / LETTER), used = 0, made = "";
    if (room < 3) return "";
    for (var letter of name) {
      used += letter.codePointAt(0) >= 0x2e80 ? 2 : 1;
      if (used > room) return made.slice(0, -1) + "\\u2026";
      made += letter;
    }
    return made;
  }

  function place(frame, x, width) {
    frame.group.style.display = "";
    frame.rect.setAttribute("x", x);
    frame.rect.setAttribute("width", width);
    var said = label(frame.name, width);
    if (said !== "" && frame.text === null) {
      frame.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      frame.text.setAttribute("y", frame.y + 12.5);
      frame.group.appendChild(frame.text);
    }
    if (frame.text === null) return;
    frame.text.setAttribute("x", x + 3);
    frame.text.textContent = said;
  }

  function zoom(to) {
    var scale = WIDTH / to.width, end = to.x + to.width;
    frames.forEach(function (frame) {
      var last = frame.x + frame.width;
      var isAbove = frame.y < to.y && frame.x <= to.x + NEAR && last >= end - NEAR;
      var isBelow = frame.y >= to.y && frame.x >= to.x - NEAR && last <= end + NEAR;
      frame.group.classList.toggle("above", isAbove);
      if (isAbove) place(frame, 0, WIDTH);
      else if (isBelow) place(frame, (frame.x - to.x) * scale, frame.width * scale);
      else frame.group.style.display = "none";
    });
  }

  function find(word) {
    var wanted = word.toLowerCase();
    var found = frames.filter(function (frame) {
      var is = wanted !== "" && frame.searched.indexOf(wanted) !== -1;
      frame.group.classList.toggle("m", is);
      return is;
    });
    found.sort(function (a, b) { return a.x - b.x || b.width - a.width; });
    var sum = 0, end = -1;
    found.forEach(function (frame) {
      if (frame.x < end - NEAR) return;
      sum += frame.width;
      end = frame.x + frame.width;
    });
    matched.textContent = wanted === "" ? "" : (100 * sum / WIDTH).toFixed(1) + " % matched";
  }

  var whole = { x: 0, y: -1, width: WIDTH };
  all.addEventListener("click", function (event) {
    var frame = byGroup.get(event.target.parentNode);
    if (frame !== undefined) zoom(frame.width >= WIDTH - NEAR ? whole : frame);
  });
  all.addEventListener("mouseover", function (event) {
    var frame = byGroup.get(event.target.parentNode);
    details.textContent = frame === undefined ? "" : frame.title.split("\\n").join("  ");
  });
  search.addEventListener("input", function () { find(search.value); });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") zoom(whole);
  });
})();
`;
