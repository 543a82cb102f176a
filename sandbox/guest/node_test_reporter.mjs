// The reporter for `node --test`, from Node 18.17 on. Each file runs in a process of its own; this one only listens.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Session, relative } from './node_records.cjs';

const STDERR = 8000;
const REACHED = 500;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.mjs', '/index.cjs', '/index.ts'];
const session = new Session();
const names = [];
const printed = new Map();

// Whether a file may have tests: it mentions the test module or leaves by itself, or a file that it reaches does. Any
// other is a script, and itself the test.
function hasTests(file, seen = new Set()) {
  const place = path.resolve(file);
  if (seen.has(place)) return false;
  seen.add(place);
  let source;
  try {
    source = readFileSync(place, 'utf8');
  } catch {
    return seen.size === 1;
  }
  if (/['"`](?:node:)?test['"`]|\b(?:exit|reallyExit|abort|kill)\b/.test(source) || seen.size > REACHED) return true;
  const named = [...source.matchAll(/['"`](\.{1,2}(?:\/[^'"`\n]*)?)['"`]/g)].map((hit) => path.resolve(place, '..', hit[1]));
  return named.some((one) => ENDINGS.some((ending) => isFile(one + ending) && hasTests(one + ending, seen)));
}

function isFile(place) {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}

// What the runner tells of a file itself: with the code with which it ended, or as passed when it told of no test.
// A test may have its file's name as its title; where it stands in the file tells them apart, from Node 20 on.
function ofWhole(file, data, failed) {
  if (data.nesting !== 0 || relative(path.resolve(data.name)) !== file) return false;
  const first = data.line === 1 && data.column === 1;
  const error = data.details?.error;
  if (failed) return first || path.isAbsolute(data.name) || error?.exitCode !== undefined || error?.failureType === 'hookFailed';
  return !session.of(file).length && (data.line === undefined || first);
}

function whole(file, failed) {
  const error = printed.get(file) || 'the file failed';
  if (session.of(file).length) {
    if (failed) session.around(file, [], error);
  } else if (hasTests(file)) {
    session.unreadable(file, failed ? error : 'Error: the file ended before its tests did');
  } else {
    session.test(file, [], failed ? 'failed' : 'passed', 0, error);
  }
}

function part(file, data, failed) {
  const full = [...names.slice(0, data.nesting), data.name];
  const { error, duration_ms: duration, type } = data.details || {};
  const cause = error && error.cause !== undefined && typeof error.cause === 'object' && error.cause ? error.cause : error;
  const inside = error && error.failureType === 'subtestsFailed';
  const left = data.skip !== undefined && data.skip !== false;
  const todo = data.todo !== undefined && data.todo !== false;
  if (type === 'suite') {
    if (failed && !inside && !todo && !session.around(file, full, cause)) session.test(file, full, 'error', 0, cause, 'setup');
    if (left && !session.of(file, full).length) session.test(file, full, 'skipped');
    return;
  }
  let outcome = left || todo ? 'skipped' : 'passed';
  if (failed) outcome = todo ? 'xfailed' : inside || error?.failureType === 'testCodeFailure' ? 'failed' : 'error';
  session.test(file, full, outcome, duration / 1000, cause);
}

function take({ type, data }) {
  const file = relative(data.file) || relative(data.name) || String(data.file || data.name);
  if (type === 'test:start') {
    names.length = data.nesting;
    names.push(data.name);
  } else if (type === 'test:stderr' || type === 'test:stdout') {
    printed.set(file, ((printed.get(file) || '') + data.message).slice(-STDERR));
  } else if (type === 'test:pass' || type === 'test:fail') {
    if (ofWhole(file, data, type === 'test:fail')) whole(file, type === 'test:fail');
    else part(file, data, type === 'test:fail');
  }
}

export default async function* report(source) {
  for await (const event of source) take(event);
  session.finish();
  yield '';
}
