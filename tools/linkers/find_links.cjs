// Finds links with the linkers of npm in a folder: `node find_links.cjs FOLDER < texts > finds`.
//
// Each line of the input is a text as a string of JSON. The first line of the output has the versions, each other one
// the finds in the text of that line, by linker: pairs of offsets in characters (code points, as in Python).
"use strict";
const { existsSync } = require("node:fs");
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const path = require("node:path");

const from = createRequire(path.resolve(process.argv[2], "package.json"));
const LINKERS = {
  "linkify-it": (name) => {
    const { LinkifyIt } = from(name);
    const linkify = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
    return (text) => (linkify.match(text) || []).map((found) => [found.index, found.lastIndex]);
  },
  linkifyjs: (name) => {
    const linkify = from(name);
    return (text) => linkify.find(text).map((found) => [found.start, found.end]);
  },
  autolinker: (name) => {
    const { Autolinker } = from(name);
    const autolinker = new Autolinker({
      urls: { schemeMatches: true, tldMatches: false, ipV4Matches: false },
      email: true, // of mailto: what has no scheme is left out
      phone: false,
      mention: false,
      hashtag: false,
      stripPrefix: false,
      stripTrailingSlash: false,
      decodePercentEncoding: false,
    });
    return (text) =>
      autolinker.parse(text).map((found) => [found.getOffset(), found.getOffset() + found.getMatchedText().length]);
  },
};

function version(name) {
  // Not all packages export their package.json.
  let folder = path.dirname(from.resolve(name));
  while (folder !== path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    if (existsSync(file) && require(file).name === name) return require(file).version;
    folder = path.dirname(folder);
  }
  return "?";
}

// The offset in characters of each offset in UTF-16 units.
function characters(text) {
  const places = [];
  let count = 0;
  for (const character of text) {
    for (let unit = 0; unit < character.length; unit++) places.push(count);
    count++;
  }
  places.push(count);
  return places;
}

const installed = Object.keys(LINKERS).filter((name) => {
  try {
    return from.resolve(name);
  } catch {
    return false;
  }
});
const finders = Object.fromEntries(installed.map((name) => [name, LINKERS[name](name)]));
console.log(JSON.stringify(Object.fromEntries(installed.map((name) => [name, version(name)]))));
createInterface({ input: process.stdin }).on("line", (line) => {
  const text = JSON.parse(line);
  const places = characters(text);
  const finds = {};
  for (const name of installed) finds[name] = finders[name](text).map((pair) => pair.map((at) => places[at]));
  console.log(JSON.stringify(finds));
});
