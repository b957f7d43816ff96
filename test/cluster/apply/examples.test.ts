import * as fs from 'node:fs';
import * as path from 'node:path';
import { describeCluster } from '../clusters';
import { Platform } from '../doubles/platform';

/** Another folder of examples, for those of another checkout. */
const EXAMPLES = process.env.EXAMPLES_DIR ?? path.resolve(__dirname, '..', '..', '..', 'examples');

/** Those that are written for the versions and addresses of the doubles. */
const NAMES = ['quickstart', 'reference-stack', 'three-tenants'].filter((name) =>
  fs.existsSync(path.join(EXAMPLES, name, 'dist', 'assembly.json')),
);

describeCluster('what examples commit', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(async () => {
    await platform?.stop();
  });

  test('there are some', () => {
    expect(NAMES).toContain('quickstart');
  });

  // three-tenants names the Secret of a registration token that its users create
  beforeAll(async () => {
    const namespace = 'c-m-harvdc01';
    for (const manifest of [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'crt-token-gitops', namespace },
        stringData: { token: 'registration0token1of2three3tenants' },
      },
    ]) {
      expect((await platform.clients.rancher.apply(manifest)).status).toBeLessThan(300);
    }
  });

  test.each(NAMES)(
    'plans, applies, and destroys the example %s, without changes in between',
    async (name) => {
      const dist = path.join(EXAMPLES, name, 'dist');
      expect((await platform.cli('plan', dist)).exitCode).toBe(2);
      expect(failureOf(await platform.cli('apply', dist, '--wait', '--timeout', '600'))).toBe('');
      const { stdout, exitCode } = await platform.cli('plan', dist);
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^plan: \d+ unchanged$/m)]);
      expect(failureOf(await platform.cli('destroy', dist, '--yes', '--timeout', '600'))).toBe('');
      expect(platform.problems).toEqual([]);
    },
  );
});

function failureOf({
  exitCode,
  stdout,
  stderr,
}: {
  exitCode?: number;
  stdout: string;
  stderr: string;
}): string {
  return exitCode === 0 ? '' : `exit code ${String(exitCode)}\n${stdout}${stderr}`;
}
