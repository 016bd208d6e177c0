// Parses a diagram with Mermaid itself: node mermaid.js BUNDLE FILE. The bundle exports a function from the diagram's text to its JSON.
// Status 1, with the parser's message, if the diagram is faulty.
const {readFileSync} = require("fs");
const {resolve} = require("path");

const [bundle, file] = process.argv.slice(2);
require(resolve(bundle))(readFileSync(file, "utf8")).catch(error => {
  // Without the list of some thirty tokens that could have followed.
  console.error(String(error?.message ?? error).replace(/\nExpecting [^]*(got '[^']*')$/, "\n$1"));
  process.exitCode = 1;
});
