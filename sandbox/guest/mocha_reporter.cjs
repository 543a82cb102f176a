// The reporter for mocha, from 6 on; it also prints a line for each test.
'use strict';

const { Session, relative } = require('./node_records.cjs');

module.exports = function Reporter(runner) {
  const session = new Session();
  const known = new Set();
  const tell = (test, outcome, error, phase) => {
    if (known.has(test)) return;
    known.add(test);
    process.stdout.write(`${outcome}: ${test.fullTitle()}\n`);
    const file = relative(test.file) || String(test.file || '');
    session.test(file, test.titlePath(), outcome, (test.duration || 0) / 1000, error, phase);
  };
  runner.on('pass', (test) => tell(test, 'passed'));
  runner.on('pending', (test) => tell(test, 'skipped'));
  runner.on('fail', (test, error) => {
    if (test.type !== 'hook') return tell(test, 'failed', error);
    const tests = [];
    test.parent.eachTest((one) => tests.push(one));
    const unrun = tests.filter((one) => !known.has(one));
    for (const one of unrun) tell(one, 'error', error, 'setup');
    if (!unrun.length && tests.length) {
      const last = tests[tests.length - 1];
      session.around(relative(last.file), last.titlePath(), error);
    }
    return undefined;
  });
  runner.on('end', () => session.finish());
};
