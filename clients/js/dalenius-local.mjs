// Reports of one person under local differential privacy, for browsers and node: no dependencies.
//
//   const client = new Client(await (await fetch("/protocol/city")).json(), { maxEpsilon: 1 });
//   await fetch("/collect/city", { method: "POST", body: client.record("Basel") });
//
// It answers questions about shares of values ("frequency"), means of numbers ("mean": hybrid, duchi, piecewise) and the
// most common texts or numbers ("heavy hitters"). Chances are whole numbers of 2^-64, compared with 64 random bits of
// WebCrypto, as in dalenius.local; the same random bytes give the same report there and here (vectors.json). The facts
// come from the collector, who is not trusted: the constructor checks every number that privacy hangs on, so that no
// report can be more than e^epsilon times as likely under another value, and refuses otherwise.

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
  // Whether moving by 1, ..., order - 1 reaches every other element once: true of whole numbers modulo anything, and of
  // polynomials if there are p^m of them.
  get isGroup() { return !this.modulus || this.p ** this.m === this.order; }
  // Whether every element but 0 has an inverse too.
  get isField() {
    if (!this.isGroup || (!this.modulus && this.p !== this.order) || this.order > 4096) return false;
    for (let a = 1; a < this.order; a++) if (this.multiply(a, this.inverse(a)) !== 1) return false;
    return true;
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
  // All elements are tried, whichever it is.
  inverse(a) {
    let found = 0;
    for (let b = 1; b < this.order; b++) if (this.multiply(a, b) === 1) found = b;
    return found;
  }
}

const points = (q, t) => (q ** t - 1) / (q - 1);

const whole = (number, least, most) => Number.isSafeInteger(number) && number >= least && number <= most;

function insist(good) {
  if (!good) throw new Error("the protocol's facts do not hold together: nothing is sent");
}

