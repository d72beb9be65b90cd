// node --test clients/js: the shared vectors, and facts that a client must refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Client } from "./dalenius-local.mjs";

const vectors = JSON.parse(readFileSync(new URL("./vectors.json", import.meta.url)));
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

for (const { name, facts, maxEpsilon, cases } of vectors) {
  test(`${name}: the same bytes give the same report`, () => {
    for (const { value, bytes, report } of cases) {
      let at = 0;
      const stream = bytesOf(bytes);
      const draw = (count) => { at += count; return stream.slice(at - count, at); };
      assert.equal(hex(new Client(facts, { maxEpsilon, bytes: draw }).randomize(value)), report);
      assert.equal(at, stream.length);
    }
  });
  test(`${name}: chances that break epsilon, or cost too much, are refused`, () => {
    assert.throws(() => new Client({ ...facts, epsilon: "1/100" }, { maxEpsilon }), /break its epsilon/);
    assert.throws(() => new Client(facts, { maxEpsilon: 0.01 }), /more than is allowed/);
    assert.throws(() => new Client(facts), /maxEpsilon/);
  });
}
