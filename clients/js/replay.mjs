// Reads a list of {"facts", "maxEpsilon", "cases": [{"value", "bytes"}]} on stdin; prints for each the reports that those
// random bytes give, in hex, or the message of the refusal. Where bytes are null the client draws its own.
import { Client } from "./dalenius-local.mjs";

const text = await new Promise((done) => {
  let all = "";
  process.stdin.on("data", (piece) => { all += piece; }).on("end", () => done(all));
});
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

function replayed({ facts, maxEpsilon, cases }) {
  return cases.map(({ value, bytes }) => {
    if (bytes === null) return hex(new Client(facts, { maxEpsilon }).randomize(value));
    let at = 0;
    const stream = Uint8Array.from(bytes.match(/../g), (pair) => parseInt(pair, 16));
    const draw = (count) => { at += count; return stream.slice(at - count, at); };
    return hex(new Client(facts, { maxEpsilon, bytes: draw }).randomize(value));
  });
}

console.log(JSON.stringify(JSON.parse(text).map((batch) => {
  try {
    return replayed(batch);
  } catch (error) {
    return `refused: ${error.message}`;
  }
})));
