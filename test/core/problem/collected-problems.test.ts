import { Construct } from 'constructs';
import { HarvesterApp, HarvesterChart } from '../../../src';
import { collectProblems, fail, failOnErrors } from '../../../src/core/problem/problem';

const BAD_NAME = { path: 'name', value: 'A', message: 'must be a name', fix: 'use a-z' };
const BAD_SIZE = { path: 'size', value: 0, message: 'must be 1 or more', fix: 'set 1' };

function construct(): { readonly app: HarvesterApp; readonly it: Construct } {
  const app = new HarvesterApp({ outdir: '/nonexistent', printWarnings: false });
  return { app, it: new Construct(new HarvesterChart(app, 'dc1', { version: '1.7.2' }), 'it') };
}

function linesOf(run: () => void): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.replace(/:.*/, ''));
  }
}

describe('collected problems', () => {
  test('are reported once, with those that are found later', () => {
    const { it } = construct();
    collectProblems(it, [BAD_NAME]);
    expect(linesOf(() => failOnErrors(it, [BAD_SIZE]))).toEqual(['[dc1/it] name', '[dc1/it] size']);
    expect(linesOf(() => failOnErrors(it, [BAD_SIZE]))).toEqual(['[dc1/it] size']);
  });

  test('are reported with the problem that ends a constructor early', () => {
    const { it } = construct();
    collectProblems(it, [BAD_NAME]);
    expect(linesOf(() => fail(it, [BAD_SIZE]))).toEqual(['[dc1/it] name', '[dc1/it] size']);
  });

  test('hide further problems of the same prop', () => {
    const { it } = construct();
    collectProblems(it, [BAD_NAME]);
    expect(linesOf(() => failOnErrors(it, [{ ...BAD_NAME, message: 'must be short' }]))).toEqual([
      '[dc1/it] name',
    ]);
  });

  test('leave warnings to the rules', () => {
    const { it } = construct();
    collectProblems(it, [{ ...BAD_NAME, level: 'warning' }]);
    expect(linesOf(() => failOnErrors(it))).toEqual([]);
  });

  test('are findings of synthesis if the construct did not throw them', () => {
    const { app, it } = construct();
    collectProblems(it, [BAD_NAME]);
    expect(app.validate()).toEqual([
      expect.objectContaining({ rule: 'program/not-valid', construct: 'dc1/it', path: 'name' }),
    ]);
  });
});
