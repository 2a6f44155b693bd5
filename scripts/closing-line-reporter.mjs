// The closing line that CI reads: "N passed, N failed".
export default class ClosingLineReporter {
  onTestRunEnd(modules) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state in count) count[state] += 1;
      }
      if (
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed')
      )
        count.failed += 1;
    }
    console.log(`${count.passed} passed, ${count.failed} failed` + (count.skipped ? `, ${count.skipped} skipped` : ''));
  }
}
