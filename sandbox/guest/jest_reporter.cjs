// The reporter for jest, from 24 on.
'use strict';

const { Session, relative } = require('./node_records.cjs');

const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' };

module.exports = class Reporter {
  constructor() {
    this.session = new Session();
  }

  onTestResult(_, result) {
    const file = relative(result.testFilePath) || String(result.testFilePath);
    for (const test of result.testResults) {
      const names = [...test.ancestorTitles, test.title];
      const error = (test.failureMessages || []).join('\n');
      this.session.test(file, names, OUTCOMES[test.status] || 'error', (test.duration || 0) / 1000, error);
    }
    if (result.testExecError && !this.session.around(file, [], result.testExecError)) {
      this.session.unreadable(file, result.failureMessage || result.testExecError);
    }
  }

  onRunComplete() {
    this.session.finish();
  }
};
