// The reporter for `node --test`, from Node 18.17 on. Each file runs in a process of its own; this one only listens.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Session, relative } from './node_records.cjs';

const STDERR = 8000;
const session = new Session();
const names = [];
const printed = new Map();

// A file that mentions the test module has tests; any other is a script, and itself the test.
function hasTests(file) {
  try {
    return /['"](?:node:)?test['"]/.test(readFileSync(file, 'utf8'));
  } catch {
    return true;
  }
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
    const isFile = data.nesting === 0 && relative(path.resolve(data.name)) === file;
    if (isFile) whole(file, type === 'test:fail');
    else part(file, data, type === 'test:fail');
  }
}

export default async function* report(source) {
  for await (const event of source) take(event);
  session.finish();
  yield '';
}
