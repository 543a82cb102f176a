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
const VALUE = { depth: 5, customInspect: false, breakLength: Infinity, maxArrayLength: 30, maxStringLength: 500 };
const ROOT = process.cwd();
const ESCAPES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
// Mocha makes paths below the working directory relative.
const FRAME = /^\s*at (?:(.*?) \()?(?:file:\/\/)?((?:\/|\w[\w@.-]*[/.])[^():<>]*?):(\d+)(?::\d+)?\)?$/;
const KIND = /^(?:Uncaught )?([A-Za-z_$][\w$.]*)(?: \[\w+\])?(?:: |$)/;

function capped(text, limit = MESSAGE) {
  return text.length <= limit ? text : `${text.slice(0, limit / 2)}\n[...]\n${text.slice(-limit / 2)}`;
}

// The path below the repository; empty for code elsewhere, and for code of packages.
function relative(file) {
  if (!file) return '';
  const plain = file.startsWith('file:') ? fileURLToPath(file) : path.resolve(ROOT, file);
  const found = path.relative(ROOT, plain);
  return found.startsWith('..') || found.split(path.sep).includes('node_modules') ? '' : found;
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
  return found.slice(0, FRAMES).reverse();
}

// What a message leaves out: vitest's difference, or both values where chai shortens them or a text of its own stands.
function values(error, message) {
  if (!error || typeof error !== 'object') return '';
  if (typeof error.diff === 'string') return message.includes(error.diff) ? '' : `\n\n${error.diff}`;
  const told = (error.showDiff && message.includes('\u2026')) || error.generatedMessage === false;
  if (!told || !('expected' in error) || !('actual' in error)) return '';
  return `\n\nExpected: ${inspect(error.expected, VALUE)}\nActual: ${inspect(error.actual, VALUE)}`;
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
    const said = isText ? head.replace(KIND, '') : String((error && error.message) || head || error);
    const message = capped((said + values(error, said)).replace(ESCAPES, ''));
    return { exception: String(kind || '').slice(0, 200), message, frames: frames(lines) };
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
