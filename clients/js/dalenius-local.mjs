// Reports of one value under local differential privacy, for browsers and node: no dependencies.
//
//   const client = new Client(await (await fetch("/protocol/city")).json(), { maxEpsilon: 1 });
//   await fetch("/collect/city", { method: "POST", body: client.record("Basel") });
//
// Chances are whole numbers of 2^-64, compared with 64 random bits of WebCrypto, as in dalenius.local; the same random
// bytes give the same report there and here. The facts come from the collector, who is not trusted: the constructor
// checks that no report can be more than e^epsilon times as likely under another value, and refuses otherwise.

const ONE = 1n << 64n;

function secureBytes(count) {
  const out = new Uint8Array(count);
  for (let at = 0; at < count; at += 65536) {
    globalThis.crypto.getRandomValues(out.subarray(at, Math.min(count, at + 65536)));
  }
  return out;
}

function littleEndian(bytes) {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

// Whole number from 0 to count - 1: as many bits as count - 1 has, drawn again while they are too large.
function uniform(count, draw) {
  const most = BigInt(count) - 1n;
  const need = most === 0n ? 0 : most.toString(2).length;
  const width = need <= 8 ? 1 : need <= 16 ? 2 : need <= 32 ? 4 : 8;
  const mask = (1n << BigInt(need)) - 1n;
  for (;;) {
    const value = littleEndian(draw(width)) & mask;
    if (value <= most) return Number(value);
  }
}

function parity(x) {
  let odd = 0;
  for (; x; x &= x - 1) odd ^= 1;
  return odd;
}

// The field with `order` elements: modulo a prime, or polynomials over one modulo `modulus`.
class Field {
  constructor(order, modulus) {
    this.order = order;
    this.modulus = modulus;
    this.p = 2;
    while (order % this.p) this.p++;
    this.m = Math.round(Math.log(order) / Math.log(this.p));
  }
  digits(number, length, base = this.order) {
    const out = new Array(length);
    for (let i = length - 1; i >= 0; i--) { out[i] = number % base; number = Math.floor(number / base); }
    return out;
  }
  #coefficients(a, length) { return this.digits(a, length, this.p).reverse(); }
  #number(c) { return c.reduceRight((sum, x) => sum * this.p + x, 0); }
  add(a, b) {
    if (!this.modulus) return (a + b) % this.order;
    const x = this.#coefficients(a, this.m), y = this.#coefficients(b, this.m);
    return this.#number(x.map((v, i) => (v + y[i]) % this.p));
  }
  negative(a) {
    if (!this.modulus) return (this.order - a) % this.order;
    return this.#number(this.#coefficients(a, this.m).map((v) => (this.p - v) % this.p));
  }
  multiply(a, b) {
    if (!this.modulus) return (a * b) % this.order;
    const x = this.#coefficients(a, this.m), y = this.#coefficients(b, this.m);
    const modulus = this.#coefficients(this.modulus, this.m + 1);
    const full = new Array(2 * this.m - 1).fill(0);
    x.forEach((u, i) => y.forEach((v, j) => { full[i + j] = (full[i + j] + u * v) % this.p; }));
    for (let at = full.length - 1; at >= this.m; at--) {
      const lead = full[at];
      modulus.forEach((c, i) => {
        full[at - this.m + i] = (((full[at - this.m + i] - lead * c) % this.p) + this.p) % this.p;
      });
    }
    return this.#number(full.slice(0, this.m));
  }
  inverse(a) {
    for (let b = 1; b < this.order; b++) if (this.multiply(a, b) === 1) return b;
    return 0;
  }
}

const points = (q, t) => (q ** t - 1) / (q - 1);

// For each oracle: the odds that a coin with chance c gives, and the report's payload for a value.
const ORACLES = {
  "k-ary response": {
    odds: (f, c) => (c * (f.size - 1)) / (1 - c),
    payload(f, value, keep, draw) {
      const step = 1 + uniform(f.size - 1, draw);
      return code((value + (keep ? 0 : step)) % f.size, f.width);
    },
  },
  "hadamard response": {
    odds: (f, c) => c / (1 - c),
    payload(f, value, keep, draw) {
      const columns = 2 ** (Math.floor(Math.log2(f.size)) + 1);
      const row = value + 1;
      let column = uniform(columns, draw);
      const lowest = row & -row;
      if (parity(row & column) === (keep ? 1 : 0)) column ^= lowest;
      return code(column, f.width);
    },
  },
  "local hashing": {
    odds: (f, c) => (c * (f.order - 1)) / (1 - c),
    payload(f, value, keep, draw) {
      const over = new Field(f.order, f.modulus);
      const hash = uniform(f.order ** f.length, draw);
      const move = 1 + uniform(f.order - 1, draw);
      const a = over.digits(hash, f.length), v = over.digits(value, f.length);
      let bucket = 0;
      a.forEach((x, i) => { bucket = over.add(bucket, over.multiply(x, v[i])); });
      return code(hash * f.order + over.add(bucket, keep ? 0 : move), f.width);
    },
  },
  "projective geometry response": {
    odds: (f, c) => {
      const inside = points(f.order, f.length - 1), all = points(f.order, f.length);
      return (c * (all - inside)) / ((1 - c) * inside);
    },
    payload(f, value, keep, draw) {
      const q = f.order, t = f.length, over = new Field(q, f.modulus), free = q ** (t - 1);
      const inside = uniform(free - 1, draw), outside = uniform(free, draw), product = uniform(q - 1, draw);
      const coordinates = over.digits(keep ? 1 + inside : outside, t - 1);
      let place = 0;
      while (place < t - 1 && value >= points(q, place + 1)) place++;
      const v = over.digits(value - (q ** place - 1) / (q - 1) + q ** place, t);
      const pivot = t - 1 - place;
      const y = [...coordinates.slice(0, pivot), 0, ...coordinates.slice(pivot)];
      let missing = keep ? 0 : 1 + product;
      y.forEach((x, i) => { missing = over.add(missing, over.negative(over.multiply(x, v[i]))); });
      y[pivot] = missing;
      const first = y.findIndex((x) => x !== 0);
      const scale = over.inverse(y[first]), power = q ** (t - 1 - first);
      const number = y.reduce((sum, x) => sum * q + over.multiply(scale, x), 0);
      return code(number - power + (power - 1) / (q - 1), f.width);
    },
  },
  "optimized unary encoding": {
    odds: (f, c) => c / (1 - c),
    payload: (f, value, keep, draw) => unary(f, value, ONE / 2n, ONE - BigInt(f.coin), draw),
    noCoin: true,
  },
  "symmetric unary encoding": {
    odds: (f, c) => (c / (1 - c)) ** 2,
    payload: (f, value, keep, draw) => unary(f, value, BigInt(f.coin), ONE - BigInt(f.coin), draw),
    noCoin: true,
  },
  "subset selection": {
    odds: (f, c) => (c * (f.size - f.weight)) / ((1 - c) * f.weight),
    payload(f, value, keep, draw) {
      const others = Array.from({ length: f.size - 1 }, (_, i) => i);
      for (let i = 0; i < f.weight; i++) {
        const j = i + uniform(f.size - 1 - i, draw);
        [others[i], others[j]] = [others[j], others[i]];
      }
      const chosen = others.slice(0, f.weight).map((x) => (x >= value ? x + 1 : x));
      if (keep) chosen[f.weight - 1] = value;
      const out = new Uint8Array(f.width);
      for (const v of chosen) out[v >> 3] |= 1 << (v & 7);
      return out;
    },
  },
};

function code(number, width) {
  const out = new Uint8Array(width);
  for (let i = 0; i < width; i++) { out[i] = number % 256; number = Math.floor(number / 256); }
  return out;
}

// Every bit meets both thresholds, so no step depends on the value.
function unary(f, value, own, other, draw) {
  const bytes = draw(8 * f.size), out = new Uint8Array(f.width);
  for (let v = 0; v < f.size; v++) {
    const word = littleEndian(bytes.subarray(8 * v, 8 * v + 8));
    const bits = [word < other ? 1 : 0, word < own ? 1 : 0];
    out[v >> 3] |= bits[v === value ? 1 : 0] << (v & 7);
  }
  return out;
}

function epsilonOf(text) {
  const [n, d] = text.split("/");
  return Number(n) / Number(d ?? 1);
}

export class Client {
  constructor(facts, { maxEpsilon = Infinity, bytes = secureBytes } = {}) {
    const oracle = ORACLES[facts.oracle];
    if (facts.protocol !== "frequency" || !oracle) throw new Error("this client does not know the protocol");
    const epsilon = epsilonOf(facts.epsilon);
    if (!(epsilon <= maxEpsilon)) throw new Error(`the question costs ${facts.epsilon}, more than is allowed`);
    if (facts.domain.length !== facts.size) throw new Error("the protocol's domain and size disagree");
    const chance = Number(BigInt(facts.coin)) / 2 ** 64;
    if (!(oracle.odds(facts, chance) <= Math.exp(epsilon) * (1 + 1e-9))) {
      throw new Error("the protocol's chances break its epsilon: nothing is sent");
    }
    this.facts = facts;
    this.oracle = oracle;
    this.draw = bytes;
    this.head = Uint8Array.from(facts.head.match(/../g), (pair) => parseInt(pair, 16));
  }

  // One report: as many bytes for every value.
  randomize(value) {
    const place = this.facts.domain.indexOf(value);
    if (place < 0) throw new Error("the value is not in the protocol's domain");
    const keep = this.oracle.noCoin ? false : littleEndian(this.draw(8)) < BigInt(this.facts.coin);
    const payload = this.oracle.payload(this.facts, place, keep, this.draw);
    const report = new Uint8Array(this.head.length + payload.length);
    report.set(this.head);
    report.set(payload, this.head.length);
    return report;
  }

  // A report with a random id before it, as the collection endpoint takes it; send the same record again on a retry.
  record(value) {
    const report = this.randomize(value), out = new Uint8Array(16 + report.length);
    out.set(secureBytes(16));
    out.set(report, 16);
    return out;
  }
}
