// The reporter for vitest, from 0.34 on: its hook was called `onFinished` up to version 3, and `onTestRunEnd` since.

import { Session, relative } from './node_records.cjs';

const OUTCOMES = { pass: 'passed', fail: 'failed' };

export default class Reporter {
  constructor() {
    this.session = new Session();
    this.done = false;
  }

  onFinished(files = []) {
    if (this.done) return;
    this.done = true;
    for (const file of files) {
      const name = relative(file.filepath) || String(file.filepath);
      this.walk(name, file.tasks || [], []);
      const error = file.result?.errors?.[0];
      if (error && !this.session.around(name, [], error)) this.session.unreadable(name, error);
    }
    this.session.finish();
  }

  onTestRunEnd(modules) {
    this.onFinished(modules.map((module) => module.task));
  }

  walk(file, tasks, above) {
    for (const task of tasks) {
      const names = [...above, task.name];
      if (task.type === 'suite') {
        this.walk(file, task.tasks || [], names);
        const error = task.result?.errors?.[0];
        if (error && !this.session.around(file, names, error)) this.session.test(file, names, 'error', 0, error, 'setup');
      } else {
        const { state, duration, errors } = task.result || {};
        this.session.test(file, names, OUTCOMES[state] || 'skipped', (duration || 0) / 1000, errors?.[0]);
        const meant = task.mode === 'run' || task.mode === 'only' || task.mode === 'queued';
        if (meant && !OUTCOMES[state]) this.session.tests.at(-1).unrun = true;
      }
    }
  }
}
