import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter';
import { appendFileSync } from 'node:fs';

/** Appends the names of tests that failed once and then passed to the file at SECOND_TRY, so that they are seen. */
export default class SecondTry implements Reporter {
  private suite?: Suite;

  onBegin(_: FullConfig, suite: Suite) {
    this.suite = suite;
  }

  onEnd() {
    const file = process.env.SECOND_TRY;
    if (!file) return;
    const flaky = this.suite!.allTests().filter((test) => test.outcome() === 'flaky');
    for (const test of flaky) appendFileSync(file, `${test.titlePath().filter(Boolean).join(' › ')}\n`);
  }
}
