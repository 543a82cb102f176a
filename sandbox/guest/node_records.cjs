// What the reporters for JavaScript share: the session of tests that they write, one JSON object a line.
//
// Lies beside each of them; the directory's name is the nonce. Tests are kept until `finish`, so a run that is left
// early leaves no file. Nothing that is written is trusted.
'use strict';

const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');

const MESSAGE = 4000;
const NAME = 4000;
const FRAMES = 16;
const CHAIN = 5;
const RELATED = 10;
const SAID = 160;
const LONG = 1000;
const SCANNED = 100000;
const VALUE = { depth: 5, customInspect: false, breakLength: Infinity, maxArrayLength: 1000, maxStringLength: 10000, sorted: true };
const ROOT = process.cwd();
const ESCAPES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
// Mocha makes paths below the working directory relative.
const FRAME = /^\s*at (?:(.*?) \()?(?:file:\/\/)?((?:\/|\w[\w@.-]*[/.])[^():<>]*?):(\d+)(?::\d+)?\)?$/;
const PLACE = /^(?:file:\/\/)?(\/[^:]+):(\d+)$/;
const LABEL = /^\s*(?:[-+] |[A-Za-z][A-Za-z ]{0,14}: ?)?/;
// What a stack says of another exception, below its own frames: its cause, or one of those that it holds.
const OTHER = /^\s*(?:\[?(cause|caused by|errors)\]?:?\s*)?([A-Za-z_$][\w$.]*(?:Error|Exception)(?:: .*)?)$/i;
const KIND = /^(?:Uncaught )?([A-Za-z_$][\w$.]*)(?: \[\w+\])?(?:: |$)/;

// A text that fits: first its long lines give way, then its middle.
function capped(text, limit = MESSAGE) {
  if (text.length <= limit) return text;
  const kept = narrowed(text.split('\n')).join('\n');
  const half = Math.floor(limit / 2);
  return kept.length <= limit ? kept : `${kept.slice(0, half)}\n[...]\n${kept.slice(-half)}`;
}

// Long lines around the place where they differ from the long line next to them, as two values compared do.
function narrowed(lines) {
  const long = [...lines.keys()].filter((at) => lines[at].length > LONG);
  const shown = lines.map((line) => (line.length <= LONG ? line : `${line.slice(0, LONG / 2)}...${line.slice(-LONG / 2)}`));
  long.forEach((at, number) => {
    const label = LABEL.exec(lines[at])[0];
    const other = lines[long[number + 1] ?? long[number - 1]] || '';
    const [one, two] = [lines[at].slice(label.length, SCANNED), other.replace(LABEL, '').slice(0, SCANNED)];
    let shared = 0;
    while (shared < one.length && one[shared] === two[shared]) shared += 1;
    const start = shared - LONG / 4;
    if (start > LONG / 4 && other) shown[at] = `${label}...${one.slice(start, start + LONG / 2)}...`;
  });
  return shown;
}

// The path below the repository; empty for code elsewhere, and for code of packages.
function relative(file) {
  if (!file) return '';
  const plain = file.startsWith('file:') ? fileURLToPath(file) : path.resolve(ROOT, file);
  const found = path.relative(ROOT, plain);
  return found.startsWith('..') || found.split(path.sep).includes('node_modules') ? '' : found;
}

// Where a file could not be parsed, as node prints it above the error, and as bundlers keep it.
function unparsed(error, above) {
  const hit = above.map((line) => PLACE.exec(line)).find(Boolean);
  const { file, line } = (error && error.loc) || {};
  const found = hit ? [relative(hit[1]), Number(hit[2])] : [relative(file || (line && error.id)), Number(line)];
  return found[0] && found[1] > 0 ? [[found[0].slice(0, NAME), found[1], '']] : [];
}

