// Reads {"facts", "cases": [{"value", "bytes"}]} on stdin; prints the reports that those random bytes give, in hex.
import { Client } from "./dalenius-local.mjs";

const text = await new Promise((done) => {
  let all = "";
  process.stdin.on("data", (piece) => { all += piece; }).on("end", () => done(all));
});
const { facts, cases } = JSON.parse(text);
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
console.log(JSON.stringify(cases.map(({ value, bytes }) => {
  if (bytes === null) return hex(new Client(facts).randomize(value));
  let at = 0;
  const stream = Uint8Array.from(bytes.match(/../g), (pair) => parseInt(pair, 16));
  const draw = (count) => { at += count; return stream.slice(at - count, at); };
  return hex(new Client(facts, { bytes: draw }).randomize(value));
})));