// For each frequency oracle: the odds that a coin gives (c and d are the numerators of its chance and of the rest), what
// else must hold of the facts, and the report's payload for a value.
const ORACLES = {
  "k-ary response": {
    odds: (f, c, d) => (c * (f.size - 1)) / d,
    payload(f, value, keep, draw) {
      const step = 1 + uniform(f.size - 1, draw);
      return code((value + (keep ? 0 : step)) % f.size, f.width);
    },
  },
  "hadamard response": {
    odds: (f, c, d) => c / d,
    payload(f, value, keep, draw) {
      let columns = 1; // the least power of two above the size: a logarithm that is off by a digit would halve it
      while (columns <= f.size) columns *= 2;
      const row = value + 1;
      let column = uniform(columns, draw);
      const lowest = row & -row;
      if (parity(row & column) === (keep ? 1 : 0)) column ^= lowest;
      return code(column, f.width);
    },
  },
  "local hashing": {
    odds: (f, c, d) => (c * (f.order - 1)) / d,
    holds: (f) => whole(f.order, 2, 8192) && whole(f.length, 1, 64) && new Field(f.order, f.modulus).isGroup,
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
    odds: (f, c, d) => {
      const inside = points(f.order, f.length - 1), all = points(f.order, f.length);
      return (c * (all - inside)) / (d * inside);
    },
    holds: (f) => whole(f.order, 2, 4096) && whole(f.length, 2, 52) && f.order ** f.length <= 2 ** 52
      && f.size <= points(f.order, f.length) && new Field(f.order, f.modulus).isField,
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
    odds: (f, c, d) => c / d,
    payload: (f, value, keep, draw) => unary(f, value, ONE / 2n, ONE - BigInt(f.coin), draw),
    noCoin: true,
  },
  "symmetric unary encoding": {
    odds: (f, c, d) => (c / d) ** 2,
    payload: (f, value, keep, draw) => unary(f, value, BigInt(f.coin), ONE - BigInt(f.coin), draw),
    noCoin: true,
  },
  "subset selection": {
    odds: (f, c, d) => (c * (f.size - f.weight)) / (d * f.weight),
    holds: (f) => whole(f.weight, 1, f.size - 1),
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

function fraction(text) {
  const [n, d] = String(text).split("/");
  return Number(n) / Number(d ?? 1);
}

// e^epsilon and a little for the rounding of this very check, which is far below what 64 digits of a coin leave open.
const within = (odds, epsilon) => odds > 0 && odds <= Math.exp(epsilon) * (1 + 1e-12);
const numerator = (text) => {
  const value = BigInt(text);
  insist(value >= 0n && value < ONE);
  return value;
};

const FREQUENCY = {
  check(f, epsilon) {
    const oracle = ORACLES[f.oracle];
    if (!oracle) throw new Error("this client does not know the protocol");
    insist(Array.isArray(f.domain) && f.domain.length === f.size && whole(f.size, 2, 2 ** 31) && whole(f.width, 1, 2 ** 28));
    insist(!oracle.holds || oracle.holds(f));
    const coin = numerator(f.coin);
    return within(oracle.odds(f, Number(coin), Number(ONE - coin)), epsilon);
  },
  // The whole domain is looked through, wherever the value is.
  encode(f, value) {
    let place = -1;
    f.domain.forEach((known, i) => { place = known === value ? i : place; });
    if (place < 0) throw new Error("the value is not in the protocol's domain");
    return place;
  },
  payload(f, place, draw) {
    const oracle = ORACLES[f.oracle];
    const keep = oracle.noCoin ? false : littleEndian(draw(8)) < BigInt(f.coin);
    return oracle.payload(f, place, keep, draw);
  },
};

const duchi = {
  check(f, epsilon) {
    const top = numerator(f.top);
    return top > ONE / 2n && within(Number(top) / Number(ONE - top), epsilon);
  },
  code(f, step, word) {
    const top = BigInt(f.top), spread = (2n * top - ONE) / BigInt(f.grid);
    return word < ONE - top + BigInt(step) * spread ? 1 : 0;
  },
};

const piecewise = {
  sizes(f) {
    const window = 2 * f.half_window + 1, range = f.grid * f.fine + f.half_window;
    return { window, range, rest: 2 * range + 1 - window };
  },
  check(f, epsilon) {
    insist(whole(f.half_window, 1, 2 ** 30) && whole(f.fine, 1, 2 ** 10));
    const { window, rest } = this.sizes(f), inside = numerator(f.inside);
    return within((Number(inside) * rest) / (Number(ONE - inside) * window), epsilon);
  },
  draws(f, draw) {
    const { window, rest } = this.sizes(f);
    return [uniform(window, draw), uniform(rest, draw)];
  },
  code(f, step, word, [inner, outer]) {
    const { window, range } = this.sizes(f), left = (2 * step - f.grid) * f.fine - f.half_window + range;
    const outside = outer + (outer >= left ? window : 0);
    return word < BigInt(f.inside) ? left + inner : outside;
  },
};

const MEANS = {
  duchi: { check: duchi.check, code: (f, step, draw) => duchi.code(f, step, littleEndian(draw(8))) },
  piecewise: {
    check: (f, epsilon) => piecewise.check(f, epsilon),
    code(f, step, draw) {
      const word = littleEndian(draw(8));
      return piecewise.code(f, step, word, piecewise.draws(f, draw));
    },
  },
  hybrid: {
    check(f, epsilon) {
      numerator(f.mix);
      return duchi.check(f, epsilon) && piecewise.check(f, epsilon);
    },
    code(f, step, draw) {
      const words = [0, 1, 2].map(() => littleEndian(draw(8))), draws = piecewise.draws(f, draw);
      const codes = [duchi.code(f, step, words[1]), 2 + piecewise.code(f, step, words[2], draws)];
      return codes[words[0] < BigInt(f.mix) ? 1 : 0];
    },
  },
};

function halfToEven(x) {
  const down = Math.floor(x), over = x - down;
  return over > 0.5 || (over === 0.5 && down % 2 === 1) ? down + 1 : down;
}

const MEAN = {
  check(f, epsilon) {
    if (!MEANS[f.oracle]) throw new Error("this client does not know the protocol");
    insist(fraction(f.lower) < fraction(f.upper) && whole(f.grid, 1, 2 ** 20) && f.width === 4);
    return MEANS[f.oracle].check(f, epsilon);
  },
  encode(f, value) {
    const low = fraction(f.lower), high = fraction(f.upper);
    if (typeof value !== "number" || !(value >= low && value <= high)) {
      throw new Error("the number is outside of the protocol's bounds: clamp it first");
    }
    return Math.min(f.grid, Math.max(0, halfToEven(((value - low) / (high - low)) * f.grid)));
  },
  payload: (f, step, draw) => code(MEANS[f.oracle].code(f, step, draw), 4),
};

// The public hash of heavy hitters: splitmix64 of its number.
function mask(f, seed, place) {
  const to64 = (x) => BigInt.asUintN(64, x);
  let word = to64((BigInt(seed * f.parities + place + 1) + (BigInt(f.parities) << 32n)) * 0x9e3779b97f4a7c15n);
  word = to64((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
  word = to64((word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  return word ^ (word >> 31n);
}

function wideParity(x) {
  for (let half = 32n; half; half >>= 1n) x ^= x >> half;
  return Number(x & 1n);
}

const HEAVY_HITTERS = {
  check(f, epsilon) {
    insist(whole(f.parities, 1, 8) && whole(f.seeds, 1, 65536) && whole(f.bits, 1, 64));
    insist(!f.text || f.bits % 8 === 0);
    insist(Array.isArray(f.steps) && whole(f.steps.length, 1, 255) && f.steps.every((step) => whole(step, 1, f.bits)));
    const coin = numerator(f.coin);
    return within((Number(coin) * (2 ** f.parities - 1)) / Number(ONE - coin), epsilon);
  },
  encode(f, value) {
    if (f.text && typeof value === "string") {
      const bytes = new TextEncoder().encode(value), room = f.bits / 8;
      const whole_text = new TextDecoder().decode(bytes) === value; // a lone half of a pair is no text
      if (whole_text && bytes.length <= room && !bytes.includes(0)) {
        return littleEndian(Uint8Array.from({ length: room }, (_, i) => bytes[room - 1 - i] ?? 0));
      }
    }
    if (!f.text && (typeof value === "bigint" || Number.isSafeInteger(value))) {
      const number = BigInt(value);
      if (number >= 0n && number >> BigInt(f.bits) === 0n) return number;
    }
    throw new Error(`the value is not one of the protocol's: a ${f.text ? "text" : "number"} too long or none`);
  },
  payload(f, value, draw) {
    const keep = littleEndian(draw(8)) < BigInt(f.coin);
    const length = uniform(f.steps.length, draw), seed = uniform(f.seeds, draw);
    const buckets = 2 ** f.parities, move = 1 + uniform(buckets - 1, draw);
    const prefix = value >> BigInt(f.bits - f.steps[length]);
    let bucket = 0;
    for (let place = 0; place < f.parities; place++) bucket |= wideParity(prefix & mask(f, seed, place)) << place;
    return Uint8Array.from([length, seed & 255, seed >> 8, (bucket + (keep ? 0 : move)) % buckets, 0]);
  },
};

const PROTOCOLS = { frequency: FREQUENCY, mean: MEAN, "heavy hitters": HEAVY_HITTERS };

export class Client {
  // maxEpsilon is the most that one report may cost: the person's choice, not the collector's.
  constructor(facts, { maxEpsilon, bytes = secureBytes } = {}) {
    if (!(maxEpsilon > 0 && maxEpsilon < Infinity)) throw new Error("say what a report may cost: maxEpsilon");
    const protocol = PROTOCOLS[facts.protocol];
    if (!protocol) throw new Error("this client does not know the protocol");
    const epsilon = fraction(facts.epsilon);
    if (!(epsilon <= maxEpsilon)) throw new Error(`the question costs ${facts.epsilon}, more than is allowed`);
    if (!protocol.check(facts, epsilon)) throw new Error("the protocol's chances break its epsilon: nothing is sent");
    insist(/^([0-9a-f]{2}){9}$/.test(facts.head));
    this.facts = structuredClone(facts); // what was checked is what is used
    this.protocol = protocol;
    this.draw = bytes;
    this.head = Uint8Array.from(facts.head.match(/../g), (pair) => parseInt(pair, 16));
  }

  // One report: as many bytes for every value.
  randomize(value) {
    const payload = this.protocol.payload(this.facts, this.protocol.encode(this.facts, value), this.draw);
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