// A title in which ` >` and ` #` are escaped, so that those in an id are ours.
function escaped(title) {
  return String(title).replace(/(^| )(\\*[>#])/g, '$1\\$2');
}

// Short, and yet an id of its own.
function shortened(id) {
  return id.length <= NAME ? id : `${id.slice(0, NAME)}~${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

function frames(lines) {
  const found = [];
  for (const line of lines) {
    const hit = FRAME.exec(line);
    const file = hit && relative(hit[2]);
    if (file) found.push([file.slice(0, NAME), Number(hit[3]), (hit[1] || '').replace(/^(?:async |new |Object\.)+|<anonymous>$/g, '').slice(0, 200)]);
  }
  const places = new Map(found.map((one) => [one.join(':'), one]));
  return [...places.values()].slice(0, FRAMES).reverse();
}

// What a message leaves out: vitest's difference, or both values where chai shortens them or a text of its own stands.
function values(error, message) {
  if (!error || typeof error !== 'object') return '';
  if (typeof error.diff === 'string') return message.includes(error.diff) ? '' : `\n\n${error.diff}`;
  const told = (error.showDiff && message.includes('\u2026')) || error.generatedMessage === false;
  if (!told || !('expected' in error) || !('actual' in error)) return '';
  return `\n\nExpected: ${inspect(error.expected, VALUE)}\nActual: ${inspect(error.actual, VALUE)}`;
}

// A line for each exception that an error came from, or that it holds.
function related(error, stack) {
  const links = chain(error).slice(1).map((link) => `caused by ${summary(link)}`);
  const held = error && Array.isArray(error.errors) ? error.errors.map((one) => `sub-exception ${summary(one)}`) : [];
  const found = stack.map((line) => OTHER.exec(line)).filter(Boolean).map((hit) => `${/^cause/i.test(hit[1]) ? 'caused by' : 'also raised'} ${hit[2].slice(0, SAID)}`);
  return [...links, ...held, ...(typeof error === 'string' ? found : [])].slice(0, RELATED).map((line) => `\n${line}`).join('');
}

function chain(error) {
  const links = [error];
  while (links.length < CHAIN && links.at(-1) && typeof links.at(-1) === 'object' && links.at(-1).cause) links.push(links.at(-1).cause);
  return links;
}

function summary(error) {
  if (!error || typeof error !== 'object') return String(error).slice(0, SAID);
  return `${error.name || 'Error'}: ${String(error.message || '').split('\n')[0]}`.slice(0, SAID);
}

// What an error says itself; of what is none and is thrown all the same, its value.
function words(error, head) {
  if (error && error.message) return String(error.message);
  const isPlain = error && typeof error === 'object' && !(error instanceof Error) && !error.stack;
  return isPlain ? inspect(error, VALUE) : head || String(error);
}

// Type, message and in-repository frames of an error, or of a text that ends in a stack. Never throws.
function described(error) {
  try {
    const isText = typeof error === 'string';
    const stack = String(isText ? error : (error && error.stack) || '').replace(ESCAPES, '');
    const lines = stack.split('\n');
    const first = Math.max(lines.findIndex((line) => /^\w*Error\b/.test(line)), 0);
    const at = lines.findIndex((line, number) => number >= first && FRAME.test(line));
    const head = lines.slice(first, at < 0 ? undefined : at).join('\n').trim();
    const kind = isText ? (KIND.exec(head) || [])[1] : error && (error.name || (error.constructor && error.constructor.name));
    const said = isText ? head.replace(KIND, '') : words(error, head);
    const others = related(error, at < 0 ? [] : lines.slice(at));
    const message = capped((said + values(error, said)).replace(ESCAPES, ''), MESSAGE - others.length) + others;
    const causes = isText ? [] : chain(error).slice(1).map((link) => String((link && link.stack) || '').split('\n'));
    return { exception: String(kind || '').slice(0, 200), message, frames: [...frames([...lines, ...causes.flat()]), ...unparsed(error, lines.slice(0, first))].slice(-FRAMES) };
  } catch {
    return { exception: '', message: '(no message: the error cannot be read)', frames: [] };
  }
}

class Session {
  constructor() {
    const nonce = path.basename(__dirname);
    this.results = path.join(__dirname, '..', 'results');
    this.path = path.join(this.results, `${nonce}.jsonl`);
    this.wanted = JSON.parse(readFileSync(path.join(__dirname, 'selection.json'), 'utf8'));
    this.tests = [];
    this.broken = [];
  }

  // `names` lead from the outermost suite to the test; without any the file itself is the test.
  test(file, names, outcome, seconds = 0, error = undefined, phase = 'call') {
    const red = outcome === 'failed' || outcome === 'error';
    const told = red ? described(error) : {};
    this.tests.push({ file, names, outcome, phase, seconds: Math.max(Number(seconds) || 0, 0), ...told });
  }

  // A file whose tests could not be read.
  unreadable(file, error) {
    this.broken.push({ id: shortened(file), ...described(error) });
  }

  of(file, names = []) {
    return this.tests.filter((test) => test.file === file && names.every((name, at) => test.names[at] === name));
  }

  // A failure around tests, not in one: of those that did not run, else of the last one; false where there is none.
  around(file, names, error) {
    const tests = this.of(file, names);
    if (tests.some((test) => test.outcome === 'failed' || test.outcome === 'error')) return true;
    const unrun = tests.filter((test) => test.unrun);
    for (const test of unrun.length ? unrun : tests.slice(-1)) {
      Object.assign(test, described(error), { outcome: 'error', phase: unrun.length ? 'setup' : 'teardown' });
    }
    return tests.length > 0;
  }

  finish() {
    const counts = new Map();
    const lines = this.broken.map((told) => ({ kind: 'collect_error', ...told }));
    const tests = [];
    for (const { file, names, unrun, ...told } of this.tests) {
      const plain = shortened([escaped(file), ...(names.length ? [names.map(escaped).join(' > ')] : [])].join('::'));
      const count = (counts.get(plain) || 0) + 1;
      counts.set(plain, count);
      const id = count === 1 ? plain : `${plain} #${count}`;
      // Whatever a selection leaves out of a file is reported as skipped.
      if (this.wanted && told.outcome === 'skipped' && !this.wanted.includes(id)) continue;
      tests.push({ kind: 'test', id, ...told });
    }
    const red = lines.length > 0 || tests.some((test) => test.outcome === 'failed' || test.outcome === 'error');
    const written = [{ kind: 'collected', count: tests.length }, ...lines, ...tests];
    written.push({ kind: 'finished', exit: red ? 1 : 0, count: tests.length });
    mkdirSync(this.results, { recursive: true });
    writeFileSync(this.path, written.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

module.exports = { Session, relative };
