// Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that URL reads; see parsers.py.
"use strict";
const lines = require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity });
const answers = [];
lines.on("line", (line) => {
  try {
    const host = new URL(Buffer.from(line, "hex").toString("utf8")).hostname;
    answers.push(host === "" ? "-" : "=" + Buffer.from(host, "utf8").toString("hex"));
  } catch {
    answers.push("!");
  }
});
lines.on("close", () => process.stdout.write(answers.map((answer) => answer + "\n").join("")));
